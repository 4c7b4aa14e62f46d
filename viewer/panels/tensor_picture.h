// What a tensor looks like: statistics, a grid of averages for the heat map, a histogram; and drawing them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/events/stats.h"
#include "viewer/panels/panel.h"

namespace tapescope::ui {

struct TensorPicture {
  std::string shape;              // "64×10"
  std::string dtype;              // "float32"
  TensorStats stats;
  int rows = 0, columns = 0;      // of the grid
  std::int64_t matrix_rows = 0, matrix_columns = 0;  // what it shows: the last axis across, all others downwards
  std::vector<float> grid;        // row-major, in -1..1 of the largest element; NaN where a cell holds one
  std::vector<float> bins;        // histogram of the finite elements, 0..1 of the fullest
  double reach = 0;               // largest absolute finite element
  bool absent = true;
};

inline constexpr int kHistogramBins = 42;

// Reads every element once; a grid of at most that size. Any thread.
TensorPicture make_tensor_picture(const Tensor& tensor, int most_rows = 32, int most_columns = 64);

// "64×10", "scalar"
std::string shape_text(const Shape& shape);

// The heat map; with numbers in its cells where they fit. A tooltip tells the cell under the pointer.
void draw_heat_map(PanelContext& c, std::string_view id, const TensorPicture& picture, ImVec2 size);
// Bars over an axis with its ends and zero.
void draw_histogram(PanelContext& c, std::string_view id, const TensorPicture& picture, ImVec2 size);
// Every value of a small tensor, scrolling; what does not fit is counted.
void draw_values(PanelContext& c, std::string_view id, const Tensor& tensor, ImVec2 size);

}  // namespace tapescope::ui

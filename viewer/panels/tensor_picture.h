// What a tensor looks like: statistics, a grid of averages for the heat map, a histogram; and drawing them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/events/stats.h"
#include "viewer/store/step_texts.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// How elements become colours, and counts bars.
enum class ValueRange : std::uint8_t {
  linear,   // the largest element is full
  clipped,  // 99 % of the elements are below full: single large ones hide nothing
  log,      // six decades below the largest element
  count_
};
// "linear", "clipped", "log"
std::string_view name_of(ValueRange range);

struct TensorPicture {
  std::string shape;  // "64×10"
  std::string dtype;  // "float32"
  TensorStats stats;
  int rows = 0, columns = 0;  // of the grid
  std::int64_t matrix_rows = 0,
               matrix_columns = 0;   // what it shows: the last axis across, all others downwards
  std::vector<float> grid;           // row-major, -1..1 by the range; NaN where a cell holds one
  std::vector<std::int64_t> at;      // parallel: which element stands for the cell
  std::vector<float> bins;           // histogram of the finite elements, 0..1 of the fullest
  std::vector<std::int64_t> counts;  // parallel, in elements
  double reach = 0;                  // largest absolute finite element
  double full = 0;                   // the element from which on a cell has its full colour
  ValueRange range = ValueRange::linear;
  bool absent = true;
};

inline constexpr int kHistogramBins = 42;

// Reads every element once, those of a clipped range twice; a grid of at most that size. Any thread.
TensorPicture make_tensor_picture(const Tensor& tensor, ValueRange range = ValueRange::linear,
                                  int most_rows = 32, int most_columns = 64);
// The flat index at which the slice below begins; for tensors of rank 3 and more that have elements.
std::int64_t slice_begin(const Tensor& tensor, std::span<const std::int64_t> leading);
// The last two axes where the others stand at `leading` (one index each; beyond the end: the last). Itself
// from rank 2 down.
Tensor slice_of(const Tensor& tensor, std::span<const std::int64_t> leading);

// "[2, 0, 7]": the element's place, counted row by row.
std::string index_text(const Shape& shape, std::int64_t at);

// The heat map of a tensor; with numbers in its cells where they fit. A tooltip names the element under the
// pointer. `chosen` is framed, and becomes the element that was clicked.
void draw_heat_map(PanelContext& c, std::string_view id, const Tensor& tensor, const TensorPicture& picture,
                   ImVec2 size, std::int64_t& chosen);
// Which colour of a heat map is which element, from the negative end to the positive one.
void draw_heat_scale(PanelContext& c, std::string_view id, const TensorPicture& picture, ImVec2 size);
// Bars over an axis with its ends and zero.
void draw_histogram(PanelContext& c, std::string_view id, const TensorPicture& picture, ImVec2 size);
// Every value of a small tensor, scrolling; what does not fit is counted.
void draw_values(PanelContext& c, std::string_view id, const Tensor& tensor, ImVec2 size);

}  // namespace tapescope::ui

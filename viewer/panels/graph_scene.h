// A picture of the graph, ready to draw: the layout, what stands in each box, its figure on the colour scale,
// and how far the program has come. Pure: made without ImGui, on any thread.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "viewer/model/graph_model.h"
#include "viewer/model/op_medians.h"
#include "viewer/panels/op_filter.h"
#include "viewer/panels/step_at_cursor.h"

namespace tapescope::ui {

// What the bar at a box's left edge shows.
enum class GraphColour : std::uint8_t {
  cost,
  forward_cost,
  backward_cost,
  ratio,
  saved,
  gradient_norm,
  dtype,
  family,
  count_
};
struct GraphColourText {
  const char* id;     // "backward-cost"
  const char* label;  // "backward cost"
  const char* unit;   // "µs"
};
const GraphColourText& text_of(GraphColour colour);

struct BoxText {
  std::string title, tag, shapes, figure;  // figure: the time, at the lower right
};

// Made once per step and folds; immutable, shared.
struct GraphPicture {
  std::shared_ptr<const StepView> a, b;  // b only in a comparison
  bool grows = false;                    // more ops of the step may come
  GraphModel model;
  layout::Layout layout;
  std::vector<std::uint32_t> by_top;          // boxes by their upper edge
  float tallest = 0;                          // of the boxes
  std::array<std::vector<BoxText>, 2> texts;  // by program and box
  std::array<OpMedians, 2> medians;           // by program: the times that boxes show

  const StepView& view(int program) const { return program == 0 ? *a : *b; }
  bool comparing() const { return b != nullptr; }
  // The box an op stands in, or layout::kNone.
  std::uint32_t box_of(int program, std::uint32_t op) const;
  // The ops of that program in a box, in tape order.
  std::vector<std::uint32_t> ops_of(int program, std::uint32_t box) const;
  // What they take, in µs; of a forward op with what it called. NaN where that program has none of them.
  double us_of(int program, std::uint32_t box) const;
};

using Folds = std::map<std::uint64_t, bool>;
using Steps = std::vector<std::shared_ptr<const StepView>>;
// `recent` holds each program's last steps: ops take what they took in the middle of those that are alike.
std::shared_ptr<const GraphPicture> make_picture(std::shared_ptr<const StepView> a,
                                                 std::shared_ptr<const StepView> b,
                                                 const std::array<Steps, 2>& recent, const Folds& folds,
                                                 const GraphPicture* previous, bool grows,
                                                 std::stop_token stop = {});

enum class BoxState : std::uint8_t { done, now, pending, absent };  // absent: not in this program
enum class BoxMark : std::uint8_t { none, only, missing, changed };

// Green up to the break, red from there on.
struct CutMark {
  std::string source;
  std::string words;      // "stop gradient"
  std::uint32_t row = 0;  // into Snapshot::gradients
  std::uint32_t edge_box = layout::kNone, source_box = layout::kNone;
  std::vector<std::uint32_t> path_wires, cut_wires;
  bool ghost = false;  // no wire joins source and break: its missing rest is drawn as a dashed line
};

// What changes with cursor, filter, colour and snapshot while the picture stays.
struct GraphScene {
  std::vector<BoxState> state;
  std::vector<BoxMark> mark;
  std::vector<float> value;                  // figure on the colour scale; NaN: none
  std::vector<std::uint8_t> dimmed;          // does not match the filter
  std::vector<std::string> gradient_text;    // by box, of gradient boxes: "norm 0.412", "None", "pending"
  std::vector<std::uint8_t> gradient_state;  // GradientStatus + 1, 0: not known
  std::vector<CutMark> cuts;
  std::vector<std::uint8_t> broken;    // boxes with a red outline
  std::vector<std::uint8_t> cut_wire;  // wires that are drawn as cut, in red
  double low = 0, high = 1;            // ends of the scale
  std::vector<std::string> classes;    // of dtype and family: their names, value is the index
  std::uint32_t now_box = layout::kNone;
  bool filtered = false;
};

struct SceneInput {
  const GraphPicture* picture = nullptr;
  int program = 0;
  const Snapshot* snapshot = nullptr;
  const StepAtCursor* step = nullptr;
  std::uint32_t now_op = kNoOp, now_backward_step = kNoOp;
  const FrameView* frame = nullptr;  // while paused
  GraphColour colour = GraphColour::backward_cost;
  std::string filter;
};
GraphScene make_scene(const SceneInput& input);

}  // namespace tapescope::ui

// One op, tensor or gradient in detail: header, figures, cotangents in and out, what it used from the forward pass.
#pragma once
#include <optional>

#include "engine/tape/check_op.h"
#include "viewer/panels/panel.h"
#include "viewer/panels/step_at_cursor.h"
#include "viewer/panels/tensor_picture.h"

namespace tapescope::ui {

// A tensor to show, with its heading.
struct InspectedTensor {
  std::string heading;  // "cotangent in"
  std::string name;     // "d logits"
  Tensor value;         // absent: None
  TensorPicture picture;
};

struct InspectedInput {
  std::string name, shape, note;  // note: "saved, 32 KiB"
};

// All the inspector says about its subject; made when the subject changes, not on each draw.
struct Inspection {
  enum class Kind : std::uint8_t { nothing, op, source } kind = Kind::nothing;
  std::string title, subtitle, location;
  std::vector<std::pair<std::string, std::string>> chips;    // at most four: "time", "31.2 µs"
  std::vector<InspectedTensor> tensors;
  std::string inputs_heading;
  std::vector<InspectedInput> inputs;
  std::vector<std::pair<std::string, std::string>> facts;    // "recorded", "yes"
  std::string message, fix;                                  // why a gradient is None or zero
  std::vector<float> norms;                                  // of a source, over steps
  std::uint32_t op = kNoOp;
  bool at_cursor = false;  // the paused program stands there
};

// An op of a step. With `frame` it is the one the program is paused at, and its tensors are real.
Inspection inspect_op(const StepAtCursor& step, std::uint32_t op, const FrameView* frame);
// The op the program is paused at inside a function's call: no step's table has it.
Inspection inspect_inside(const FrameView& frame);
// A source's gradient; `gradient` is its value where it is known.
Inspection inspect_source(const GradientRow& row, const Tensor& gradient);

class InspectorPanel final : public Panel {
 public:
  std::string_view id() const override { return "inspector"; }
  std::string_view title() const override { return "Inspector"; }
  Place place() const override { return Place::right; }
  // A comparison shows what differs there, until an op is selected.
  bool shown(const PanelContext& c) const override {
    return !c.comparing() || c.state.selection().kind == Selection::Kind::op;
  }
  std::string badge(const PanelContext& c) const override;
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  struct Key {
    const StepView* view = nullptr;
    std::uint64_t hash = 0, version = 0;
    std::uint32_t op = kNoOp;
    Selection selection;
    bool operator==(const Key&) const = default;
  };
  void refresh(PanelContext& c);
  void draw_head(PanelContext& c);
  void draw_tensor(PanelContext& c, std::size_t index);

  void draw_check(PanelContext& c);

  Inspection inspection_;
  std::shared_ptr<const FrameView> frame_;  // the program is paused at what is inspected
  std::optional<OpCheck> check_;            // of that frame
  Key key_;
  OpInFocus focus_;
};

}  // namespace tapescope::ui

// One op, tensor or gradient in detail: header, figures, cotangents in and out, what it used from the forward
// pass.
#pragma once
#include <map>
#include <optional>

#include "engine/tape/check_op.h"
#include "viewer/panels/step_at_cursor.h"
#include "viewer/panels/tensor_picture.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// A tensor to show, with its heading.
struct InspectedTensor {
  std::string heading;  // "cotangent in"
  std::string name;     // "d logits"
  Tensor value;         // absent: None
  TensorPicture picture;
  Tensor shown = value;                    // what the picture is of: the whole, or a slice
  std::vector<std::int64_t> leading = {};  // of a slice: an index for each axis but the last two
  std::int64_t first = 0;                  // where in the value what is shown begins
};

struct InspectedInput {
  std::string name, shape, note;  // note: "saved, 32 KiB"
};

// A tensor of the selected op as scripts read it.
struct OpValue {
  const char* role = "";  // input, output, cotangent_in, cotangent_out
  std::string name, shape, dtype;
  std::optional<TensorStats> stats;  // of its elements; nothing where they are not known, or it is None
  bool none = false;                 // no cotangent arrived
};

// The values of an op that are known where the program does not stand.
struct KnownValues {
  const FrameView* run = nullptr;   // its inputs and outputs
  const FrameView* walk = nullptr;  // of a backward op: the cotangents of its step
};

// Of frames that may be null.
std::vector<OpValue> values_of_frames(const FrameView* run, const FrameView* walk);

// What one op added to a gradient.
struct GradientPart {
  std::uint32_t op = kNoOp;  // forward op that used the source; kNoOp where that is not known
  std::string name, location;
  Tensor value;
  double norm = 0;
};

// What is known of a source beside its row; absent where it is not.
struct SourceValues {
  Tensor value;              // of the variable
  Tensor gradient, earlier;  // now, and of the step before
  std::vector<GradientPart> parts;
  std::string parts_note;
};
// Values at rest and at a stop. `view` names the ops of parts where their number leaves no doubt.
SourceValues source_values(const GradientRow& row, const FrameView* frame, const ProgramResult* result,
                           const StepView* view);

// A tensor that stays in sight while others are selected, and what it was over the steps at which the values
// of its op were known.
struct PinnedTensor {
  std::string op, heading, place;  // the op's readable name, "cotangent in 1"; "op 7, step 3"
  std::string name;                // of the tensor
  InspectedTensor tensor;          // as it was last
  std::int64_t element = -1;       // whose history is kept; -1: none
  struct Point {
    std::uint64_t step = 0;
    double norm = 0, element = 0;
  };
  std::vector<Point> history;  // by step
};
// Takes the tensor of that heading over from an inspection of the pinned one's op in that step; false where
// it is of another op or has no values.
struct Inspection;
bool update_pinned(PinnedTensor& pinned, const Inspection& inspection, std::uint64_t step,
                   std::string_view step_text);

// All the inspector says about its subject; made when the subject changes, not on each draw.
struct Inspection {
  enum class Kind : std::uint8_t { nothing, op, source } kind = Kind::nothing;
  std::string title, subtitle, location;
  std::vector<std::pair<std::string, std::string>> chips;  // at most four: "time", "31.2 µs"
  std::vector<InspectedTensor> tensors;
  std::string inputs_heading;
  std::vector<InspectedInput> inputs;
  std::vector<std::pair<std::string, std::string>> facts;  // "recorded", "yes"
  std::string message, fix;         // why a gradient is None or zero; what a selected alert says
  std::vector<float> norms;         // of a source, over steps
  std::vector<GradientPart> parts;  // of a source: what was added to its gradient so far
  std::string parts_note;           // why there are none
  std::uint32_t op = kNoOp;
  std::string_view type;   // of the op, "MatMul"
  bool backward = false;   // it runs on the way back
  std::string name;        // of the op, unique within its step
  std::string number;      // of the op as the cursor counts, "op 21"; empty for what is no tape node
  bool at_cursor = false;  // the paused program stands there
  std::vector<OpValue> values;
  std::string unread;       // why it has no tensors; empty where it has, or they can be read
  bool can_read = false;    // by running the step once more
  std::int64_t go_to = -1;  // the place at which it would have them
};

// An op of a step. With `frame` it is the one the program is paused at, and its tensors are real.
// With `roof` its rate is held against what the machine can do.
// Else `known` may have some.
Inspection inspect_op(const StepAtCursor& step, std::uint32_t op, const FrameView* frame,
                      const MachineRoof* roof = nullptr, const KnownValues& known = {});
// The op the program is paused at inside a function's call: no step's table has it.
Inspection inspect_inside(const FrameView& frame);
// A source's gradient, beside its value. Steps are called from `step_base` on (Snapshot::step_base).
Inspection inspect_source(const GradientRow& row, SourceValues values, std::uint64_t step_base = 0);

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
  std::vector<SampleOutput> tensors() const override;
  const std::vector<OpValue>& values() const { return inspection_.values; }

 private:
  struct Key {
    const StepView* view = nullptr;
    std::uint64_t step = 0;  // of the view: another one may lie where a former one did
    std::pair<std::uint64_t, std::uint64_t> generations;
    std::uint64_t hash = 0, version = 0;
    std::uint32_t op = kNoOp;
    Selection selection;
    bool roof = false;
    std::shared_ptr<const KeptFrames> kept;
    std::string unread;
    std::int64_t read_from = 0;  // where a program that cannot go back would begin to read
    bool operator==(const Key&) const = default;
  };
  void refresh(PanelContext& c);
  void draw_head(PanelContext& c);
  void draw_check(PanelContext& c);
  // --- inspector_values.cpp
  KnownValues known_of(const std::shared_ptr<const StepView>& view, std::uint32_t op);
  void explain_unread(const StepView& view, std::uint32_t op);
  void draw_unread(PanelContext& c);
  void draw_times(PanelContext& c);
  // --- inspector_tensors.cpp
  void picture_again(InspectedTensor& tensor);
  void draw_tensors(PanelContext& c);
  // `brief`: its heat map stands elsewhere.
  void draw_tensor(PanelContext& c, std::size_t index, bool brief);
  void draw_map(PanelContext& c, const std::string& id, const InspectedTensor& tensor, float room);
  void draw_pair(PanelContext& c);
  void draw_choices(PanelContext& c);
  void draw_slices(PanelContext& c, std::size_t index);
  void draw_element(PanelContext& c);
  void draw_parts(PanelContext& c);
  // --- inspector_pinned.cpp
  void draw_pin(PanelContext& c, std::size_t tensor);
  void pin(const PanelContext& c, std::size_t tensor);
  void watch_pinned(PanelContext& c, const StepAtCursor& step, const FrameView* frame,
                    std::uint32_t at_cursor, std::uint32_t walk);
  void draw_pinned(PanelContext& c);

  ValueRange range_ = ValueRange::linear;
  std::int64_t chosen_ = -1;  // the element looked at, of what is shown
  std::map<std::string, std::vector<std::int64_t>>
      slices_;  // by heading: which one is looked at; absent: the whole
  Inspection inspection_;
  std::optional<PinnedTensor> pinned_;
  std::pair<std::uint64_t, std::uint64_t> pinned_of_;  // the programs shown when it was pinned
  std::uint64_t shown_step_ = 0;                       // that the inspection is of
  std::shared_ptr<const FrameView> frame_;             // the program is paused at what is inspected
  std::optional<OpCheck> check_;                       // of that frame
  Key key_;
  OpInFocus focus_;
  // Which frames show which op, of the step and the frames last asked.
  std::weak_ptr<const StepView> framed_view_;
  std::weak_ptr<const KeptFrames> framed_kept_;
  std::vector<OpFrames> framed_;
};

}  // namespace tapescope::ui

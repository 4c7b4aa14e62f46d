// The program's file at the line that is looked at: what each line costs, what is wrong there, where the
// program stops.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "viewer/model/line_costs.h"
#include "viewer/panels/step_at_cursor.h"
#include "viewer/store/source_text.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// What is wrong on a line: the alert's or gradient's own words.
struct LineMark {
  std::string text;
  bool grave = false;  // None, or not finite
};
std::map<std::uint32_t, LineMark> line_marks(const Snapshot& snapshot, std::string_view file);

// The place that is looked at: of the selection, else of the cursor, else of the first alert, None or zero,
// else of the op that costs most. Empty where nothing ran.
std::string place_looked_at(const Snapshot* snapshot, const StepAtCursor& step, const Selection& selection,
                            std::uint32_t op_in_focus);

class SourcePanel final : public Panel {
 public:
  std::string_view id() const override { return "source"; }
  std::string_view title() const override { return "Source"; }
  Place place() const override { return Place::bottom; }
  void draw_header(PanelContext& c) override;
  void draw(PanelContext& c) override;
  // Number, forward and backward µs, text.
  std::string text(const PanelContext&) const override;

 private:
  void refresh(PanelContext& c);
  void draw_line(PanelContext& c, std::uint32_t line);

  // What decides which place is looked at, and that place: to find it takes a look at all ops.
  struct Looked {
    const void* view = nullptr;  // which, not to be read
    std::uint64_t version = 0;
    std::pair<std::uint64_t, std::uint64_t> generations{};
    Selection selection;
    std::uint32_t op_in_focus = kNoOp;
    SiteId inside = 0;
    bool operator==(const Looked&) const = default;
  };

  OpInFocus focus_, cursor_;
  Looked looked_;
  std::string looked_at_;
  SourceFile file_;
  std::string name_, place_;  // the file's name, and "file:line"
  std::uint32_t line_ = 0;    // that is looked at
  std::uint32_t at_cursor_ = 0;
  std::map<std::uint32_t, LineCost> costs_;
  std::map<std::uint32_t, LineMark> marks_;
  double most_us_ = 0;
  std::weak_ptr<const StepView> view_;
  std::uint64_t version_ = 0;
  std::pair<std::uint64_t, std::uint64_t> generations_{};
  bool scroll_ = false;  // the line is to come into view
};

}  // namespace tapescope::ui

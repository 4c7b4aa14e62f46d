// The scope tree with costs; folded as the graph is, and a click moves the graph.
#pragma once
#include "viewer/model/op_medians.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

struct OutlineRow {
  std::string name;
  std::uint64_t key = 0;     // of the scope, as in the user's folds; 0 for an op
  std::uint32_t op = kNoOp;  // an op, or the scope's first one
  int depth = 0;
  std::uint32_t ops = 0;
  double us = 0, backward_us = 0;
  bool has_children = false;
  std::uint32_t next = 0;  // the row after its last child
};
// Scopes in the order of their first op, each followed by its ops and scopes; times are the ops' medians.
// Linear.
std::vector<OutlineRow> make_outline(const StepView& view, const OpMedians& medians);

class OutlinePanel final : public Panel {
 public:
  std::string_view id() const override { return "outline"; }
  std::string_view title() const override { return "Outline"; }
  Place place() const override { return Place::bottom; }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  std::vector<OutlineRow> rows_;
  std::vector<std::uint32_t> open_;  // indices of the rows that are seen
  std::weak_ptr<const StepView> view_;
};

}  // namespace tapescope::ui

// What differs between A and B: whether they compute the same, a table of figures, the ops only one of them
// has.
#pragma once
#include "viewer/model/compared.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

struct DifferenceRow {
  std::string label, a, b, change;  // change: "-44 %", "-2"; empty when equal
  bool more = false;                // B has more of it
};
struct OnlyRow {
  int program = 0;
  std::uint32_t op = kNoOp;
  std::string name, figure;
};
// An op that both have, with what it takes as a rule.
struct CostRow {
  std::uint32_t a = kNoOp, b = kNoOp;
  std::string name;
  double a_us = 0, b_us = 0;  // medians of the last steps that ran the same ops
};
struct Differences {
  bool known = false;  // whether they compute the same (at rest)
  Compared compared = Compared::elements;
  bool same = false;
  bool interleaved = true;  // else each was measured in a separate run
  std::string verdict, detail;
  std::vector<DifferenceRow> rows;
  std::vector<OnlyRow> only;   // the slowest first
  std::vector<CostRow> costs;  // those whose times differ most first
};
// `result` is null while it is not known. Without `interleaved` A and B ran apart.
Differences find_differences(const Snapshot& a, const Snapshot& b, const ComparisonResult* result,
                             bool interleaved = true);
std::string differences_markdown(const Differences& differences);

class DiffersPanel final : public Panel {
 public:
  std::string_view id() const override { return "differs"; }
  std::string_view title() const override { return "What differs"; }
  Place place() const override { return Place::right; }
  bool shown(const PanelContext& c) const override {
    return c.comparing() && c.state.selection().kind != Selection::Kind::op;
  }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext&) const override { return differences_markdown(differences_); }

 private:
  void draw_table(PanelContext& c) const;
  void draw_only(PanelContext& c, int program) const;
  void draw_costs(PanelContext& c) const;

  Differences differences_;
  std::uint64_t version_[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};
  RunMode mode_[2] = {RunMode::idle, RunMode::idle};
};

}  // namespace tapescope::ui

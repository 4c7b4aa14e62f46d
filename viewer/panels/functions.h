// Traced functions: calls, traces, why each was traced again, and what the optimizer did to each of their
// graphs.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// One line of the list. Indices are into the snapshot's functions, and of what the kind says.
struct FunctionsLine {
  enum class Kind : std::uint8_t { function, retrace, loop, graph, fused, pass, rewrite, hint, note } kind;
  std::size_t function = 0, graph = 0, item = 0;
};

// A graph's place among the open ones: "train_step/0".
std::string graph_key(const FunctionRow& function, std::size_t graph);
// "machine code, 6.2 KiB, made in 8.1 ms"
std::string code_words(const FusedLoopAccount& loop);
// "Mul 31 %, Tanh 69 %": members with their share, each measured alone.
std::string members_words(const FusedLoopAccount& loop);
// Every function with its retraces, unrolled loops and graphs; of graphs in `open` the fused loops, the
// passes that changed something, the rewrites and the hints, those that match the filter.
std::vector<FunctionsLine> functions_lines(const std::vector<FunctionRow>& functions,
                                           const std::set<std::string>& open, std::string_view filter);
// All of it, line by line with tabs, and as a table with one row a retrace, unrolled loop, pass, rewrite and
// hint.
std::string functions_plain(const std::vector<FunctionRow>& functions);
std::string functions_csv(const std::vector<FunctionRow>& functions);

class FunctionsPanel final : public Panel {
 public:
  std::string_view id() const override { return "functions"; }
  std::string_view title() const override { return "Functions"; }
  Place place() const override { return Place::bottom; }
  std::string badge(const PanelContext& c) const override;  // retraces
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;
  bool has_csv() const override { return true; }
  std::string csv(const PanelContext&) const override { return functions_csv(rows_); }

 private:
  void refresh(const PanelContext& c);
  void draw_line(PanelContext& c, const FunctionsLine& line);
  void draw_function(PanelContext& c, const FunctionRow& f, const FunctionsLine& line);
  void draw_retrace(PanelContext& c, std::string_view function, const Retrace& r);
  void draw_loop(PanelContext& c, const UnrolledLoopRow& loop);
  void draw_graph(PanelContext& c, const FunctionRow& f, const FunctionsLine& line);
  void draw_fused(PanelContext& c, const FusedLoopAccount& loop);
  void draw_pass(PanelContext& c, const PassAccount& pass);
  void draw_rewrite(PanelContext& c, const FunctionsLine& line, const RewriteAccount& rewrite);

  std::set<std::string> open_;
  std::vector<FunctionRow> rows_;  // of A, then of B
  std::vector<FunctionsLine> lines_;
  std::size_t of_b_ = 0;  // rows from here on are B's
  std::uint64_t version_ = 0, other_version_ = 0;
  std::string filter_;
  bool stale_ = true;
};

}  // namespace tapescope::ui

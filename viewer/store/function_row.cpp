// Ticks to microseconds, places to text.
#include "viewer/store/function_row.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/core/names.h"
#include "engine/events/clock.h"

namespace tapescope {

FunctionRow function_row(const FunctionAccount& account) {
  FunctionRow row{.name = account.name,
                  .library = account.library,
                  .calls = account.calls,
                  .traces = account.traces,
                  .trace_us = microseconds(account.ticks),
                  .would_warn = !account.warnings.empty(),
                  .warnings = {},
                  .retraces = {},
                  .loops = {},
                  .runs = account.runs,
                  .run_us = microseconds(account.run_ticks),
                  .nodes = account.nodes,
                  .graphs = account.graphs,
                  .dropped_graphs = account.dropped_graphs};
  for (const auto& graph : account.graphs) {
    for (const FusedLoopAccount& loop : graph->loops) {
      ++row.fused_loops;
      row.machine_loops += loop.code == LoopCode::machine_code;
      row.compile_us += loop.microseconds;
      row.code_bytes += loop.bytes;
    }
  }
  for (const auto& warning : account.warnings)
    row.warnings.push_back({warning.call, warning.traced, warning.calls});
  const auto place = [](SiteId site) { return site ? location_text(site_with_id(site)) : std::string(); };
  for (const LoopAccount& loop : account.loops) {
    row.loops.push_back({loop.trace, loop.op, loop.rounds, loop.nodes, loop.trace_nodes, place(loop.site),
                         microseconds(loop.ticks)});
  }
  // What a library traces again its user cannot change.
  for (const RetraceReason& why : account.library ? std::vector<RetraceReason>() : account.retraces) {
    row.retraces.push_back({why.call, why.kind, why.argument, why.from, why.to, place(why.site), why.fix,
                            why.dimension, microseconds(why.ticks), why.served, why.relaxing_avoids,
                            why.signature_avoids});
  }
  return row;
}

std::string change_of(const Retrace& retrace) {
  if (retrace.kind == "new_function")
    return fmt::format("{} was made again{}{}", retrace.argument, retrace.to.empty() ? "" : " at ",
                       retrace.to);
  if (retrace.kind == "aliasing")
    return fmt::format("{} is the variable of another argument in one call alone", retrace.argument);
  return fmt::format("{} went from {} to {}", retrace.argument, retrace.from, retrace.to);
}

RetraceCauses causes_of(std::span<const Retrace* const> retraces) {
  struct Cause {
    const Retrace* last = nullptr;
    std::set<std::string_view> values;
  };
  std::vector<Cause> causes;
  for (const Retrace* retrace : retraces) {
    auto same = std::ranges::find_if(causes, [&](const Cause& cause) {
      return cause.last->kind == retrace->kind && cause.last->argument == retrace->argument;
    });
    if (same == causes.end()) same = causes.insert(causes.end(), Cause{});
    same->last = retrace;
    same->values.insert(retrace->to);
  }
  if (causes.empty()) return {};
  std::ranges::sort(causes, [](const Cause& a, const Cause& b) {
    return a.values.size() != b.values.size() ? a.values.size() > b.values.size()
                                              : a.last->call > b.last->call;
  });
  const Retrace& main = *causes[0].last;
  RetraceCauses found{.main = &main, .text = change_of(main), .fix = main.fix};
  if (causes.size() == 1) return found;
  const Retrace& other = *causes[1].last;
  found.text += fmt::format(", and at other times because {}", change_of(other));
  if (other.fix != main.fix) found.fix += fmt::format("; {}", other.fix);
  return found;
}

}  // namespace tapescope

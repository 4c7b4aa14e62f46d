// The report as records: a heading for each graph, its passes in order, each with its rewrites.
#include "engine/graph/optimize_records.h"

#include "engine/events/function_records.h"
#include "engine/gate/state.h"

namespace tapescope {

void note_optimization(const OptimizeReport& report, GraphOwner owner) {
  ThreadState& ts = state();
  if (owner.function == 0 || (ts.listen.load(std::memory_order_relaxed) & kListenEvents) == 0) return;
  // Written as they are: note() would take z for an order stamp where it is 0.
  const auto write = [&](const Record& record) { ts.writer.write(record); };
  NameId heading = 0;
  std::size_t rewrite = 0, hint = 0;
  for (const PassReport& pass : report.passes) {
    if (pass.graph != heading) {
      heading = pass.graph;
      write({.kind = RecordKind::graph_pass,
             .h = kHeadingRound,
             .b = heading,
             .x = owner.function | std::uint64_t{owner.trace} << 32});
    }
    write({.kind = RecordKind::graph_pass,
           .a = pass.off,
           .h = static_cast<std::uint16_t>(pass.round),
           .b = intern_name(name_of(pass.pass)),
           .x = pass.before.nodes | std::uint64_t{pass.after.nodes} << 32,
           .y = float_halves(pass.before.bytes, pass.after.bytes),
           .z = float_halves(pass.before.flops, pass.after.flops)});
    for (; rewrite < pass.rewrites; ++rewrite) {
      const Rewrite& done = report.rewrites[rewrite];
      write({.kind = RecordKind::rewrite,
             .a = static_cast<std::uint8_t>(done.kind),
             .b = intern_name(done.rule),
             .x = intern_name(done.before) | std::uint64_t{intern_name(done.after)} << 32,
             .y = done.site});
    }
    for (; hint < pass.hints; ++hint) {
      const RecomputationHint& found = report.hints[hint];
      write({.kind = RecordKind::rewrite,
             .a = kRecomputationHint,
             .b = intern_name("recompute"),
             .x = intern_name(found.op),
             .y = found.site,
             .z = float_halves(found.bytes, found.flops)});
    }
  }
}

}  // namespace tapescope

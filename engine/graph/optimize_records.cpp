// The report as records: a heading for each graph, its passes in order, each with its rewrites.
#include "engine/graph/optimize_records.h"

#include "engine/events/records/graphs.h"
#include "engine/gate/state.h"

namespace tapescope {

void note_optimization(const OptimizeReport& report, GraphOwner owner) {
  ThreadState& ts = state();
  if (owner.function == 0 || (ts.listen.load(std::memory_order_relaxed) & kListenEvents) == 0) return;
  NameId heading = 0;
  std::size_t rewrite = 0, hint = 0;
  for (const PassReport& pass : report.passes) {
    if (pass.graph != heading) {
      heading = pass.graph;
      ts.writer.write(GraphRecord{.name = heading, .function = owner.function, .trace = owner.trace});
    }
    ts.writer.write(GraphPassRecord{.off = pass.off,
                                    .round = static_cast<std::uint16_t>(pass.round),
                                    .pass = intern_name(name_of(pass.pass)),
                                    .nodes_before = pass.before.nodes,
                                    .nodes_after = pass.after.nodes,
                                    .bytes_before = static_cast<float>(pass.before.bytes),
                                    .bytes_after = static_cast<float>(pass.after.bytes),
                                    .flops_before = static_cast<float>(pass.before.flops),
                                    .flops_after = static_cast<float>(pass.after.flops)});
    for (; rewrite < pass.rewrites; ++rewrite) {
      const Rewrite& done = report.rewrites[rewrite];
      ts.writer.write(RewriteRecord{.what = done.kind,
                                    .rule = intern_name(done.rule),
                                    .before = intern_name(done.before),
                                    .after = intern_name(done.after),
                                    .site = done.site});
    }
    for (; hint < pass.hints; ++hint) {
      const RecomputationHint& found = report.hints[hint];
      ts.writer.write(RecomputationHintRecord{.op = intern_name(found.op),
                                              .site = found.site,
                                              .bytes = static_cast<float>(found.bytes),
                                              .flops = static_cast<float>(found.flops)});
    }
  }
}

}  // namespace tapescope

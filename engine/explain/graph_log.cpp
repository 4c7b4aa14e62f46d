// Headings open a graph; what follows on the same thread belongs to it.
#include "engine/explain/graph_log.h"

#include "engine/events/function_records.h"

namespace tapescope {

std::string_view name_of(RewriteKind kind) {
  switch (kind) {
    case RewriteKind::bit_exact: return "bit_exact";
    case RewriteKind::reassociating: return "reassociating";
    case RewriteKind::nan_discarding: return "nan_discarding";
  }
  return "unknown";  // of a recording that is newer
}

void GraphLog::close(Open& open) {
  if (!open.graph) return;
  Group& of = groups_[open.group];
  of.graphs.push_back(open.shown ? std::move(open.shown)
                                 : std::make_shared<const GraphAccount>(std::move(*open.graph)));
  if (of.graphs.size() > kMostGraphs) {
    of.graphs.pop_front();
    ++of.dropped;
  }
  open = {};
}

void GraphLog::add(std::uint32_t thread, const Record& record, std::size_t group) {
  if (record.kind != RecordKind::graph_pass && record.kind != RecordKind::rewrite) return;
  Open& open = open_[thread];
  if (record.kind == RecordKind::graph_pass && record.h == kHeadingRound) {
    close(open);
    open.group = group;
    open.graph.emplace();
    open.graph->name = name_text(record.b);
    open.graph->function = static_cast<std::uint32_t>(record.x);
    open.graph->trace = static_cast<std::uint32_t>(record.x >> 32);
    return;
  }
  if (!open.graph) return;  // its heading was lost
  open.shown.reset();
  GraphAccount& graph = *open.graph;
  if (record.kind == RecordKind::graph_pass) {
    graph.passes.push_back(
        {.pass = name_text(record.b),
         .round = record.h,
         .off = record.a != 0,
         .before = {static_cast<std::uint32_t>(record.x), low_float(record.y), low_float(record.z)},
         .after = {static_cast<std::uint32_t>(record.x >> 32), high_float(record.y), high_float(record.z)}});
  } else if (record.a == kRecomputationHint) {
    graph.hints.push_back({.op = name_text(static_cast<NameId>(record.x)),
                           .bytes = low_float(record.z),
                           .flops = high_float(record.z),
                           .site = static_cast<SiteId>(record.y)});
  } else if (!graph.passes.empty()) {
    graph.rewrites.push_back({.pass = graph.passes.back().pass,
                              .round = graph.passes.back().round,
                              .rule = name_text(record.b),
                              .kind = static_cast<RewriteKind>(record.a),
                              .before = name_text(static_cast<NameId>(record.x)),
                              .after = name_text(static_cast<NameId>(record.x >> 32)),
                              .site = static_cast<SiteId>(record.y)});
  }
}

GraphLog::Graphs GraphLog::graphs(std::size_t group) const {
  Graphs found;
  if (const auto of = groups_.find(group); of != groups_.end()) {
    found.kept.assign(of->second.graphs.begin(), of->second.graphs.end());
    found.dropped = of->second.dropped;
  }
  for (const auto& [thread, open] : open_) {
    if (!open.graph || open.group != group) continue;
    if (!open.shown) open.shown = std::make_shared<const GraphAccount>(*open.graph);
    found.kept.push_back(open.shown);
  }
  return found;
}

}  // namespace tapescope

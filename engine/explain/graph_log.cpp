// Headings open a graph; what follows on the same thread belongs to it.
#include "engine/explain/graph_log.h"

namespace tapescope {

std::string_view name_of(RewriteKind kind) {
  switch (kind) {
    case RewriteKind::bit_exact: return "bit_exact";
    case RewriteKind::reassociating: return "reassociating";
    case RewriteKind::nan_discarding: return "nan_discarding";
  }
  return "unknown";  // of a recording that is newer
}

std::string_view name_of(LoopCode code) {
  switch (code) {
    case LoopCode::interpreter: return "interpreter";
    case LoopCode::waiting: return "waiting";
    case LoopCode::machine_code: return "machine_code";
  }
  return "unknown";  // of a recording that is newer
}

template <class R, class Change>
void GraphLog::change(const R& record, std::size_t group, Change change) {
  const auto is_it = [&](const GraphAccount& graph) {
    return graph.function == record.function && graph.trace == record.trace &&
           graph.name == name_text(record.graph);
  };
  for (auto& [thread, open] : open_) {
    if (!open.graph || !is_it(*open.graph)) continue;
    open.shown.reset();
    return change(*open.graph);
  }
  const auto of = groups_.find(group);
  if (of == groups_.end()) return;
  for (auto graph = of->second.graphs.rbegin(); graph != of->second.graphs.rend(); ++graph) {
    if (!is_it(**graph)) continue;
    auto changed = std::make_shared<GraphAccount>(**graph);
    change(*changed);
    *graph = std::move(changed);
    return;
  }
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
  Open& open = open_[thread];
  if (record.is<GraphRecord>()) {
    const auto graph = record.as<GraphRecord>();
    close(open);
    open.group = group;
    open.graph.emplace();
    open.graph->name = name_text(graph.name);
    open.graph->function = graph.function;
    open.graph->trace = graph.trace;
    return;
  }
  if (record.is<FusedLoopRecord>()) {
    const auto loop = record.as<FusedLoopRecord>();
    return change(loop, group, [&](GraphAccount& graph) {
      if (loop.loop != graph.loops.size()) return;  // one before it was lost
      graph.loops.push_back({.op = op_name_text(static_cast<OpNameId>(loop.op)), .site = loop.site});
    });
  }
  if (record.is<LoopMemberRecord>()) {
    const auto member = record.as<LoopMemberRecord>();
    return change(member, group, [&](GraphAccount& graph) {
      if (member.loop >= graph.loops.size()) return;
      graph.loops[member.loop].members.push_back(
          {op_name_text(static_cast<OpNameId>(member.op)), member.site, member.share});
    });
  }
  if (record.is<LoopCodeRecord>()) {
    const auto code = record.as<LoopCodeRecord>();
    return change(code, group, [&](GraphAccount& graph) {
      if (code.loop >= graph.loops.size()) return;
      FusedLoopAccount& loop = graph.loops[code.loop];
      loop.code = code.code;
      loop.why = code.why == 0 ? std::string_view() : name_text(code.why);
      loop.bytes = code.bytes;
      loop.microseconds = code.microseconds;
    });
  }
  if (!open.graph) return;  // its heading was lost
  open.shown.reset();
  GraphAccount& graph = *open.graph;
  switch (record.kind) {
    case GraphPassRecord::kKind: {
      const auto pass = record.as<GraphPassRecord>();
      graph.passes.push_back({.pass = name_text(pass.pass),
                              .round = pass.round,
                              .off = pass.off != 0,
                              .before = {pass.nodes_before, pass.bytes_before, pass.flops_before},
                              .after = {pass.nodes_after, pass.bytes_after, pass.flops_after}});
      break;
    }
    case RecomputationHintRecord::kKind: {
      const auto hint = record.as<RecomputationHintRecord>();
      graph.hints.push_back(
          {.op = name_text(hint.op), .bytes = hint.bytes, .flops = hint.flops, .site = hint.site});
      break;
    }
    case RewriteRecord::kKind: {
      if (graph.passes.empty()) break;
      const auto rewrite = record.as<RewriteRecord>();
      graph.rewrites.push_back({.pass = graph.passes.back().pass,
                                .round = graph.passes.back().round,
                                .rule = name_text(rewrite.rule),
                                .kind = rewrite.what,
                                .before = name_text(rewrite.before),
                                .after = name_text(rewrite.after),
                                .site = rewrite.site});
      break;
    }
    default: break;
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

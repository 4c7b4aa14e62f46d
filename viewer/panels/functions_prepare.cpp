// What the Functions panel lists, as lines and as text.
#include <algorithm>

#include <fmt/format.h>

#include "viewer/model/csv.h"
#include "viewer/panels/functions.h"
#include "viewer/panels/op_filter.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

bool changed(const PassAccount& pass) {
  return pass.off || pass.before.nodes != pass.after.nodes || pass.before.bytes != pass.after.bytes ||
         pass.before.flops != pass.after.flops;
}

std::string rewrite_words(const RewriteAccount& r) {
  return fmt::format("{} {} {} {} {} {}", r.pass, r.rule, name_of(r.kind), r.before, r.after,
                     location_text(site_with_id(r.site)));
}

std::string pass_figures(const PassAccount& pass, std::string_view between) {
  return fmt::format("{}{}{}{}{:.6g}{}{:.6g}{}{:.6g}{}{:.6g}", pass.before.nodes, between, pass.after.nodes,
                     between, pass.before.bytes, between, pass.after.bytes, between, pass.before.flops,
                     between, pass.after.flops);
}

}  // namespace

std::string code_words(const FusedLoopAccount& loop) {
  if (loop.code != LoopCode::machine_code)
    return fmt::format("interpreter: {}", loop.why.empty() ? "nothing is known of its code" : loop.why);
  const std::string made =
      loop.microseconds > 0 ? "made in " + format_us(loop.microseconds) : "shared with an equal loop";
  return fmt::format("machine code, {}, {}", format_bytes(loop.bytes), made);
}

std::string members_words(const FusedLoopAccount& loop) {
  std::string words;
  for (const MemberAccount& member : loop.members)
    words += fmt::format("{}{} {:.0f} %", words.empty() ? "" : ", ", member.op, member.share * 100);
  return words;
}

std::string graph_key(const FunctionRow& function, std::size_t graph) {
  return fmt::format("{}/{}", function.name, graph);
}

std::vector<FunctionsLine> functions_lines(const std::vector<FunctionRow>& functions,
                                           const std::set<std::string>& open, std::string_view filter) {
  using Kind = FunctionsLine::Kind;
  const OpFilter wanted(filter);
  std::vector<FunctionsLine> lines;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const FunctionRow& row = functions[f];
    lines.push_back({Kind::function, f});
    for (std::size_t r = 0; r < row.retraces.size(); ++r) lines.push_back({Kind::retrace, f, 0, r});
    for (std::size_t l = 0; l < row.loops.size(); ++l) lines.push_back({Kind::loop, f, 0, l});
    for (std::size_t g = 0; g < row.graphs.size(); ++g) {
      lines.push_back({Kind::graph, f, g});
      if (!open.contains(graph_key(row, g))) continue;
      const GraphAccount& graph = *row.graphs[g];
      const std::size_t before = lines.size();
      for (std::size_t i = 0; i < graph.loops.size(); ++i) {
        if (wanted.empty() || wanted.matches_text(members_words(graph.loops[i])))
          lines.push_back({Kind::fused, f, g, i});
      }
      for (std::size_t i = 0; i < graph.passes.size(); ++i) {
        if (changed(graph.passes[i]) && wanted.matches_text(graph.passes[i].pass))
          lines.push_back({Kind::pass, f, g, i});
      }
      for (std::size_t i = 0; i < graph.rewrites.size(); ++i) {
        if (wanted.empty() || wanted.matches_text(rewrite_words(graph.rewrites[i])))
          lines.push_back({Kind::rewrite, f, g, i});
      }
      for (std::size_t i = 0; i < graph.hints.size(); ++i) {
        if (wanted.matches_text(graph.hints[i].op)) lines.push_back({Kind::hint, f, g, i});
      }
      if (lines.size() == before) lines.push_back({Kind::note, f, g});
    }
  }
  return lines;
}

std::string functions_plain(const std::vector<FunctionRow>& functions) {
  std::string text;
  for (const FunctionRow& f : functions) {
    text += fmt::format("{}\t{} calls\t{} traces\t{}\n", f.name, f.calls, f.traces, format_us(f.trace_us));
    for (const RetraceWarning& w : f.warnings)
      text += fmt::format("  TensorFlow warns at call {}\t{} of the last {} calls traced\n", w.call, w.traced,
                          w.calls);
    for (const Retrace& r : f.retraces) {
      text += fmt::format("  call {}\t{}\t{}\t{} -> {}\t{}\t{}\n", r.call, r.kind, r.argument, r.from, r.to,
                          r.location, r.fix);
    }
    for (const UnrolledLoopRow& loop : f.loops) {
      text += fmt::format("  trace {}\tunrolled loop\t{} rounds\t{} of {} nodes\t{}\t{}\n", loop.trace,
                          loop.rounds, loop.nodes, loop.trace_nodes, loop.op, loop.location);
    }
    for (const auto& graph : f.graphs) {
      text += fmt::format("  {}\ttrace {}\t{} -> {} nodes\t{} -> {}\t{} -> {} FLOP\n", graph->name,
                          graph->trace, graph->before().nodes, graph->after().nodes,
                          format_bytes(graph->before().bytes), format_bytes(graph->after().bytes),
                          format_count(graph->before().flops), format_count(graph->after().flops));
      for (const FusedLoopAccount& loop : graph->loops) {
        text += fmt::format("    {}\t{}\t{}\t{}\n", loop.op, code_words(loop), members_words(loop),
                            location_text(site_with_id(loop.site)));
      }
      for (const PassAccount& pass : graph->passes) {
        text += fmt::format("    {}\tround {}\t{}\n", pass.pass, pass.round,
                            pass.off ? "off" : pass_figures(pass, "\t"));
      }
      for (const RewriteAccount& r : graph->rewrites) {
        text += fmt::format("    {}\t{}\t{} -> {}\t{}\n", r.rule, name_of(r.kind), r.before, r.after,
                            location_text(site_with_id(r.site)));
      }
      for (const RecomputeAccount& hint : graph->hints) {
        text +=
            fmt::format("    recompute\t{}\tkeeps {}\tcosts {} FLOP\t{}\n", hint.op, format_bytes(hint.bytes),
                        format_count(hint.flops), location_text(site_with_id(hint.site)));
      }
    }
  }
  return text;
}

std::string functions_csv(const std::vector<FunctionRow>& functions) {
  std::string csv =
      "function,what,graph,trace,round,name,mark,before,after,nodes_before,nodes_after,bytes_before,bytes_"
      "after,flops_before,flops_after,location\n";
  for (const FunctionRow& f : functions) {
    const std::string name = csv_field(f.name);
    for (const Retrace& r : f.retraces) {
      csv += fmt::format("{},retrace,,,{},{},{},{},{},,,,,,,{}\n", name, r.call, csv_field(r.argument),
                         r.kind, csv_field(r.from), csv_field(r.to), r.location);
    }
    for (const UnrolledLoopRow& loop : f.loops) {
      csv += fmt::format("{},unrolled_loop,,{},{},{},,,,{},{},,,,,{}\n", name, loop.trace, loop.rounds,
                         loop.op, loop.nodes, loop.nodes / std::max(loop.rounds, 1u), loop.location);
    }
    for (const auto& graph : f.graphs) {
      const auto begin = [&](std::string_view what) {
        return fmt::format("{},{},{},{},", name, what, csv_field(graph->name), graph->trace);
      };
      for (const FusedLoopAccount& loop : graph->loops) {
        csv += begin("fused_loop") + fmt::format(",{},{},{},{},,,,,,,{}\n", loop.op, name_of(loop.code),
                                                 csv_field(members_words(loop)), csv_field(code_words(loop)),
                                                 location_text(site_with_id(loop.site)));
      }
      for (const PassAccount& pass : graph->passes) {
        csv += begin("pass") + fmt::format("{},{},{},,,{},\n", pass.round, pass.pass, pass.off ? "off" : "",
                                           pass_figures(pass, ","));
      }
      for (const RewriteAccount& r : graph->rewrites) {
        csv += begin("rewrite") + fmt::format("{},{},{},{},{},,,,,,,{}\n", r.round, r.rule, name_of(r.kind),
                                              csv_field(r.before), csv_field(r.after),
                                              location_text(site_with_id(r.site)));
      }
      for (const RecomputeAccount& hint : graph->hints) {
        csv += begin("recompute") + fmt::format(",{},,,,,,{:.6g},0,0,{:.6g},{}\n", hint.op, hint.bytes,
                                                hint.flops, location_text(site_with_id(hint.site)));
      }
    }
  }
  return csv;
}

}  // namespace tapescope::ui

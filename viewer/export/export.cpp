// A step as CSV, Markdown or DOT.
#include "viewer/export/export.h"

#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "viewer/model/csv.h"

namespace tapescope {
namespace {

// For strings of DOT and JSON alike, which escape quotes, backslashes and control characters.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

std::string dot_node(const StepView& view, std::uint32_t i, std::string_view indent) {
  const OpRow& row = view.ops[i];
  const std::string_view style = row.direction == Direction::backward
                                     ? ", style=filled, fillcolor=\"#e8e8f8\""
                                 : row.recorded ? ""
                                                : ", style=dashed";
  return fmt::format("{}op{} [label=\"{}\\n{} · {:.1f} µs\"{}];\n", indent, i, escaped(row.name),
                     escaped(row.output_type), row.duration_us, style);
}

}  // namespace

std::string ops_csv(const StepView& view) {
  std::string out =
      "index,name,op,scope,direction,recorded,not_recorded,location,inputs,output,dtype,start_us,duration_us,"
      "flops,bytes,"
      "saved_bytes,forward_op\r\n";
  for (std::size_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.3f},{:.3f},{:.0f},{:.0f},{},{}\r\n", i,
                       csv_field(row.name), csv_field(row.op), csv_field(row.scope), name_of(row.direction),
                       row.recorded ? 1 : 0, csv_field(row.not_recorded), csv_field(row.location),
                       csv_field(row.types), csv_field(row.output_type), row.dtype, row.start_us,
                       row.duration_us, row.flops, row.bytes, row.saved_bytes,
                       row.partner == kNoOp ? std::string() : std::to_string(row.partner));
  }
  return out;
}

std::string graph_dot(const StepView& view) {
  std::string out = fmt::format(
      "digraph step{} {{\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n", view.step);
  for (std::size_t v = 0; v < view.variables.size(); ++v) {
    out += fmt::format("  var{} [label=\"{}\", shape=ellipse];\n", v, escaped(view.variables[v].name));
  }
  std::map<std::string_view, std::vector<std::uint32_t>> scopes;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) scopes[view.ops[i].scope].push_back(i);
  int cluster = 0;
  for (const auto& [scope, ops] : scopes) {
    if (scope.empty()) {
      for (std::uint32_t i : ops) out += dot_node(view, i, "  ");
      continue;
    }
    out += fmt::format("  subgraph cluster{} {{\n    label=\"{}\";\n", cluster++, escaped(scope));
    for (std::uint32_t i : ops) out += dot_node(view, i, "    ");
    out += "  }\n";
  }
  std::unordered_map<TensorId, std::size_t> variable_of;
  for (std::size_t v = 0; v < view.variables.size(); ++v) variable_of[view.variables[v].id] = v;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    for (std::uint32_t k = 0; k < row.inputs; ++k) {
      const std::uint32_t producer = view.producers[row.first_input + k];
      if (producer != kNoOp) {
        out += fmt::format("  op{} -> op{};\n", producer, i);
      } else if (const auto v = variable_of.find(view.inputs[row.first_input + k]); v != variable_of.end()) {
        out += fmt::format("  var{} -> op{};\n", v->second, i);
      }
    }
    if (row.partner != kNoOp) {
      out +=
          fmt::format("  op{} -> op{} [style=dotted, constraint=false, arrowhead=none];\n", row.partner, i);
    }
  }
  return out + "}\n";
}

std::string perfetto_json(const std::vector<ProcessTrace>& processes) {
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  bool first = true;
  const auto event = [&](const std::string& fields) {
    out += fmt::format("{}\n{{{}}}", first ? "" : ",", fields);
    first = false;
  };
  for (const ProcessTrace& process : processes) {
    if (!process.name.empty()) {
      event(fmt::format("\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":\"{}\"}}",
                        process.pid, escaped(process.name)));
    }
    const auto slice = [&](std::string_view name, std::string_view category, std::uint32_t thread,
                           double begin, double duration, const std::string& arguments) {
      event(fmt::format(
          "\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"name\":\"{}\",\"cat\":\"{}\","
          "\"args\":{{{}}}",
          process.pid, thread, process.offset_us + begin, duration, escaped(name), category, arguments));
    };
    for (const auto& step : process.steps) {
      const std::uint32_t home = step->ops.empty() ? 1 : step->ops.front().thread;
      slice(fmt::format("step {}", step->step + process.step_base), "step", home, step->begin_us,
            step->step_us, "");
      for (const GradientCall& call : step->calls) {
        if (call.duration_us > 0)
          slice("gradient", "backward", home, step->begin_us + call.start_us, call.duration_us, "");
      }
      for (const OpRow& row : step->ops) {
        slice(row.name, name_of(row.direction), row.thread, step->begin_us + row.start_us, row.duration_us,
              fmt::format(
                  "\"op\":\"{}\",\"shapes\":\"{}\",\"location\":\"{}\",\"recorded\":{},\"flops\":{:.0f}",
                  escaped(row.op), escaped(row.types), escaped(row.location), row.recorded, row.flops));
      }
    }
  }
  return out + "\n]}\n";
}

}  // namespace tapescope

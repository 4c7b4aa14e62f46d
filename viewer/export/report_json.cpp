// The JSON documents of the reports; the field names are fixed, fields may be added.
#include "viewer/export/report_json.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/explain/python_words.h"

namespace tapescope {
namespace {

Json quantiles_json(const Quantiles& q) {
  if (std::isnan(q.median)) return nullptr;
  return {{"median", json_number(q.median)},
          {"p10", json_number(q.p10)},
          {"p90", json_number(q.p90)},
          {"min", json_number(q.min)}};
}

Json ratio_json(const Ratio& ratio) {
  if (std::isnan(ratio.value)) return nullptr;
  return {{"value", json_number(ratio.value)},
          {"low", json_number(ratio.low)},
          {"high", json_number(ratio.high)}};
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json item_json(const PathItem& item) {
  if (item.op.empty() && item.name.empty()) return nullptr;
  return {{"op", item.op}, {"name", item.name}, {"location", text_or_null(item.location)}};
}

Json path_json(const std::vector<PathItem>& path) {
  Json list = Json::array();
  for (const PathItem& item : path) list.push_back(item_json(item));
  return list;
}

// The shortest decimal that reads back as the same float: 0.1, not 0.10000000149011612.
double shortest(double value, DType dtype) {
  if (dtype == DType::f64 || !is_floating(dtype) || !std::isfinite(value)) return value;
  return std::strtod(fmt::format("{}", static_cast<float>(value)).c_str(), nullptr);
}

Json nested(const Tensor& tensor, int axis, std::int64_t& next) {
  if (axis == tensor.rank()) {
    const double value = element_value(tensor, next++);
    if (is_integer(tensor.dtype())) return static_cast<std::int64_t>(value);
    return json_number(shortest(value, tensor.dtype()));
  }
  Json list = Json::array();
  for (std::int64_t i = 0; i < tensor.dim(axis); ++i) list.push_back(nested(tensor, axis + 1, next));
  return list;
}

}  // namespace

Json json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json json_measured(double value) { return std::isnan(value) ? Json(nullptr) : json_number(value); }

Json json_values(const Tensor& tensor) {
  if (!tensor) return nullptr;
  std::int64_t next = 0;
  return nested(tensor, 0, next);
}

Json gradients_json(const std::vector<GradientRow>& rows, bool with_path) {
  Json list = Json::array();
  for (const GradientRow& row : rows) {
    Json entry = {{"source", row.source},
                  {"target", row.target},
                  {"status", name_of(row.status)},
                  {"reason", text_or_null(row.reason)},
                  {"message", text_or_null(row.message)},
                  {"location", text_or_null(row.location)},
                  {"fix", text_or_null(row.fix)},
                  {"norm", row.has_stats ? json_number(row.norm) : Json(nullptr)},
                  {"zero_share", row.has_stats ? json_number(row.zero_share) : Json(nullptr)},
                  {"nonfinite", row.has_stats ? Json(row.nonfinite) : Json(nullptr)}};
    if (with_path) {
      // By these a Python program finds what it holds: several sources may have one name.
      if (is_python(row.asked_at)) entry["source_id"] = row.source_id, entry["target_id"] = row.target_id;
      entry["path"] = path_json(row.path);
      entry["edge"] = item_json(row.edge);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json alerts_json(const std::vector<AlertRow>& rows) {
  Json list = Json::array();
  for (const AlertRow& row : rows) {
    Json entry = {{"kind", row.kind},
                  {"subject", row.subject},
                  {"op", text_or_null(row.op_type)},
                  {"name", text_or_null(row.op)},
                  {"message", row.message},
                  {"location", text_or_null(row.location)},
                  {"fix", text_or_null(row.fix)},
                  {"path", path_json(row.path)},
                  {"edge", item_json(row.edge)},
                  {"step", row.step}};
    if (!row.direction.empty()) entry["direction"] = row.direction;
    if (!row.value.empty()) entry["value"] = row.value;
    list.push_back(std::move(entry));
  }
  return list;
}

Json advice_json(const std::vector<AdviceRow>& rows) {
  Json list = Json::array();
  for (const AdviceRow& row : rows) {
    list.push_back({{"kind", row.kind},
                    {"subject", row.subject},
                    {"evidence", row.evidence},
                    {"fix", row.fix},
                    {"saving_us", json_measured(row.saving_us)},
                    {"measured", row.measured},
                    {"location", text_or_null(row.location)}});
  }
  return list;
}

namespace {

Json site_json(SiteId site) { return site == 0 ? Json() : Json(location_text(site_with_id(site))); }

Json figures_json(const GraphFigures& figures) {
  return {
      {"nodes", figures.nodes}, {"bytes", json_number(figures.bytes)}, {"flops", json_number(figures.flops)}};
}

Json graph_json(const GraphAccount& graph) {
  Json passes = Json::array(), rewrites = Json::array(), hints = Json::array();
  for (const PassAccount& pass : graph.passes) {
    passes.push_back({{"pass", pass.pass},
                      {"round", pass.round},
                      {"off", pass.off},
                      {"before", figures_json(pass.before)},
                      {"after", figures_json(pass.after)}});
  }
  for (const RewriteAccount& rewrite : graph.rewrites) {
    rewrites.push_back({{"pass", rewrite.pass},
                        {"round", rewrite.round},
                        {"rule", rewrite.rule},
                        {"kind", name_of(rewrite.kind)},
                        {"before", rewrite.before},
                        {"after", rewrite.after},
                        {"location", site_json(rewrite.site)}});
  }
  for (const RecomputeAccount& hint : graph.hints) {
    hints.push_back({{"op", hint.op},
                     {"bytes", json_number(hint.bytes)},
                     {"flops", json_number(hint.flops)},
                     {"location", site_json(hint.site)}});
  }
  Json loops = Json::array();
  for (const FusedLoopAccount& loop : graph.loops) {
    Json members = Json::array();
    for (const MemberAccount& member : loop.members)
      members.push_back({{"op", member.op},
                         {"location", site_json(member.site)},
                         {"share_alone", json_number(member.share)}});
    loops.push_back({{"op", loop.op},
                     {"location", site_json(loop.site)},
                     {"members", std::move(members)},
                     {"runs_as", name_of(loop.code)},
                     {"why", text_or_null(std::string(loop.why))},
                     {"compile_us", json_number(loop.microseconds)},
                     {"code_bytes", loop.bytes}});
  }
  return {{"name", graph.name},
          {"trace", graph.trace},
          {"before", figures_json(graph.before())},
          {"after", figures_json(graph.after())},
          {"passes", std::move(passes)},
          {"rewrites", std::move(rewrites)},
          {"recompute", std::move(hints)},
          {"fused_loops", std::move(loops)}};
}

}  // namespace

Json functions_json(const std::vector<FunctionRow>& rows) {
  Json list = Json::array();
  for (const FunctionRow& row : rows) {
    Json retraces = Json::array();
    for (const Retrace& retrace : row.retraces) {
      retraces.push_back({{"call", retrace.call},
                          {"kind", retrace.kind},
                          {"argument", retrace.argument},
                          {"from", retrace.from},
                          {"to", retrace.to},
                          {"location", text_or_null(retrace.location)},
                          {"fix", text_or_null(retrace.fix)},
                          {"dimension", retrace.dimension >= 0 ? Json(retrace.dimension) : Json()},
                          {"trace_us", json_number(retrace.trace_us)},
                          {"avoided_by_reduce_retracing", retrace.relaxing_avoids},
                          {"avoided_by_signature", retrace.signature_avoids}});
    }
    Json graphs = Json::array(), warnings = Json::array(), loops = Json::array();
    for (const UnrolledLoopRow& loop : row.loops) {
      loops.push_back({{"trace", loop.trace},
                       {"op", loop.op},
                       {"rounds", loop.rounds},
                       {"nodes", loop.nodes},
                       {"trace_nodes", loop.trace_nodes},
                       {"trace_us", json_number(loop.trace_us)},
                       {"location", text_or_null(loop.location)}});
    }
    for (const RetraceWarning& w : row.warnings)
      warnings.push_back({{"call", w.call}, {"traced", w.traced}, {"calls", w.calls}});
    for (const auto& graph : row.graphs) graphs.push_back(graph_json(*graph));
    list.push_back({{"name", row.name},
                    {"calls", row.calls},
                    {"traces", row.traces},
                    {"trace_us", json_number(row.trace_us)},
                    {"compile_us", json_number(row.compile_us)},
                    {"code_bytes", row.code_bytes},
                    {"would_warn", row.would_warn},
                    {"warnings", std::move(warnings)},
                    {"retraces", std::move(retraces)},
                    {"unrolled_loops", std::move(loops)},
                    {"runs", row.runs},
                    {"run_us", json_number(row.run_us)},
                    {"nodes", row.nodes},
                    {"graphs", std::move(graphs)},
                    {"dropped_graphs", row.dropped_graphs}});
  }
  return list;
}

Json ops_json(const std::vector<OpKindRow>& rows) {
  Json list = Json::array();
  for (const OpKindRow& row : rows) {
    list.push_back({{"op", row.op},
                    {"count", row.count},
                    {"forward_us", json_number(row.forward_us)},
                    {"backward_us", json_number(row.backward_us)},
                    {"flops", json_number(row.flops)},
                    {"bytes", json_number(row.bytes)},
                    {"backward_runs", row.backward_runs},
                    {"backward_run_us", json_number(row.backward_run_us)},
                    {"saved_bytes", row.saved_bytes},
                    {"share", json_number(row.share)}});
  }
  return list;
}

Json json_of(const RunReport& report) {
  Json loss = Json::array();
  for (double value : report.loss) loss.push_back(json_number(value));
  Json metrics = Json::object();
  for (const auto& [name, value] : report.metrics) metrics[name] = json_number(value);
  Json outputs = Json::object();
  for (const ReportOutput& output : report.outputs) outputs[output.name] = json_values(output.value);
  Json errors = Json::array();
  for (const RunReport::Error& error : report.errors) {
    errors.push_back({{"where", error.where}, {"message", error.message}});
  }
  const bool events = report.has_events;
  Json time = {{"step", quantiles_json(report.step)},
               {"forward", events ? quantiles_json(report.forward) : Json(nullptr)},
               {"backward", events ? quantiles_json(report.backward) : Json(nullptr)},
               {"update", events ? quantiles_json(report.update) : Json(nullptr)},
               {"first_step", report.steps > 0 ? json_number(report.first_step) : Json(nullptr)}};
  Json tape = nullptr;
  if (events) {
    tape = {{"executed", report.tape.executed},         {"recorded", report.tape.recorded},
            {"not_recorded", report.tape.not_recorded}, {"backward_ops", report.tape.backward_ops},
            {"saved_bytes", report.tape.saved_bytes},   {"peak_bytes", report.tape.peak_bytes}};
  }
  Json document = {{"schema", 1},
                   {"sample", report.sample},
                   {"variant", report.variant},
                   {"seed", report.seed},
                   {"steps", report.steps},
                   {"threads", report.threads},
                   {"loss", std::move(loss)},
                   {"metrics", std::move(metrics)},
                   {"outputs", std::move(outputs)},
                   {"errors", std::move(errors)},
                   {"time", std::move(time)},
                   {"tape", std::move(tape)},
                   {"functions", functions_json(report.functions)},
                   {"gradients", gradients_json(report.gradients, false)},
                   {"ops", ops_json(report.ops)},
                   {"alerts", alerts_json(report.alerts)},
                   {"advice", advice_json(report.advice)},
                   {"verdict", name_of(verdict_of(report))},
                   {"ending", ending_json(report.ending)}};
  if (report.lost_events) document["lost_events"] = report.lost_events;
  if (!report.failure.empty()) document["failure"] = report.failure;
  if (!report.unseen.empty()) document["unseen"] = report.unseen;
  return document;
}

Json json_of(const Comparison& c) {
  return {{"schema", 1},
          {"a", json_of(c.a)},
          {"b", json_of(c.b)},
          {"ratio",
           {{"step", ratio_json(c.step)},
            {"forward", ratio_json(c.forward)},
            {"backward", ratio_json(c.backward)},
            {"update", ratio_json(c.update)}}},
          {"interleaved", c.interleaved},
          {"same_loss", c.same_loss},
          {"same_gradients", c.same_gradients},
          {"max_loss_difference", json_number(c.max_loss_difference)},
          {"max_gradient_difference",
           c.compared == Compared::losses ? Json() : json_number(c.max_gradient_difference)},
          {"ops", {{"only_a", c.only_a}, {"only_b", c.only_b}, {"both", c.both}, {"changed", c.changed}}},
          {"verdict", c.verdict}};
}

Json ending_json(const RunEnding& ending) {
  const auto text = [](const std::string& one) { return one.empty() ? Json(nullptr) : Json(one); };
  const record::Ending none, &program = ending.program ? *ending.program : none;
  const bool signal = program.how == ProgramEnd::signal, exception = program.how == ProgramEnd::exception;
  const bool coded =
      ending.program && (signal || program.how == ProgramEnd::exit || program.how == ProgramEnd::left);
  return {{"how", name_of(ending)},
          {"message", sentence_of(ending)},
          {"code", coded ? Json(program.code) : Json(nullptr)},
          {"signal", signal ? text(program.type) : Json(nullptr)},
          {"type", exception ? text(program.type) : Json(nullptr)},
          {"text", text(program.text)}};
}

Json explain_json(const RunReport& report) {
  Json document = {{"schema", 1},
                   {"sample", report.sample},
                   {"variant", report.variant},
                   {"gradients", gradients_json(report.gradients, true)},
                   {"alerts", alerts_json(report.alerts)},
                   {"advice", advice_json(report.advice)},
                   {"functions", functions_json(report.functions)},
                   {"verdict", name_of(verdict_of(report))},
                   {"ending", ending_json(report.ending)}};
  if (!report.unseen.empty()) document["unseen"] = report.unseen;
  return document;
}

Json list_json(const std::vector<SampleInfo>& samples) {
  Json list = Json::array();
  for (const SampleInfo& info : samples) {
    Json parameters = Json::array();
    for (const SampleParameter& parameter : info.parameters) {
      parameters.push_back(
          {{"name", parameter.name}, {"default", parameter.default_value}, {"what", parameter.what}});
    }
    list.push_back({{"name", info.name},
                    {"promise", info.promise},
                    {"document", info.document},
                    {"variants", info.variants},
                    {"parameters", std::move(parameters)}});
  }
  return {{"samples", std::move(list)}};
}

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tapescope

// run, explain, check, report: a sample's run in different lights.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/recording/environment.h"
#include "viewer/cli/cli.h"
#include "viewer/cli/job.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/export/baseline.h"
#include "viewer/export/report_json.h"
#include "viewer/model/held_buffers.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

// A run whose recording could not be written is done, but not as it was asked for.
int done_code(const HeadlessRun& run) { return run.record_failure.empty() ? kExitDone : kExitSurroundings; }

// Reports what ended a run early and which exit code that means.
int conclude(const HeadlessRun& run, const SampleArguments& of) {
  // How a recorded run ended is part of its report.
  if (of.of_elsewhere()) return kExitDone;
  if (run.interrupted) {
    fmt::print(stderr, "tapescope: stopped after {} steps; the report covers those.\n", run.steps);
  }
  if (!run.failure) return done_code(run);
  try {
    std::rethrow_exception(run.failure);
  } catch (const Error& error) {
    fmt::print(stderr, "tapescope: {}\n", error.what());
    if (error.kind() == ErrorKind::surroundings) return kExitSurroundings;
    // Before the first step it is the options that the sample refused.
    return run.steps == 0 && error.kind() == ErrorKind::value ? kExitArguments : kExitInternal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tapescope: {}\n", error.what());
    return kExitInternal;
  }
}

// Nothing ran, so there is nothing to report.
bool empty_handed(const HeadlessRun& run, const SampleArguments& of) {
  return run.failure && run.steps == 0 && !of.of_elsewhere();
}

struct Options {
  SampleArguments sample;
  std::string json;
  std::string record;
  std::string values = "last";
  double values_mb = record::kDefaultMegabytes;
  bool no_events = false;
  std::string panel;
  std::string fail_on;
  std::string baseline;
};

// Ranks of a job that are given one name write a file each, as recordings do.
void write_json(const Options& options, const Json& document) {
  if (!options.json.empty()) write_output(record::recording_path(options.json), json_text(document));
}

void emit(const Options& options, const Json& document, const std::string& text) {
  if (options.json != "-") write_output("-", text);
  write_json(options, document);
}

record::ValueOptions value_options(const Options& options) {
  try {
    return record::ValueOptions::of(record::ValueRule::parse(options.values), options.values_mb);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--record-values: {}", error.what()));
  }
}

int run_command(const Options& options) {
  RunRequest request = options.sample.request();
  request.events = !options.no_events;
  std::string record = options.record;
  if (const char* asked = std::getenv("TAPESCOPE_RECORD"); asked && record.empty()) record = asked;
  if (!record.empty() && !request.events)
    throw UsageError("--no-events listens to nothing, so there is nothing to record");
  if (record == "-" && options.json == "-")
    throw UsageError("--record - and --json - both want standard output; give one of them a file");
  const HeadlessRun run = run_headless(request, record, value_options(options));
  const int code = conclude(run, options.sample);
  if (empty_handed(run, options.sample)) return code;
  const RunReport report = report_of(run, 0);
  // Standard output holds the recording and nothing else.
  if (record != "-") emit(options, json_of(report), run_text(report));
  else write_json(options, json_of(report));
  return code;
}

// Runs it to be answered about.
HeadlessRun answered_run(const Options& options) {
  SampleArguments arguments = options.sample;
  arguments.program.answers = true;
  return run_or_read(arguments, options.json == "-");
}

int emit(const Options& options, const JobAnswer& answer) {
  emit(options, answer.document, answer.text);
  return answer.code;
}

// The recordings of a job's ranks, where several were given; else empty.
std::vector<std::string> ranks_given(const Options& options) {
  const SampleArguments& sample = options.sample;
  if (sample.names.size() < 2) return {};
  for (const std::string& name : sample.names) {
    if (!names_recording(name)) {
      throw UsageError(fmt::format(
          "'{}' is no recording; several names are recordings of one job, a sample is given alone", name));
    }
  }
  if (!sample.program.words.empty() || !sample.variant.empty() || !sample.set.empty() || sample.steps != 0)
    throw UsageError("recordings are as they were made; options are for running one sample or program");
  return sample.names;
}

int explain_command(const Options& options) {
  if (const auto ranks = ranks_given(options); !ranks.empty()) return emit(options, explain_job(ranks));
  const HeadlessRun run = answered_run(options);
  const int code = conclude(run, options.sample);
  if (empty_handed(run, options.sample)) return code;
  const RunReport report = report_of(run, 0);
  emit(options, explain_json(report), explain_text(report));
  return code;
}

// --- check ---------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 14> kChecks = {
    "none", "zero",      "nonfinite",     "vanishing", "exploding", "dead",   "retrace",
    "leak", "truncated", "empty_sources", "diverged",  "straggler", "advice", "regression"};
// Remarks that a program with nothing wrong gets too.
constexpr std::array<std::string_view, 3> kGeneralRemarks = {"many_small_ops", "fusable_chain", "precision"};

std::vector<std::string> chosen_checks(const Options& options) {
  std::vector<std::string> checks;
  if (options.fail_on.empty()) {
    for (std::string_view kind : kChecks) {
      if (kind != "advice" && kind != "regression") checks.emplace_back(kind);
    }
    if (!options.baseline.empty()) checks.emplace_back("regression");
    return checks;
  }
  std::stringstream list(options.fail_on);
  for (std::string kind; std::getline(list, kind, ',');) {
    if (std::find(kChecks.begin(), kChecks.end(), kind) == kChecks.end()) {
      const std::string near = nearest(kind, {kChecks.begin(), kChecks.end()});
      throw UsageError(fmt::format("--fail-on got '{}', expected a list of {}{}", kind,
                                   fmt::join(kChecks, ", "),
                                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    }
    checks.push_back(kind);
  }
  const bool regression = std::find(checks.begin(), checks.end(), "regression") != checks.end();
  if (regression && options.baseline.empty()) {
    throw UsageError(
        "--fail-on regression needs a --baseline; make one with 'tapescope run NAME --json FILE'");
  }
  return checks;
}

// What got worse against an earlier run, a JSON document or a recording.
std::vector<std::string> regressions_since(const RunReport& report, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(ErrorKind::surroundings, fmt::format("cannot read the baseline {}; check the path", path));
  std::stringstream text;
  if (path.ends_with(".tape")) text << json_of(report_of(read_recording(path), 0)).dump();
  else text << file.rdbuf();
  const auto then = read_baseline(text.str());
  if (!then) {
    throw Error(
        ErrorKind::surroundings,
        fmt::format(
            "{} is no run document; make one with 'tapescope run NAME --json FILE' or '--record FILE.tape'",
            path));
  }
  if (then->sample != report.sample || then->variant != report.variant) {
    throw UsageError(fmt::format("the baseline {} is of {} {}, not of {} {}", path, then->sample,
                                 then->variant, report.sample, report.variant));
  }
  return regressions(report, *then);
}

int check_command(const Options& options) {
  const std::vector<std::string> checks = chosen_checks(options);
  // A run that was not seen to its end is never certified.
  const auto wanted = [&](std::string_view kind) {
    return kind == kTruncated || std::find(checks.begin(), checks.end(), kind) != checks.end();
  };
  if (const auto ranks = ranks_given(options); !ranks.empty()) {
    if (wanted("advice") || wanted("regression"))
      throw UsageError("advice and regression are looked for in one recording; give one, or leave them out");
    return emit(options, check_job(ranks, checks, options.fail_on.empty()));
  }
  const HeadlessRun run = answered_run(options);
  const int code = conclude(run, options.sample);
  if (code != kExitDone) return code;
  const RunReport report = report_of(run, 0);
  std::string text;
  Json fired = Json::array();
  const auto fire = [&](std::string_view kind, const std::string& subject, const std::string& message,
                        const std::string& location, const std::string& fix) {
    text += fmt::format("{}: {}", kind, message);
    if (!location.empty() && message.find(location) == std::string::npos)
      text += fmt::format(" ({})", location);
    text += "\n";
    if (!fix.empty()) text += fmt::format("  {}\n", fix);
    fired.push_back(
        {{"kind", kind}, {"subject", subject}, {"message", message}, {"location", location}, {"fix", fix}});
  };
  for (const AlertRow& alert : report.alerts) {
    if (wanted(alert.kind)) fire(alert.kind, alert.subject, alert.message, alert.location, alert.fix);
  }
  // An unconnected gradient is zero because the program asked for that: it counts for those who name the
  // kind.
  if (wanted("zero")) {
    for (const GradientRow& row : report.gradients) {
      if (row.status == GradientStatus::zero ||
          (row.status == GradientStatus::unconnected_zero && !options.fail_on.empty()))
        fire("zero", row.source, row.message, row.location, row.fix);
    }
  }
  if (wanted("advice")) {
    for (const AdviceRow& advice : report.advice) {
      if (std::find(kGeneralRemarks.begin(), kGeneralRemarks.end(), advice.kind) != kGeneralRemarks.end())
        continue;
      fire("advice", advice.subject, advice.evidence, advice.location, advice.fix);
    }
  }
  if (wanted("regression")) {
    for (const std::string& what : regressions_since(report, options.baseline))
      fire("regression", report.sample, what, "", "");
  }
  const bool only_ending = fired.size() == 1 && fired[0]["kind"] == kTruncated;
  const bool doubted =
      fired.empty() && !report.unseen.empty() && std::any_of(kOfValues.begin(), kOfValues.end(), wanted);
  const Verdict verdict = only_ending || doubted ? Verdict::cannot_say
                          : fired.empty()        ? Verdict::nothing_found
                                                 : Verdict::wrong;
  if (doubted) text = report.unseen + "\n";
  if (verdict == Verdict::cannot_say) {
    text += fmt::format("{} {}: cannot say, after {} step{}; looked for {}\n", report.sample, report.variant,
                        report.steps, report.steps == 1 ? "" : "s", fmt::join(checks, ", "));
  } else if (fired.empty()) {
    text = fmt::format("{} {}: nothing found; looked for {}\n", report.sample, report.variant,
                       fmt::join(checks, ", "));
  }
  Json document = {{"schema", 1},
                   {"sample", report.sample},
                   {"variant", report.variant},
                   {"looked_for", checks},
                   {"fired", fired},
                   {"verdict", name_of(verdict)},
                   {"ending", ending_json(report.ending)}};
  if (!report.unseen.empty()) document["unseen"] = report.unseen;
  emit(options, document, text);
  return verdict == Verdict::nothing_found ? kExitDone : kExitFired;
}

// --- report --------------------------------------------------------------------------------------

Json steps_json(const Series<StepSummary>& steps) {
  Json list = Json::array();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepSummary& step = steps[i];
    list.push_back({{"step", step.step},
                    {"step_us", json_number(step.step_us)},
                    {"forward_us", json_number(step.forward_us)},
                    {"backward_us", json_number(step.backward_us)},
                    {"update_us", json_number(step.update_us)},
                    {"recorded", step.counts.recorded},
                    {"not_recorded", step.counts.not_recorded},
                    {"backward_ops", step.counts.backward_ops}});
  }
  return list;
}

Json memory_json(const RunReport& report, const StepView* view) {
  Json held = Json::array();
  if (view && view->peak_op != kNoOp) {
    const auto name_of_op = [&](std::uint32_t op) {
      return op == kNoOp ? Json(nullptr) : Json(view->ops[op].name);
    };
    for (const HeldBuffer& buffer : buffers_at_peak(*view)) {
      held.push_back({{"name", buffer.name},
                      {"type", buffer.type},
                      {"made_by", name_of_op(buffer.maker)},
                      {"bytes", buffer.bytes},
                      {"saved_by", name_of_op(buffer.saved_by)},
                      {"held_until", name_of_op(buffer.to)}});
    }
  }
  return {{"saved_bytes", report.tape.saved_bytes},
          {"peak_bytes", report.tape.peak_bytes},
          {"at_peak", std::move(held)}};
}

int report_command(const Options& options) {
  if (const auto ranks = ranks_given(options); !ranks.empty()) {
    if (!options.panel.empty())
      throw UsageError("several recordings have one report, of their job; --panel is of one recording");
    return emit(options, report_job(ranks));
  }
  const HeadlessRun run = run_or_read(options.sample, options.json == "-");
  const int code = conclude(run, options.sample);
  if (empty_handed(run, options.sample)) return code;
  const RunReport report = report_of(run, 0);
  const StepView* view = run.snapshots[0] ? run.snapshots[0]->complete.get() : nullptr;
  const Series<StepSummary> none, &steps = run.snapshots[0] ? run.snapshots[0]->steps : none;
  const std::string& panel = options.panel;
  if (panel.empty()) {
    emit(options, json_of(report), run_text(report));
    return code;
  }
  Json rows;
  std::string text;
  if (panel == "ops") rows = ops_json(report.ops), text = ops_text(report);
  if (panel == "functions")
    rows = functions_json(report.functions), text = functions_text(report) + graphs_text(report);
  if (panel == "gradients") rows = gradients_json(report.gradients, true), text = gradients_text(report);
  if (panel == "memory") rows = memory_json(report, view), text = memory_text(report, view);
  if (panel == "steps") rows = steps_json(steps), text = steps_text(steps);
  if (panel == "alerts") rows = alerts_json(report.alerts), text = alerts_text(report);
  if (panel == "advice") rows = advice_json(report.advice), text = advice_text(report);
  if (text.empty()) text = fmt::format("  no {}\n", panel);
  emit(options,
       {{"schema", 1}, {"sample", report.sample}, {"variant", report.variant}, {panel, std::move(rows)}},
       fmt::format("{}{}\n\n{}", report.sample, report.variant.empty() ? "" : " · " + report.variant, text));
  return code;
}

CliCommand add(CliCommand& root, const char* name, const char* what, const std::shared_ptr<Options>& options,
               int (*run)(const Options&), Takes takes = Takes::recordings_of_job) {
  CliCommand command = root.subcommand(name, what);
  add_sample_arguments(command, options->sample, true, takes);
  if (takes == Takes::recordings_of_job)
    add_program_arguments(
        command, options->sample.program,
        "runs a program in place of a sample: one that uses Tapescope's library, or PROGRAM.py");
  command
      .option("--json", options->json,
              "write the JSON document to FILE; '-' is standard output, and nothing else")
      .type_name("FILE");
  command.run([options, run] {
    if (!options->sample.names.empty()) options->sample.name = options->sample.names.front();
    return run(*options);
  });
  return command;
}

}  // namespace

int run_and_print(const SampleArguments& sample) {
  Options options;
  options.sample = sample;
  return run_command(options);
}

int print_recording(const std::string& path) {
  Options options;
  // A file of this name is meant, not a sample.
  options.sample.name = names_recording(path) ? path : "./" + path;
  return report_command(options);
}

void add_run_command(CliCommand& root) {
  auto options = std::make_shared<Options>();
  CliCommand command = add(root, "run", "run a sample and report", options, run_command, Takes::sample);
  command.option("--record", options->record, "write the run's events as a recording; '-' is standard output")
      .type_name("FILE");
  command
      .option("--record-values", options->values,
              "steps whose tensors are recorded: none, or a list of first, last, every:N and numbers from 1; "
              "only:NAME keeps those named so")
      .type_name("RULE")
      .show_default();
  command.option("--record-budget", options->values_mb, "megabytes for them; what is left out is counted")
      .type_name("MB")
      .between(0.0, 1e6)
      .show_default();
  command.flag("--no-events", options->no_events, "listen to nothing: step times alone");
}

void add_explain_command(CliCommand& root) {
  add(root, "explain", "say why each None is None, with alerts and advice", std::make_shared<Options>(),
      explain_command);
}

void add_check_command(CliCommand& root) {
  auto options = std::make_shared<Options>();
  CliCommand command =
      add(root, "check", "exit with 1 when something is wrong with a sample's run", options, check_command);
  command.option("--fail-on", options->fail_on, fmt::format("list of {}", fmt::join(kChecks, ", ")))
      .type_name("KIND,...");
  command.option("--baseline", options->baseline, "an earlier run's JSON or recording, for regression")
      .type_name("FILE");
}

void add_report_command(CliCommand& root) {
  auto options = std::make_shared<Options>();
  CliCommand command = add(root, "report", "print one panel's table", options, report_command);
  command.option("--panel", options->panel, "which one; all of them if not given")
      .one_of({"ops", "functions", "gradients", "memory", "steps", "alerts", "advice"});
}

}  // namespace tapescope

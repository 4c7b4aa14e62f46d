// What a run amounts to, as plain data: the source of the JSON documents and of the text a person reads.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "viewer/model/statistics.h"
#include "viewer/model/verdict.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

struct ReportOutput {
  std::string name;
  Tensor value;  // absent: None
};

struct RunReport {
  std::string sample, variant;
  std::uint64_t seed = 1;
  std::uint64_t steps = 0;  // completed
  int threads = 1;
  std::vector<double> loss;       // per step
  std::uint64_t losses_left = 0;  // that are no longer in it, of steps between the first and the latest
  std::map<std::string, double> metrics;
  std::vector<ReportOutput> outputs;
  struct Error {
    std::string where, message;
  };
  std::vector<Error> errors;  // expected and shown by the sample
  std::string failure;        // what ended the run early; empty when nothing did
  RunEnding ending;           // its alert is among `alerts`
  std::string unseen;  // what the program was not observed for, one sentence; empty where it was for all

  // Microseconds. Warm-up is left out where there is more than one step: the first one has a figure of its
  // own.
  Quantiles step, forward, backward, update;
  double first_step = 0;
  bool has_events = false;  // without events all below is empty, and so are forward, backward and update
  TapeCounts tape;
  std::uint64_t lost_events = 0;
  Thinned thinned;
  std::vector<FunctionRow> functions;
  std::vector<GradientRow> gradients;
  std::vector<OpKindRow> ops;
  std::vector<AlertRow> alerts;
  std::vector<AdviceRow> advice;
};

// Takes times, counts, gradients, ops, functions and alerts over from the events.
void add_events(RunReport& report, const Snapshot& snapshot);
// Step times from the runner's clock; add_events() replaces them by the events' own.
void add_step_times(RunReport& report, const std::vector<double>& step_us);

// The whole run for a person: aligned, short, with units. UTF-8, lines end in '\n'.
std::string run_text(const RunReport& report);
// The same as Markdown, whose tables are tables.
std::string report_markdown(const RunReport& report);
// Why each None is None, alerts and advice: what one would paste into an issue.
std::string explain_text(const RunReport& report);

// Tables of one panel each, as `tapescope report` prints them.
std::string ops_text(const RunReport& report);
std::string gradients_text(const RunReport& report);
std::string alerts_text(const RunReport& report);
std::string advice_text(const RunReport& report);
std::string functions_text(const RunReport& report);
std::string graphs_text(const RunReport& report);  // passes and rewrites of each function's graphs
std::string memory_text(const RunReport& report, const StepView* view);
std::string steps_text(const Series<StepSummary>& steps);

}  // namespace tapescope

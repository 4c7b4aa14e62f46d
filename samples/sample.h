// Samples: small programs that each teach a lesson, and the registry that lists them.
//
// A sample is made once for a run, then its step() is called once a training step on the runner's thread.
// All state lives in variables made by its constructor (optimizers keep theirs in variables too), in the
// step's number, or is saved by save_state(): the debugger goes back by restoring the state at the start of
// a step and running the step again.
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/tape/tape.h"

namespace tapescope {

struct SampleParameter {
  std::string name;
  std::string default_value;
  std::string what;
};

// What the user chose.
struct SampleOptions {
  std::string variant;  // empty: the first one
  std::uint64_t seed = 1;
  int threads = 1;
  std::string data;  // folder given by --data; empty if none was
  std::optional<std::int64_t> steps;
  std::map<std::string, std::string> parameters;  // --set NAME=VALUE

  // A parameter as a number or text; the default where it was not set. Throws ValueError for text that is no
  // number.
  double number(const SampleParameter& parameter) const;
  // The same for a size: a whole number from 1 to 2^31 - 1, else ValueError.
  std::int64_t count(const SampleParameter& parameter) const;
  std::string text(const SampleParameter& parameter) const;
};

// A value the sample prints: nested numbers, or None.
struct SampleOutput {
  std::string name;
  Tensor value;         // absent: None
  TensorId source = 0;  // the variable or source it belongs to; 0: none
};

struct SampleError {
  std::string where;  // "persistent.cpp:24"
  std::string message;
};

// What a step reports.
class StepContext {
 public:
  std::uint64_t step = 0;  // from 0
  // The loss of this step. Reading it costs a host read; each step may have one.
  void loss(const Tensor& value);
  void metric(std::string_view name, double value);
  // A printed value, such as dy/dx; the last one of a name stands.
  void output(std::string_view name, const Tensor& value);
  // An error that the sample expects and shows.
  void error(const Error& error, Location location = Location::current());

  std::vector<SampleOutput> outputs;
  std::vector<SampleError> errors;
  std::map<std::string, double> metrics;
  std::optional<double> loss_value;
  // Gradients of this step by source name, for comparing variants. Filled by report_gradients().
  std::vector<SampleOutput> gradients;
  double elapsed_us = 0;  // wall time of the step, set by the runner
  void report_gradients(std::span<const Traced> sources, std::span<const Tensor> gradients);
  void report_gradients(std::initializer_list<Traced> sources, std::span<const Tensor> gradients) {
    report_gradients(std::span(sources.begin(), sources.size()), gradients);
  }
};

class Sample {
 public:
  virtual ~Sample() = default;
  virtual void step(StepContext& context) = 0;
  // After the last step: whole-run metrics such as test accuracy.
  virtual void finish(StepContext&) {}
  virtual std::int64_t default_steps() const { return 1; }
  // State outside variables, such as a data set's iterator. Restoring puts back exactly what save gave.
  virtual std::vector<std::uint64_t> save_state() const { return {}; }
  virtual void restore_state(const std::vector<std::uint64_t>&) {}
};

struct SampleInfo {
  std::string name;
  int order = 0;                      // where it stands in lists: ascending, those of design/interfaces.md
  std::string promise;                // one line
  std::string document;               // "0, example 1"
  std::vector<std::string> variants{"default"};  // the first one is the default
  std::vector<SampleParameter> parameters;
  std::string file;    // "preprocessing.cpp"
  std::string lesson;  // a few sentences: what the document claims, what is true here
  std::unique_ptr<Sample> (*make)(const SampleOptions&) = nullptr;
};

// For SampleInfo::make.
template <class T>
std::unique_ptr<Sample> make_sample(const SampleOptions& options) {
  return std::make_unique<T>(options);
}

// Every file samples/NAME.cpp that defines `SampleInfo NAME_sample()`, found by the build; by
// SampleInfo::order.
const std::vector<SampleInfo>& sample_registry();
// Throws ValueError naming the samples that exist.
const SampleInfo& find_sample(std::string_view name);
// Checks variant and parameters against the sample and fills in defaults. Throws ValueError with a remedy.
SampleOptions checked_options(const SampleInfo& info, SampleOptions options);

}  // namespace tapescope

// A witness linked beside a program through the linker's --wrap (CMakeLists.txt). With
// WITNESS_NUDGE=NAME:AMOUNT:WHICH each source of that name (of several variables of one name that one,
// counted from 0) starts from other values. WITNESS_FILE holds a line per question to a tape and source, of
// fields between tabs: name; the sum of the target's elements, which differs from that of a run without a
// nudge where the target follows the source; what the source is; how often its tape was asked; whether the
// target was made while a tape recorded.
//
// With WITNESS_EXPLAIN a file, each None is followed by what tape.explain() says of it in the process: name,
// reason, location, fix, between tabs.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "engine/tapescope.h"

namespace tapescope {
namespace {

struct Nudge {
  std::string name;
  double amount = 0;
  int which = -1;
  Nudge() {
    const char* given = std::getenv("WITNESS_NUDGE");
    const std::string text = given ? given : "";
    const auto last = text.rfind(':'), first = last == std::string::npos ? last : text.rfind(':', last - 1);
    if (first == std::string::npos) return;
    name = text.substr(0, first);
    amount = std::atof(text.c_str() + first + 1);
    which = std::atoi(text.c_str() + last + 1);
  }
};
const Nudge& nudge() {
  static const Nudge chosen;
  return chosen;
}

Tensor moved(const Tensor& x) {
  std::vector<double> values = elements(x);
  for (double& v : values) v += is_integer(x.dtype()) ? 1 : nudge().amount * std::max(0.1, std::abs(v));
  return make_tensor(values, x.shape(), x.dtype());
}

// Variables that the library makes, as a layer's, do not pass the wrapped constructor: moved at the first
// question to a tape.
VariableCollector& made() {
  static thread_local VariableCollector* all = new VariableCollector;
  return *all;
}
std::set<TensorId>& done() {
  static std::set<TensorId> ids;
  return ids;
}
void move_layers() {
  if (nudge().which >= 0) return;
  for (const Variable& variable : made().variables()) {
    if (variable.name() == nudge().name && done().insert(variable.id()).second)
      variable.assign(moved(variable.peek()));
  }
}
const bool kStarted = (made(), true);

// What happened to tapes, on this thread.
struct Log {
  std::map<TapeId, int> asks;
  std::set<TensorId> watched;
  std::vector<TensorId> begun;  // blocks that are open
  std::vector<std::pair<TensorId, TensorId>> recorded{};  // the ids that were given within each block
};
Log& log_of_thread() {
  static thread_local Log log;
  return log;
}

const char* kind_of(const Traced& source) {
  if (source.type().dtype != DType::resource && !is_floating(source.type().dtype)) return "integer";
  if (source.variable()) return source.variable().trainable() ? "variable" : "frozen";
  return log_of_thread().watched.contains(source.tensor().id()) ? "watched" : "unwatched";
}
bool recorded(TensorId id) {
  const Log& log = log_of_thread();
  bool within = !log.begun.empty() && id >= log.begun.front();
  for (const auto& [from, to] : log.recorded) within = within || (id >= from && id < to);
  return within;
}

void asked(GradientTape& tape, const Traced& target, std::span<const Traced> sources) {
  static std::FILE* const file = [] {
    const char* path = std::getenv("WITNESS_FILE");
    return path ? std::fopen(path, "w") : nullptr;
  }();
  if (!file) return;
  const int asks = ++log_of_thread().asks[tape.id()];
  double sum = 0;
  const bool plain = target.tensor() && !target.variable() && !target.tensor().impl()->extension;
  for (double x : plain ? elements(target.tensor()) : std::vector<double>()) sum += x;
  const char* place = recorded(target.tensor().id()) ? "inside" : "outside";
  for (const Traced& source : sources) {
    std::fprintf(file, "%s\t%.17g\t%s\t%d\t%s\n", source.name().c_str(), sum, kind_of(source), asks, place);
  }
  std::fflush(file);
}

void answered(const GradientTape& tape, const Traced& target, std::span<const Traced> sources,
              std::span<const Tensor> gradients) {
  static std::FILE* const file = [] {
    const char* path = std::getenv("WITNESS_EXPLAIN");
    return path ? std::fopen(path, "w") : nullptr;
  }();
  if (!file) return;
  for (std::size_t i = 0; i < sources.size() && i < gradients.size(); ++i) {
    if (gradients[i]) continue;
    const Explanation why = tape.explain(target, sources[i]);
    const std::string_view reason = name_of(why.reason);
    std::fprintf(file, "%s\t%.*s\t%s\t%s\n", sources[i].name().c_str(), static_cast<int>(reason.size()),
                 reason.data(), why.location.c_str(), why.fix.c_str());
  }
  std::fflush(file);
}

}  // namespace

// A member is a function whose first argument is the object; to the linker __real_ is the library's.
#define WRAP(symbol, result, name, ...)                  \
  result real_##name(__VA_ARGS__) asm("__real_" symbol); \
  result wrap_##name(__VA_ARGS__) asm("__wrap_" symbol); \
  result wrap_##name(__VA_ARGS__)

WRAP("_ZN9tapescope8VariableC1ERKNS_6TensorENS_15VariableOptionsESt15source_location", void, variable,
     Variable* self, const Tensor& initial, VariableOptions options, Location at) {
  const std::string name = options.name.empty() ? "Variable:" + std::to_string(at.line()) : options.name;
  static int met = 0;
  const bool hit = name == nudge().name && (nudge().which < 0 || nudge().which == met++);
  real_variable(self, hit ? moved(initial) : initial, std::move(options), at);
  if (hit) done().insert(self->id());
}
WRAP("_ZNKR9tapescope6Tensor5namedESt17basic_string_viewIcSt11char_traitsIcEE", Tensor, named,
     const Tensor* self, std::string_view name) {
  const Tensor x = name == nudge().name ? moved(*self) : *self;
  return real_named(&x, name);
}
WRAP("_ZNO9tapescope6Tensor5namedESt17basic_string_viewIcSt11char_traitsIcEE", Tensor, named_away,
     Tensor* self, std::string_view name) {
  Tensor x = name == nudge().name ? moved(*self) : *self;
  return real_named_away(&x, name);
}

// The block's beginning: what the library made until here is moved before the program computes with it.
WRAP("_ZN9tapescope12GradientTape6recordESt15source_location", GradientTape::Recording, record,
     GradientTape* self, Location at) {
  move_layers();
  log_of_thread().begun.push_back(peek_tensor_id());
  return real_record(self, at);
}
WRAP("_ZN9tapescope12GradientTape9Recording3endEv", void, recording_end, GradientTape::Recording* self) {
  real_recording_end(self);
  Log& log = log_of_thread();
  log.recorded.emplace_back(log.begun.back(), peek_tensor_id());
  log.begun.pop_back();
}
using Listed = std::initializer_list<Traced>;
WRAP("_ZN9tapescope12GradientTape5watchESt16initializer_listINS_6TracedEESt15source_location", void,
     watch_all, GradientTape* self, Listed all, Location at) {
  for (const Traced& what : all) log_of_thread().watched.insert(what.tensor().id());
  real_watch_all(self, all, at);
}
WRAP("_ZN9tapescope12GradientTape5watchERKNS_6TracedESt15source_location", void, watch, GradientTape* self,
     const Traced& what, Location at) {
  log_of_thread().watched.insert(what.tensor().id());
  real_watch(self, what, at);
}

using Sources = std::span<const Traced>;
using Answers = std::vector<Tensor>;
WRAP("_ZN9tapescope12GradientTape8gradientERKNS_6TracedES3_RKNS_15GradientOptionsESt15source_location",
     Tensor, gradient, GradientTape* self, const Traced& target, const Traced& source,
     const GradientOptions& options, Location at) {
  asked(*self, target, Sources(&source, 1));
  Tensor gradient = real_gradient(self, target, source, options, at);
  answered(*self, target, Sources(&source, 1), std::span<const Tensor>(&gradient, 1));
  return gradient;
}
WRAP(
    "_ZN9tapescope12GradientTape8gradientERKNS_6TracedESt4spanIS2_Lm18446744073709551615EERKNS_"
    "15GradientOptionsESt15source_location",
    Answers, gradients, GradientTape* self, const Traced& target, Sources sources,
    const GradientOptions& options, Location at) {
  asked(*self, target, sources);
  Answers gradients = real_gradients(self, target, sources, options, at);
  answered(*self, target, sources, gradients);
  return gradients;
}
WRAP(
    "_ZN9tapescope12GradientTape8gradientERKNS_6TracedESt16initializer_listIS1_ERKNS_"
    "15GradientOptionsESt15source_location",
    Answers, listed, GradientTape* self, const Traced& target, Listed sources, const GradientOptions& options,
    Location at) {
  const Sources all(sources.begin(), sources.size());
  asked(*self, target, all);
  Answers gradients = real_listed(self, target, sources, options, at);
  answered(*self, target, all, gradients);
  return gradients;
}
// What lists, vectors and maps of sources end in, and what functions ask while they are traced.
WRAP(
    "_ZN9tapescope12GradientTape8gradientESt4spanIKNS_6TracedELm18446744073709551615EES4_RKNS_"
    "15GradientOptionsESt15source_location",
    Answers, of_all, GradientTape* self, Sources targets, Sources sources, const GradientOptions& options,
    Location at) {
  const bool by_library = std::string_view(at.file_name()).find("engine/") != std::string_view::npos;
  if (targets.empty() || by_library) return real_of_all(self, targets, sources, options, at);
  asked(*self, targets[0], sources);
  Answers gradients = real_of_all(self, targets, sources, options, at);
  answered(*self, targets[0], sources, gradients);
  return gradients;
}
WRAP("_ZN9tapescope12GradientTape8jacobianERKNS_6TracedES3_RKNS_15JacobianOptionsESt15source_location",
     Tensor, jacobian, GradientTape* self, const Traced& target, const Traced& source,
     const JacobianOptions& options, Location at) {
  asked(*self, target, Sources(&source, 1));
  Tensor jacobian = real_jacobian(self, target, source, options, at);
  answered(*self, target, Sources(&source, 1), std::span<const Tensor>(&jacobian, 1));
  return jacobian;
}
WRAP(
    "_ZN9tapescope12GradientTape8jacobianERKNS_6TracedESt4spanIS2_Lm18446744073709551615EERKNS_"
    "15JacobianOptionsESt15source_location",
    Answers, jacobians, GradientTape* self, const Traced& target, Sources sources,
    const JacobianOptions& options, Location at) {
  asked(*self, target, sources);
  Answers jacobians = real_jacobians(self, target, sources, options, at);
  answered(*self, target, sources, jacobians);
  return jacobians;
}
WRAP(
    "_ZN9tapescope12GradientTape8jacobianERKNS_6TracedESt16initializer_listIS1_ERKNS_"
    "15JacobianOptionsESt15source_location",
    Answers, listed_jacobians, GradientTape* self, const Traced& target, Listed sources,
    const JacobianOptions& options, Location at) {
  const Sources all(sources.begin(), sources.size());
  asked(*self, target, all);
  Answers jacobians = real_listed_jacobians(self, target, sources, options, at);
  answered(*self, target, all, jacobians);
  return jacobians;
}
WRAP(
    "_ZN9tapescope12GradientTape14batch_jacobianERKNS_6TracedES3_RKNS_15JacobianOptionsESt15source_"
    "location",
    Tensor, batch_jacobian, GradientTape* self, const Traced& target, const Traced& source,
    const JacobianOptions& options, Location at) {
  asked(*self, target, Sources(&source, 1));
  return real_batch_jacobian(self, target, source, options, at);
}

}  // namespace tapescope

// A witness of values, linked beside a program through the linker's --wrap (CMakeLists.txt): with
// WITNESS_NUDGE=NAME:AMOUNT:WHICH each source of that name (or of several variables of one name that one,
// counted from 0) starts from other values, and WITNESS_FILE holds one line per question to a tape and
// source: name, tab, the sum of the target's elements. Where the sum differs from that of a run without a
// nudge, the target follows the source.
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

void asked(std::span<const Traced> targets, std::span<const Traced> sources) {
  static std::FILE* const file = [] {
    const char* path = std::getenv("WITNESS_FILE");
    return path ? std::fopen(path, "w") : nullptr;
  }();
  if (!file) return;
  double sum = 0;
  for (const Traced& target : targets) {
    if (!target.tensor() || target.variable() || target.tensor().impl()->extension) continue;
    for (double x : elements(target.tensor())) sum += x;
  }
  for (const Traced& source : sources) std::fprintf(file, "%s\t%.17g\n", source.name().c_str(), sum);
  std::fflush(file);
}
void asked(const Traced& target, std::span<const Traced> sources) { asked(std::span(&target, 1), sources); }

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
  return real_record(self, at);
}

using Sources = std::span<const Traced>;
using Listed = std::initializer_list<Traced>;
using Answers = std::vector<Tensor>;
WRAP("_ZN9tapescope12GradientTape8gradientERKNS_6TracedES3_RKNS_15GradientOptionsESt15source_location",
     Tensor, gradient, GradientTape* self, const Traced& target, const Traced& source,
     const GradientOptions& options, Location at) {
  asked(target, Sources(&source, 1));
  return real_gradient(self, target, source, options, at);
}
WRAP(
    "_ZN9tapescope12GradientTape8gradientERKNS_6TracedESt4spanIS2_Lm18446744073709551615EERKNS_"
    "15GradientOptionsESt15source_location",
    Answers, gradients, GradientTape* self, const Traced& target, Sources sources,
    const GradientOptions& options, Location at) {
  asked(target, sources);
  return real_gradients(self, target, sources, options, at);
}
WRAP(
    "_ZN9tapescope12GradientTape8gradientERKNS_6TracedESt16initializer_listIS1_ERKNS_"
    "15GradientOptionsESt15source_location",
    Answers, listed, GradientTape* self, const Traced& target, Listed sources, const GradientOptions& options,
    Location at) {
  asked(target, Sources(sources.begin(), sources.size()));
  return real_listed(self, target, sources, options, at);
}
WRAP("_ZN9tapescope12GradientTape8jacobianERKNS_6TracedES3_RKNS_15JacobianOptionsESt15source_location",
     Tensor, jacobian, GradientTape* self, const Traced& target, const Traced& source,
     const JacobianOptions& options, Location at) {
  asked(target, Sources(&source, 1));
  return real_jacobian(self, target, source, options, at);
}

}  // namespace tapescope

// Single ops and small programs: forward, backward, and backward again.
#include <fmt/format.h>

#include "engine/ops/slices.h"
#include "engine/tape/tape.h"
#include "tests/tools/goldens/check.h"
#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

// 0.1 (1 + k mod 7) for the k-th element: the weights that second orders are taken with.
Tensor weights_like(const Tensor& x) {
  std::vector<double> weights(static_cast<std::size_t>(x.numel()));
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = 0.1 * static_cast<double>(1 + k % 7);
  return make_tensor(weights, x.shape(), x.dtype());
}

struct Sources {
  std::vector<Traced> traced;
  std::vector<std::size_t> inputs;  // which ones they are
};

Sources floating(std::span<const Tensor> inputs) {
  Sources sources;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_floating(inputs[i].dtype())) continue;
    sources.traced.emplace_back(inputs[i]);
    sources.inputs.push_back(i);
  }
  return sources;
}

// One entry an input, None where an input is no source.
Tensors spread(const Sources& sources, std::span<const Tensor> gradients, std::size_t inputs) {
  Tensors all(inputs);
  for (std::size_t s = 0; s < gradients.size(); ++s) all[sources.inputs[s]] = gradients[s];
  return all;
}

struct Results {
  Tensors outputs, gradients;
};

// Without any driver.
Results eager_results(const Function& function, std::span<const Tensor> inputs, const Sources& sources,
                      const Tensors& seeds) {
  Results results;
  GradientTape tape;
  std::vector<Traced> targets;
  {
    const auto recording = tape.record();
    for (const Traced& source : sources.traced) tape.watch(source);
    results.outputs = function(inputs);
  }
  for (const Tensor& output : results.outputs) {
    if (is_floating(output.dtype())) targets.emplace_back(output);
  }
  if (!targets.empty())
    results.gradients = tape.gradient(targets, sources.traced, {.output_gradients = seeds});
  return results;
}

// The comparison with the values distinguishes rows.
Tensors dense_ones(Tensors tensors) {
  for (Tensor& tensor : tensors) {
    if (tensor && is_indexed_slices(tensor)) tensor = Tensor();
  }
  return tensors;
}

void compare_gradients(const Json& test, const Tensors& gradients, Comparison& comparison) {
  const Json& expected = test.at("grads");
  if (expected.is_array()) return comparison.tensors("grads", expected, gradients);
  const std::vector<std::string> names = test.at("names").get<std::vector<std::string>>();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (expected.contains(names[i]))
      comparison.tensor(fmt::format("grads[{}]", names[i]), expected[names[i]], gradients[i]);
  }
}

}  // namespace

Known check_function(const Json& test, Driver& driver, Comparison& comparison) {
  const std::optional<Function> function = function_of(test);
  if (!function) return Known::no;
  const Tensors inputs = read_tensors(test.at("inputs"));
  const Tensors seeds = read_tensors(test.value("seeds", Json::array()));
  const Sources sources = floating(inputs);
  const bool wants_second = test.contains("second") && test["second"].is_array();

  Results eager;
  if (driver.bit_exact() && !test.contains("error")) eager = eager_results(*function, inputs, sources, seeds);
  GradientTape outer({.persistent = true});
  Tensor total;
  {
    const auto outer_recording = outer.record();
    GradientTape inner;
    Tensors outputs;
    std::vector<Traced> targets;
    {
      const auto recording = inner.record();
      for (const Tensor& input : inputs) driver.given(input);
      for (const Traced& source : sources.traced) {
        outer.watch(source);
        inner.watch(source);
      }
      outputs = driver.call(*function, inputs);
    }
    comparison.tensors("outputs", test.at("outputs"), outputs);
    for (const Tensor& output : outputs) {
      if (is_floating(output.dtype())) targets.emplace_back(output);
    }
    Tensors gradients(sources.traced.size());
    if (!targets.empty()) {
      try {
        gradients = driver.gradient(inner, targets, sources.traced, seeds);
      } catch (const Error& error) {
        if (!test.contains("error")) throw;
        if (name_of(error.kind()) != test["error"].get<std::string>())
          comparison.differs("error", error.what());
        return Known::yes;
      }
      if (test.contains("error"))
        comparison.differs("error",
                           fmt::format("expected {}, got gradients", test["error"].get<std::string>()));
    }
    if (driver.bit_exact()) {
      comparison.bits("outputs", eager.outputs, outputs);
      comparison.bits("grads", dense_ones(eager.gradients), dense_ones(gradients));
    }
    if (test.contains("grads"))
      compare_gradients(test, spread(sources, gradients, inputs.size()), comparison);
    if (!wants_second) return Known::yes;
    for (const Tensor& gradient : gradients) {
      if (!gradient) continue;
      const Tensor part = reduce_sum(gradient * weights_like(gradient));
      total = total ? total + part : part;
    }
  }
  if (!total) {
    comparison.differs("second", "every gradient is None");
    return Known::yes;
  }
  const Tensors second = driver.gradient(outer, std::vector<Traced>{total}, sources.traced, {});
  comparison.tensors("second", test["second"], spread(sources, second, inputs.size()));
  return Known::yes;
}

}  // namespace tapescope::goldens

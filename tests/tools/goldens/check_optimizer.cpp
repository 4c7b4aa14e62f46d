// Optimizers step by step, and clipping by the global norm.
#include <memory>

#include <fmt/format.h>

#include "engine/nn/optimizers.h"
#include "tests/tools/goldens/check.h"
#include "tests/tools/goldens/ops.h"

namespace tapescope::goldens {
namespace {

template <class Options>
Options common_options(const Attributes& a) {
  Options options;
  options.weight_decay = a.number("weight_decay", options.weight_decay);
  options.clipnorm = a.number("clipnorm", 0);
  options.global_clipnorm = a.number("global_clipnorm", 0);
  options.clipvalue = a.number("clipvalue", 0);
  return options;
}

// The attributes do not say which optimizer it is: the case's id begins with it.
std::unique_ptr<Optimizer> make_optimizer(const std::string& id, const Attributes& a) {
  const double rate = a.number("learning_rate");
  const std::string kind = id.substr(0, id.find_first_of("_/"));
  if (kind == "sgd") {
    auto options = common_options<SgdOptions>(a);
    options.momentum = a.number("momentum", 0);
    options.nesterov = a.flag("nesterov");
    return std::make_unique<SGD>(rate, options);
  }
  if (kind == "adam" || kind == "adamw") {
    const auto moments = [&](auto options) {
      options.beta_1 = a.number("beta_1", options.beta_1);
      options.beta_2 = a.number("beta_2", options.beta_2);
      options.epsilon = a.number("epsilon", options.epsilon);
      options.amsgrad = a.flag("amsgrad");
      return options;
    };
    if (kind == "adam") return std::make_unique<Adam>(rate, moments(common_options<AdamOptions>(a)));
    return std::make_unique<AdamW>(rate, moments(common_options<AdamWOptions>(a)));
  }
  if (kind == "rmsprop") {
    auto options = common_options<RmsPropOptions>(a);
    options.rho = a.number("rho", options.rho);
    options.momentum = a.number("momentum", 0);
    options.epsilon = a.number("epsilon", options.epsilon);
    options.centered = a.flag("centered");
    return std::make_unique<RMSprop>(rate, options);
  }
  if (kind == "adagrad") {
    auto options = common_options<AdagradOptions>(a);
    options.initial_accumulator_value =
        a.number("initial_accumulator_value", options.initial_accumulator_value);
    options.epsilon = a.number("epsilon", options.epsilon);
    return std::make_unique<Adagrad>(rate, options);
  }
  return nullptr;
}

}  // namespace

void check_optimizer(const Json& test, Driver&, Comparison& comparison) {
  const std::string id = test.at("id").get<std::string>();
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(id, Attributes(test));
  if (!optimizer) return comparison.differs("id", "does not begin with the name of a known optimizer");
  std::vector<Variable> variables;
  for (const Tensor& start : read_tensors(test.at("start"))) variables.emplace_back(start);
  const Json& steps = test.at("steps");
  for (std::size_t s = 0; s < steps.size(); ++s) {
    optimizer->apply_gradients(read_tensors(steps[s].at("gradients")), variables);
    for (std::size_t v = 0; v < variables.size(); ++v) {
      comparison.tensor(fmt::format("steps[{}].variables[{}]", s, v), steps[s].at("variables").at(v),
                        variables[v].peek());
    }
  }
}

void check_clip_by_global_norm(const Json& test, Driver& driver, Comparison& comparison) {
  const double limit = Attributes(test).number("norm");
  const Tensors outputs = driver.call(
      [limit](std::span<const Tensor> tensors) {
        auto [clipped, norm] = clip_by_global_norm(tensors, limit);
        clipped.push_back(norm);
        return clipped;
      },
      read_tensors(test.at("inputs")));
  comparison.tensors("outputs", test.at("outputs"), std::span(outputs).first(outputs.size() - 1));
  comparison.tensor("global_norm", test.at("global_norm"), outputs.back());
}

}  // namespace tapescope::goldens

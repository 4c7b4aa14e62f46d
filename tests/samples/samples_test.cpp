// Every sample of the documents: the values it prints, what its tape records, and that a step can be run
// again.
#include "samples/sample.h"

#include <cmath>

#include "engine/core/pool.h"
#include "engine/events/records/ops.h"
#include "engine/events/session.h"
#include "engine/tape/variable.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

SampleOptions options_for(const std::string& name, const std::string& variant) {
  SampleOptions options;
  options.variant = variant;
  return checked_options(find_sample(name), options);
}

std::unique_ptr<Sample> make(const std::string& name, const std::string& variant = "") {
  return find_sample(name).make(options_for(name, variant));
}

StepContext run(const std::string& name, const std::string& variant = "", std::int64_t steps = 0) {
  const std::unique_ptr<Sample> sample = make(name, variant);
  StepContext context;
  if (steps == 0) steps = sample->default_steps();
  for (std::int64_t i = 0; i < steps; ++i) {
    context.step = static_cast<std::uint64_t>(i);
    sample->step(context);
  }
  sample->finish(context);
  return context;
}

const Tensor& output(const StepContext& context, const std::string& name) {
  for (const SampleOutput& o : context.outputs) {
    if (o.name == name) return o.value;
  }
  FAIL("no output " << name);
  return context.outputs[0].value;
}

double value(const StepContext& context, const std::string& name) {
  return element(output(context, name), 0);
}

// Types of the forward ops that a tape recorded in the sample's second step, in order, by the events.
std::vector<std::string> recorded_ops(const std::string& name, const std::string& variant = "") {
  const std::unique_ptr<Sample> sample = make(name, variant);
  StepContext context;
  sample->step(context);
  context.step = 1;
  Session session;
  session.start();
  sample->step(context);
  session.stop();
  std::vector<std::string> names;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (std::size_t i = 0; i + 1 < records.size(); ++i) {
      if (!records[i].is<OpRecord>() || !records[i + 1].is<OperandsRecord>()) continue;
      const auto op = records[i].as<OpRecord>();
      const auto operands = records[i + 1].as<OperandsRecord>();
      const bool recorded = (operands.answers & 15) == static_cast<std::uint32_t>(TapeAnswer::recorded);
      if (recorded && !(op.flags & OpRecord::kBackward)) names.emplace_back(op_name_text(op.name));
    }
  });
  return names;
}

// Those with state and training, which the tests below go through.
const std::vector<std::pair<std::string, std::string>> kTrained = {
    {"preprocessing", "unoptimized"},     {"preprocessing", "optimized"},
    {"preprocessing", "watched-inputs"},  {"variable-tracking", "unoptimized"},
    {"variable-tracking", "optimized"},   {"variable-tracking", "as-published"},
    {"linear-regression", "unoptimized"}, {"mnist-mlp", "unoptimized"},
    {"rnn-cell", "unoptimized"},          {"rnn-cell", "optimized"},
    {"convolution", "optimized"},         {"low-precision", "mixed-float16"},
    {"low-precision", "float16"},         {"gradient-clipping", "clipped"},
    {"binary-classification", "tape"},    {"binary-classification", "fit"},
    {"momentum", "from-scratch"},         {"momentum", "optimizer"},
    {"custom-layer", "default"},
};

}  // namespace

TEST_CASE("samples: the registry names every sample once, with what the interface asks for") {
  for (const SampleInfo& info : sample_registry()) {
    INFO(info.name);
    CHECK(&find_sample(info.name) == &info);
    CHECK_FALSE(info.promise.empty());
    CHECK(info.promise.find('\n') == std::string::npos);
    CHECK_FALSE(info.lesson.empty());
    CHECK_FALSE(info.document.empty());
    CHECK_FALSE(info.variants.empty());
    CHECK(info.file.ends_with(".cpp"));
    CHECK(info.make != nullptr);
  }
  CHECK_THROWS_AS(find_sample("nothing"), Error);
}

TEST_CASE("samples: options that cannot be are refused with what can be") {
  const SampleInfo& info = find_sample("preprocessing");
  const auto refused = [&](SampleOptions options) {
    try {
      checked_options(info, std::move(options));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::value);
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string variants = "expected one of unoptimized, optimized, watched-inputs";
  CHECK(refused({.variant = "fast"}).find(variants) != std::string::npos);
  CHECK(refused({.parameters = {{"bach", "3"}}}).find("expected one of batch, ") != std::string::npos);
  CHECK(refused({.parameters = {{"batch", "many"}}}).find("expected a number such as 32") !=
        std::string::npos);
  CHECK(refused({.parameters = {{"batch", "3x"}}}).find("expected a number") != std::string::npos);
  CHECK(refused({.parameters = {{"batch", ""}}}).find("expected a number") != std::string::npos);
  CHECK(refused({.steps = 0}).find("at least one") != std::string::npos);
  CHECK(refused({.parameters = {{"batch", "4"}}}).empty());
  SampleOptions negative = checked_options(info, {.parameters = {{"batch", "-4"}}});
  CHECK_THROWS_AS(info.make(negative), Error);
  const SampleOptions filled = checked_options(info, {});
  CHECK(filled.variant == "unoptimized");
  CHECK(filled.parameters.at("units") == "10");
}

TEST_CASE("samples: the tutorial's first examples print the document's values") {
  CHECK(value(run("derivative"), "dy/dx") == 6.0);
  const StepContext two = run("multi-variable");
  CHECK(value(two, "df/dx") == 12.0);
  CHECK(value(two, "df/dy") == 10.0);
  CHECK(value(run("watch"), "dy/dx") == 6.0);
  const StepContext nested = run("second-derivative");
  CHECK(value(nested, "dy/dx") == 3.0);
  CHECK(value(nested, "d²y/dx²") == 6.0);
  const StepContext stopped = run("stop-gradient");
  CHECK(value(stopped, "dg/dx") == 6.0);
  CHECK_FALSE(output(stopped, "dg/dy"));
}

TEST_CASE("samples: a tape records what TensorFlow's does, no more and no less") {
  using Names = std::vector<std::string>;
  const Names preprocessing{"ReadVariableOp", "MatMul", "Relu", "Sub", "Square", "Mean"};
  CHECK(recorded_ops("preprocessing", "unoptimized") == preprocessing);
  CHECK(recorded_ops("preprocessing", "optimized") == preprocessing);
  CHECK(recorded_ops("preprocessing", "watched-inputs").size() == 9);
  CHECK(recorded_ops("variable-tracking", "unoptimized") ==
        Names{"ReadVariableOp", "Mul", "ReadVariableOp", "MatMul", "Sub", "Square", "Mean"});
  const Names tracking{"ReadVariableOp", "MatMul", "Sub", "Square", "Mean"};
  CHECK(recorded_ops("variable-tracking", "optimized") == tracking);
  CHECK(recorded_ops("variable-tracking", "as-published") == tracking);
  CHECK(recorded_ops("derivative") == Names{"ReadVariableOp", "ReadVariableOp", "Mul"});
  CHECK(recorded_ops("multi-variable").size() == 9);
  CHECK(recorded_ops("watch") == Names{"Mul"});
  CHECK(recorded_ops("stop-gradient") ==
        Names{"ReadVariableOp", "ReadVariableOp", "Mul", "ReadVariableOp", "Mul"});
  CHECK(recorded_ops("linear-regression").size() == 7);
  CHECK(recorded_ops("mnist-mlp") == Names{"ReadVariableOp", "MatMul", "ReadVariableOp", "BiasAdd", "Relu",
                                           "ReadVariableOp", "MatMul", "ReadVariableOp", "BiasAdd",
                                           "SoftmaxCrossEntropyWithLogits", "Sum", "DivNoNan"});
}

TEST_CASE("samples: the persistent tape answers twice, the other raises and says so") {
  const StepContext persistent = run("persistent", "persistent");
  CHECK(value(persistent, "dy/dx") == 6.0);
  CHECK(value(persistent, "dz/dx") == 27.0);
  CHECK(persistent.errors.empty());
  const StepContext once = run("persistent");
  CHECK(value(once, "dy/dx") == 6.0);
  CHECK(once.outputs.size() == 1);
  REQUIRE(once.errors.size() == 1);
  CHECK(once.errors[0].where.starts_with("persistent.cpp:"));
  CHECK(once.errors[0].message.find("persistent") != std::string::npos);
}

TEST_CASE("samples: linear regression arrives at the true parameters") {
  const StepContext context = run("linear-regression");
  CHECK(value(context, "w") == Approx(2).margin(0.02));
  CHECK(value(context, "b") == Approx(1).margin(0.02));
  CHECK(value(context, "Epoch 90, Loss") == Approx(0.01).margin(0.005));
}

TEST_CASE("samples: both ways of preprocessing compute the same, and so do both ways of scaling") {
  for (const char* name : {"preprocessing", "variable-tracking"}) {
    const std::unique_ptr<Sample> a = make(name, "unoptimized"), b = make(name, "optimized");
    StepContext from_a, from_b;
    for (std::uint64_t i = 0; i < 10; ++i) {
      from_a.step = from_b.step = i;
      a->step(from_a);
      b->step(from_b);
      CHECK(*from_a.loss_value == *from_b.loss_value);
      CHECK(elements(from_a.gradients.at(0).value) == elements(from_b.gradients.at(0).value));
    }
    CHECK(from_a.gradients[0].name == "weights");
  }
  const StepContext published = run("variable-tracking", "as-published", 1);
  CHECK(*published.loss_value > 2 * *run("variable-tracking", "optimized", 1).loss_value);
}

TEST_CASE("samples: digits are learned, from a first loss near ln 10") {
  const std::unique_ptr<Sample> sample = make("mnist-mlp");
  StepContext context;
  double first = 0, last = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    context.step = i;
    sample->step(context);
    if (i == 0) first = *context.loss_value;
    if (i >= 180) last += *context.loss_value / 20;
  }
  CHECK(first == Approx(std::log(10)).margin(0.4));
  CHECK(last < 0.25 * first);
  sample->finish(context);
  CHECK(context.metrics.at("test_accuracy") > 0.75);
  CHECK(context.gradients.size() == 4);
  CHECK(context.gradients[0].name == "dense1/kernel");
}

TEST_CASE("samples: a step put back and run again gives the same bits") {
  for (const auto& [name, variant] : kTrained) {
    INFO(name << " " << variant);
    VariableCollector collector;
    const std::unique_ptr<Sample> sample = make(name, variant);
    StepContext context;
    for (std::uint64_t i = 0; i < 3; ++i) {
      context.step = i;
      const std::vector<std::uint64_t> state = sample->save_state();
      std::vector<Tensor> saved;
      for (const Variable& variable : collector.variables()) saved.push_back(variable.peek());
      sample->step(context);
      const double loss = *context.loss_value;
      std::vector<std::vector<double>> after;
      for (const Variable& variable : collector.variables()) after.push_back(elements(variable.peek()));
      REQUIRE(saved.size() == after.size());  // no variable may be made by a step: it could not be put back

      sample->restore_state(state);
      for (std::size_t v = 0; v < saved.size(); ++v) collector.variables()[v].assign(saved[v]);
      sample->step(context);
      CHECK(*context.loss_value == loss);
      for (std::size_t v = 0; v < saved.size(); ++v)
        CHECK(elements(collector.variables()[v].peek()) == after[v]);
    }
  }
}

TEST_CASE("samples: a step in the middle of a run asks the system for no memory") {
  if (!pool_caches()) return;
  for (const auto& [name, variant] : kTrained) {
    INFO(name << " " << variant);
    const std::unique_ptr<Sample> sample = make(name, variant);
    StepContext context;
    // No step here ends an epoch: what an epoch prints is new text.
    for (context.step = 0; context.step < 10; ++context.step) sample->step(context);
    const auto before = pool_stats().system_allocations;
    for (; context.step < 20; ++context.step) sample->step(context);
    CHECK(pool_stats().system_allocations == before);
  }
}

TEST_CASE("every way to the Jacobian of [x^2, x^3] at 2 gives 4 and 12", "[samples]") {
  for (const char* variant : {"loop", "vectorized", "forward-mode"}) {
    const StepContext context = run("jacobian", variant);
    CHECK(output(context, "jacobian").shape() == Shape{2, 1});
    CHECK(elements(output(context, "jacobian")) == std::vector<double>{4, 12});
    CHECK(context.metrics.contains("vectorized (us)"));
  }
}

TEST_CASE("the larger functions of the Jacobian sample agree in all variants", "[samples]") {
  for (const char* function : {"reductions", "mlp"}) {
    std::vector<double> first;
    for (const char* variant : {"loop", "vectorized", "forward-mode"}) {
      SampleOptions options = options_for("jacobian", variant);
      options.parameters["function"] = function;
      options.parameters["size"] = "8";
      StepContext context;
      find_sample("jacobian").make(options)->step(context);
      const std::vector<double> values = elements(output(context, "jacobian"));
      if (first.empty()) first = values;
      REQUIRE(values.size() == first.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        REQUIRE(values[i] == Approx(first[i]).epsilon(1e-5).margin(1e-6));
    }
  }
  SampleOptions options = options_for("jacobian", "loop");
  options.parameters["function"] = "cubes";
  CHECK_THROWS_WITH(find_sample("jacobian").make(options),
                    contains_text("expected powers, reductions or mlp"));
}

TEST_CASE("every way to the Hessian agrees with the formula, and Newton's method falls to the minimum",
          "[samples]") {
  std::optional<double> loss;
  for (const char* variant : {"nested-tapes", "forward-over-reverse", "vectorized"}) {
    const StepContext context = run("hessian", variant);
    CHECK(output(context, "hessian").shape() == Shape{4, 4});
    CHECK(context.metrics.at("difference from X^T S X") < 1e-12);
    if (loss) CHECK(*context.loss_value == Approx(*loss).epsilon(1e-10));
    loss = context.loss_value;
    // At the minimum the gradient is gone.
    for (const SampleOutput& gradient : context.gradients) {
      for (double g : elements(gradient.value)) CHECK(std::fabs(g) < 1e-3);
    }
  }
}

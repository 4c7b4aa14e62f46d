// What makes a traced function trace again, and two ways to stop it.
#include <memory>

#include "engine/graph/function.h"
#include "engine/nn/initializers.h"
#include "engine/ops/ops.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kCalls{"calls", "8", "how often the function is called"};
const SampleParameter kFeatures{"features", "3", "columns of the input"};

// A setting that a program makes again where it could keep one.
struct Config : Identity {
  double scale = 2;
};

FunctionOptions function_options(const std::string& variant, std::int64_t features) {
  FunctionOptions options{.arguments = {"x", "config"}};
  if (variant == "python-scalar") options.arguments[1] = "factor";
  if (variant == "optimized") {
    options.input_signature = std::vector<TensorSpec>{{.dims = {TensorSpec::kAny, features}, .name = "x"}};
  }
  options.reduce_retracing = variant == "relaxed";
  return options;
}

struct Retracing : Sample {
  std::string variant;
  std::int64_t calls, features;
  RandomKey key;
  Variable w;
  Config config;
  Function<Tensor(const Tensor&)> plain;
  Function<Tensor(const Tensor&, std::int64_t)> with_number;
  Function<Tensor(const Tensor&, Config&)> with_object;

  explicit Retracing(const SampleOptions& options)
      : variant(options.variant),
        calls(options.count(kCalls)),
        features(options.count(kFeatures)),
        key(key_of(options.seed, "x")),
        w(stateless_random_normal({features, 1}, key_of(options.seed, "w")), {.name = "w"}),
        plain(
            "f", [this](const Tensor& x) { return loss(x); }, function_options(variant, features)),
        with_number(
            "f",
            [this](const Tensor& x, std::int64_t factor) { return loss(x) * static_cast<double>(factor); },
            function_options(variant, features)),
        with_object(
            "f", [this](const Tensor& x, Config& given) { return loss(x) * given.scale; },
            function_options(variant, features)) {}

  Tensor loss(const Tensor& x) const { return reduce_mean(square(matmul(x, w))); }

  Tensor input(std::int64_t rows, std::uint64_t step) const {
    return stateless_random_normal({rows, features}, {key.seed, key.counter + step}).named("x");
  }

  void step(StepContext& context) override {
    const auto step = static_cast<std::int64_t>(context.step);
    Tensor result;
    if (variant == "python-scalar") {
      result = with_number(input(4, context.step), step + 1);
    } else if (variant == "new-object") {
      Config made_anew;
      result = with_object(input(4, context.step), made_anew);
    } else {
      result = plain(input(4 + step, context.step));  // a new shape each call
    }
    context.loss(result);
  }

  void finish(StepContext& context) override {
    const auto traces = plain.tracing_count() + with_number.tracing_count() + with_object.tracing_count();
    context.metric("traces", static_cast<double>(traces));
  }

  std::int64_t default_steps() const override { return calls; }
};

}  // namespace

SampleInfo retracing_sample() {
  return {
      .name = "retracing",
      .order = 50,
      .promise =
          "A function is traced again for each new shape, number or object; a signature or relaxed shapes "
          "end it.",
      .document = "0 and 3, tf.function",
      .variants = {"unoptimized", "python-scalar", "new-object", "optimized", "relaxed"},
      .parameters = {kCalls, kFeatures},
      .file = "retracing.cpp",
      .lesson =
          "A trace costs as much as thousands of small ops, and it is bound to what the call was given: the "
          "shape "
          "and dtype of a tensor, the value of a number, the identity of an object. With an input signature "
          "one "
          "trace serves every length; reduce_retracing finds the open dimension itself, at the second shape. "
          "TensorFlow warns at the fifth and sixth trace and is silent then; the list here goes on.",
      .make = make_sample<Retracing>,
  };
}

}  // namespace tapescope

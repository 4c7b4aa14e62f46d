// A gallery of gradients that come out None: one small program for each reason.
#include <thread>

#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/custom_gradient.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

void not_watched(StepContext& context) {
  Tensor x = constant(3.0).named("x");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = x * x;  // a constant: tape.watch(x) was not called
  }
  context.output("dy/dx", tape.gradient(y, x));
}

void not_trainable(StepContext& context) {
  Variable w(constant(3.0), {.name = "w", .trainable = false});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = w * w;
  }
  context.output("dy/dw", tape.gradient(y, w));
}

void watch_disabled(StepContext& context) {
  Variable w(constant(3.0), {.name = "w"});
  GradientTape tape({.watch_accessed_variables = false});
  Tensor y;
  {
    auto recording = tape.record();
    y = w * w;
  }
  context.output("dy/dw", tape.gradient(y, w));
}

void watched_too_late(StepContext& context) {
  Tensor x = constant(3.0).named("x");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = x * x;
    tape.watch(x);  // y has been computed already
  }
  context.output("dy/dx", tape.gradient(y, x));
}

void outside_tape_before(StepContext& context) {
  Variable scale(constant(2.0), {.name = "scale"});
  Tensor inputs = constant({1.0, 2.0, 3.0}).named("inputs");
  Tensor scaled = (inputs * scale).named("scaled");  // belongs into the block
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_sum(square(scaled));
  }
  context.output("dloss/dscale", tape.gradient(loss, scale));
}

void outside_tape_after(StepContext& context) {
  Variable w(constant(3.0), {.name = "w"});
  GradientTape tape;
  Tensor reward;
  {
    auto recording = tape.record();
    reward = square(w).named("reward");
  }
  Tensor loss = (-reward).named("loss");  // belongs into the block
  context.output("dloss/dw", tape.gradient(loss, w));
}

void paused(StepContext& context) {
  Variable w(constant(3.0), {.name = "w"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    Tensor hidden;
    {
      auto pause = tape.stop_recording();
      hidden = square(w).named("hidden");
    }
    y = exp(hidden);
  }
  context.output("dy/dw", tape.gradient(y, w));
}

void reset(StepContext& context) {
  Variable w(constant(3.0), {.name = "w"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    Tensor hidden = square(w).named("hidden");
    tape.reset();  // throws the square away
    y = exp(hidden);
  }
  context.output("dy/dw", tape.gradient(y, w));
}

void consumed(StepContext& context) {
  Variable w(constant(3.0), {.name = "w"});
  Variable b(constant(1.0), {.name = "b"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = w * w + b;
  }
  context.output("dy/dw", tape.gradient(y, w));
  try {
    context.output("dy/db", tape.gradient(y, b));  // the second question to a tape that is not persistent
  } catch (const Error& e) {
    context.error(e);
    context.output("dy/db", Tensor());
  }
}

void other_tape(StepContext& context) {
  Tensor x = constant(3.0).named("x");
  GradientTape first, second;
  Tensor y;
  {
    auto recording_first = first.record();
    auto recording_second = second.record();
    first.watch(x);
    y = x * x;
  }
  context.output("dy/dx", second.gradient(y, x));  // the first one was watching
}

void other_thread(StepContext& context) {
  Variable w(constant(3.0), {.name = "w"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    Tensor hidden;
    std::thread worker([&] { hidden = square(w).named("hidden"); });  // a tape sees its own thread alone
    worker.join();
    y = exp(hidden);
  }
  context.output("dy/dw", tape.gradient(y, w));
}

void stopped(StepContext& context) {
  Variable x(constant(3.0), {.name = "x"});
  Variable y(constant(4.0), {.name = "y"});
  GradientTape tape;
  Tensor g;
  {
    auto recording = tape.record();
    Tensor f = stop_gradient(x * y).named("f");
    g = x * f;
  }
  std::vector<Tensor> gradients = tape.gradient(g, {x, y});
  context.output("dg/dx", gradients[0]);
  context.output("dg/dy", gradients[1]);
}

void not_differentiable(StepContext& context) {
  Variable w(constant(2.6), {.name = "w"});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    Tensor level = round(w).named("level");  // rounding has no gradient
    loss = square(level - 2.0);
  }
  context.output("dloss/dw", tape.gradient(loss, w));
}

void argument_not_differentiable(StepContext& context) {
  Variable order(constant(1.0), {.name = "order"});
  Variable x(constant(2.0), {.name = "x"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = polygamma(order, x);  // differentiable by x alone
  }
  std::vector<Tensor> gradients = tape.gradient(y, {order, x});
  context.output("dy/dorder", gradients[0]);
  context.output("dy/dx", gradients[1]);
}

void integer_dtype(StepContext& context) {
  Variable n(constant(10, DType::i32), {.name = "n"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = n * n;
  }
  context.output("dy/dn", tape.gradient(y, n));
}

void integer_cast(StepContext& context) {
  Variable w(constant(3.7), {.name = "w"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    Tensor whole = cast(w, DType::i32).named("whole");
    y = square(cast(whole, DType::f32));
  }
  context.output("dy/dw", tape.gradient(y, w));
}

void host_round_trip(StepContext& context) {
  Variable x(constant({{1.0, 2.0}, {3.0, 4.0}}), {.name = "x"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    std::vector<double> squares = host_values(square(x).named("x2"));
    for (double& value : squares) value /= 4;
    y = reduce_mean(constant(squares, {2, 2}).named("scaled"));  // new values: the way back to x is lost
  }
  context.output("dy/dx", tape.gradient(y, x));
}

void state_update(StepContext& context) {
  Variable x0(constant(3.0), {.name = "x0"});
  Variable x1(constant(0.0), {.name = "x1"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    x1.assign_add(x0);  // changes the state; no tape follows that
    y = square(x1);
  }
  context.output("dy/dx0", tape.gradient(y, x0));
}

void overwritten(StepContext& context) {
  Variable w(constant(2.0), {.name = "w"});
  Tensor factor = w.value();  // a snapshot
  w.assign_add(1.0);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = square(factor);
  }
  context.output("dy/dw", tape.gradient(y, w));
}

void recreated_tensor(StepContext& context) {
  Tensor x = constant({1.0, 2.0, 3.0}).named("x");
  GradientTape tape;
  Tensor y, first;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = reduce_sum(square(x));
    first = slice(x, {0}, {1}).named("first");
  }
  context.output("dy/dfirst", tape.gradient(y, first));  // y was made from x, not from the slice
}

void custom_gradient_none(StepContext& context) {
  Variable x(constant(3.0), {.name = "x"});
  Variable limit(constant(1.0), {.name = "limit"});
  const CustomGradient clip_backward = custom_gradient("clip_backward", [](std::span<const Tensor> in) {
    return WithGradient{
        .outputs = {in[0] * in[1]}, .gradient = [](std::span<const Tensor> dy) {
          return std::vector{clip_by_value(dy[0], -1.0, 1.0), Tensor()};  // nothing for the second
        }};
  });
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = clip_backward(x, limit);
  }
  std::vector<Tensor> gradients = tape.gradient(y, {x, limit});
  context.output("dy/dx", gradients[0]);
  context.output("dy/dlimit", gradients[1]);
}

void traced_constant(StepContext& context) {
  Variable scale(constant(2.0), {.name = "scale"});
  const double factor = host_values(scale.value())[0];
  Function scaled("scaled",
                  [factor](const Tensor& x) { return x * factor; });  // the number is part of the graph
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = scaled(constant({1.0, 2.0, 3.0}).named("x"));
  }
  context.output("dy/dscale", tape.gradient(y, scale));
}

void branch_not_taken(StepContext& context) {
  Variable rise(constant(3.0), {.name = "rise"}), fall(constant(0.5), {.name = "fall"});
  const auto bend = [&](const Tensor& x) {
    return cond(
        x > 0, [&] { return x * rise; }, [&] { return x * fall; });
  };
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    bend(constant(-1.0));     // this one goes by fall
    y = bend(constant(2.0));  // and this one by rise
  }
  context.output("dy/dfall", tape.gradient(y, fall));
}

void inner_gradient_outside_outer_tape(StepContext& context) {
  Variable x(constant(1.0), {.name = "x"});
  GradientTape outer, inner;
  Tensor y;
  {
    auto recording_outer = outer.record();
    auto recording_inner = inner.record();
    y = x * x * x;
  }
  Tensor dy_dx = inner.gradient(y, x).named("dy/dx");  // belongs into the outer block
  context.output("dy/dx", dy_dx);
  context.output("d2y/dx2", outer.gradient(dy_dx, x));
}

void unused(StepContext& context) {
  Variable w(constant(3.0), {.name = "w"});
  Variable bias(constant(0.5), {.name = "bias"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = w * w;  // without the bias
  }
  std::vector<Tensor> gradients = tape.gradient(y, {w, bias});
  context.output("dy/dw", gradients[0]);
  context.output("dy/dbias", gradients[1]);
}

void independent(StepContext& context) {
  Variable x(constant(2.0), {.name = "x"});
  Variable y(constant(3.0), {.name = "y"});
  GradientTape tape;
  Tensor z;
  {
    auto recording = tape.record();
    Tensor penalty = square(x).named("penalty");  // never added to z
    z = y * y;
  }
  context.output("dz/dx", tape.gradient(z, x));
}

void empty_sources(StepContext& context) {
  Variable w(constant(3.0), {.name = "w"});
  std::vector<Traced> trainable;  // w was never put in
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = w * w;
  }
  context.metric("gradients", static_cast<double>(tape.gradient(y, trainable).size()));
}

struct Case {
  const char* variant;
  void (*step)(StepContext&);
};
constexpr Case kCases[] = {
    {"not-watched", not_watched},
    {"not-trainable", not_trainable},
    {"watch-disabled", watch_disabled},
    {"watched-too-late", watched_too_late},
    {"outside-tape-before", outside_tape_before},
    {"outside-tape-after", outside_tape_after},
    {"paused", paused},
    {"reset", reset},
    {"consumed", consumed},
    {"other-tape", other_tape},
    {"other-thread", other_thread},
    {"stop-gradient", stopped},
    {"not-differentiable", not_differentiable},
    {"argument-not-differentiable", argument_not_differentiable},
    {"integer-dtype", integer_dtype},
    {"integer-cast", integer_cast},
    {"host-round-trip", host_round_trip},
    {"state-update", state_update},
    {"overwritten", overwritten},
    {"recreated-tensor", recreated_tensor},
    {"custom-gradient-none", custom_gradient_none},
    {"traced-constant", traced_constant},
    {"branch-not-taken", branch_not_taken},
    {"inner-gradient-outside-outer-tape", inner_gradient_outside_outer_tape},
    {"unused", unused},
    {"independent", independent},
    {"empty-sources", empty_sources},
};

struct NoneGradients : Sample {
  void (*run)(StepContext&) = kCases[0].step;

  explicit NoneGradients(const SampleOptions& options) {
    for (const Case& known : kCases) {
      if (options.variant == known.variant) run = known.step;
    }
  }
  void step(StepContext& context) override { run(context); }
};

std::vector<std::string> variants() {
  std::vector<std::string> names;
  for (const Case& known : kCases) names.emplace_back(known.variant);
  return names;
}

}  // namespace

SampleInfo none_gradients_sample() {
  return {
      .name = "none-gradients",
      .order = 210,
      .promise = "Every way a gradient comes out None, each with the line that is to blame.",
      .document = "3, watching tensors and stopping gradients",
      .variants = variants(),
      .file = "none_gradients.cpp",
      .lesson =
          "None means that the tape found no recorded way from the target back to the source. It is no zero "
          "and no "
          "error, so it is easily overlooked. Each variant breaks that way differently; the gradients panel "
          "names "
          "the reason, the op where the way breaks and what to change. The lesson's comment after "
          "stop_gradient "
          "says 0, but the value printed is None.",
      .make = make_sample<NoneGradients>,
  };
}

}  // namespace tapescope

// Mistakes as people make them in models and losses, on the way from a weight to the target: the reason each
// is given, and how it goes away when one line moves.
#include "engine/tape/custom_gradient.h"
#include "tests/engine/explain/ask_why.h"

using namespace tapescope;

TEST_CASE("model: a metric is asked for in place of the loss", "[explain]") {
  for (const bool metric : {true, false}) {
    Variable w = variable("w");
    GradientTape tape;
    Tensor target;
    {
      auto recording = tape.record();
      const Tensor loss = square(w);
      target = metric ? constant(item(loss)).named("metric") : loss;
    }
    CHECK(why(tape, target, w) == (metric ? "host_round_trip" : "none"));
  }
}

TEST_CASE("model: the mean is taken on the host, by an op", "[explain]") {
  for (const bool on_host : {true, false}) {
    Variable w(row(1, 2), {.name = "w"});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor squares = square(w);
      if (on_host) {
        const std::vector<double> values = host_values(squares);
        loss = square(constant((values[0] + values[1]) / 2));
      } else {
        loss = square(reduce_mean(squares));
      }
    }
    CHECK(why(tape, loss, w) == (on_host ? "host_round_trip" : "none"));
  }
}

TEST_CASE("model: accuracy is used as a loss", "[explain]") {
  Variable w(row(0.3, 0.7), {.name = "w"});
  GradientTape tape;
  Tensor accuracy;
  {
    auto recording = tape.record();
    accuracy = reduce_mean(cast(equal(argmax(w), constant(1, DType::i64)), DType::f32)).named("accuracy");
  }
  CHECK(why(tape, accuracy, w) == "not_differentiable");
}

TEST_CASE("model: a threshold, and a gate that is smooth", "[explain]") {
  for (const bool hard : {true, false}) {
    Variable threshold = variable("threshold", 0.5), x = variable("x", 0.7);
    GradientTape tape({.persistent = true});
    Tensor y;
    {
      auto recording = tape.record();
      y = hard ? where(x > threshold, x, 0.0) : x * sigmoid(x - threshold);
    }
    CHECK(why(tape, y, threshold) == (hard ? "not_differentiable" : "none"));
    CHECK(why(tape, y, x) == "none");
  }
}

TEST_CASE("model: the position of a lookup, its table", "[explain]") {
  Variable table(row(0.1, 0.2), {.name = "table"}), position(constant({1}, DType::i32), {.name = "position"});
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    y = reduce_sum(gather(table, position));
  }
  CHECK(why(tape, y, position) == "integer_dtype");
  CHECK(why(tape, y, table) == "none");
}

TEST_CASE("model: a position computed from a weight", "[explain]") {
  Variable w = variable("w", 1.2), table(row(0.1, 0.2), {.name = "table"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = gather(table, cast(w, DType::i32));
  }
  CHECK(why(tape, y, w) == "integer_cast");
}

TEST_CASE("model: a mask goes through a boolean, through a product", "[explain]") {
  for (const bool boolean : {true, false}) {
    Variable mask(row(0, 1), {.name = "mask"});
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = reduce_sum(row(3, 4) * (boolean ? cast(cast(mask, DType::boolean), DType::f32) : mask.value()));
    }
    CHECK(why(tape, y, mask) == (boolean ? "integer_cast" : "none"));
  }
}

TEST_CASE("model: counted in whole numbers, in floating ones", "[explain]") {
  for (const bool whole : {true, false}) {
    Variable count(whole ? constant(10, DType::i32) : constant(10.0), {.name = "count"});
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = cast(count * count, DType::f32);
    }
    CHECK(why(tape, y, count) == (whole ? "integer_dtype" : "none"));
  }
}

TEST_CASE("model: the target network is behind stop_gradient", "[explain]") {
  Variable online = variable("online"), network = variable("network", 2.0);
  GradientTape tape({.persistent = true});
  Tensor loss;
  {
    auto recording = tape.record();
    loss = square(online - stop_gradient(network * 0.99));
  }
  CHECK(why(tape, loss, network) == "stop_gradient");
  CHECK(why(tape, loss, online) == "none");
}

TEST_CASE("model: fast weights are copied into a model, used themselves", "[explain]") {
  for (const bool copied : {true, false}) {
    Variable slow = variable("slow"), fast = variable("fast");
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor adapted = slow * 0.9;
      if (copied) fast.assign(adapted);
      loss = square(copied ? fast.value() : adapted);
    }
    CHECK(why(tape, loss, slow) == (copied ? "state_update" : "none"));
  }
}

TEST_CASE("model: a running total in a variable, in a tensor", "[explain]") {
  for (const bool in_variable : {true, false}) {
    Variable w = variable("w"), total = variable("total", 0.0, false);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor sum = constant(0.0);
      for (int i = 0; i < 3; ++i) {
        const Tensor part = w * double(i);
        if (in_variable) total.assign_add(part);
        else sum = sum + part;
      }
      loss = in_variable ? total.value() : sum;
    }
    CHECK(why(tape, loss, w) == (in_variable ? "state_update" : "none"));
  }
}

TEST_CASE("model: a head without a loss, with one", "[explain]") {
  for (const bool has_loss : {false, true}) {
    Variable body = variable("body"), head = variable("head");
    GradientTape tape({.persistent = true});
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor h = tanh(body);
      const Tensor other = h * head;
      loss = has_loss ? square(h) + other : square(h);
    }
    CHECK(why(tape, loss, head) == (has_loss ? "none" : "independent"));
    CHECK(why(tape, loss, body) == "none");
  }
}

TEST_CASE("model: a layer that is made and never called, called", "[explain]") {
  for (const bool called : {false, true}) {
    Variable kernel = variable("kernel"), extra = variable("extra");
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(kernel);
      if (called) loss = loss * extra;
    }
    CHECK(why(tape, loss, extra) == (called ? "none" : "unused"));
  }
}

TEST_CASE("model: a constant that the model was not given", "[explain]") {
  Tensor inputs = row(1, 2).named("inputs");
  Variable w = variable("w");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    tape.watch(inputs);
    loss = square(w);
  }
  CHECK(why(tape, loss, inputs) == "unused");
}

TEST_CASE("model: a loss that does not read its prediction", "[explain]") {
  Variable w = variable("w"), b = variable("b");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    const Tensor prediction = w * 2.0 + b;
    const Tensor labels = constant(1.0);
    loss = square(labels - labels).named("loss");
  }
  CHECK(why(tape, loss, w) == "independent");
}

TEST_CASE("model: a straight-through round that forgets to pass the gradient on", "[explain]") {
  for (const bool forgets : {true, false}) {
    Variable w = variable("w", 2.6);
    const CustomGradient rounded = custom_gradient("rounded", [&](std::span<const Tensor> x) {
      return WithGradient{.outputs = {round(x[0])}, .gradient = [&](std::span<const Tensor> dy) {
                            return std::vector<Tensor>{forgets ? Tensor() : dy[0]};
                          }};
    });
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = square(rounded(w));
    }
    CHECK(why(tape, y, w) == (forgets ? "custom_gradient_none" : "none"));
  }
}

TEST_CASE("model: a custom gradient for one of two arguments", "[explain]") {
  Variable a = variable("a"), b = variable("b");
  const CustomGradient product = custom_gradient("product", [](std::span<const Tensor> x) {
    return WithGradient{.outputs = {x[0] * x[1]}, .gradient = [y = x[1]](std::span<const Tensor> dy) {
                          return std::vector<Tensor>{dy[0] * y, Tensor()};
                        }};
  });
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    y = exp(product(a, b));
  }
  CHECK(why(tape, y, a) == "none");
  CHECK(why(tape, y, b) == "custom_gradient_none");
}

TEST_CASE("model: a custom gradient that asks another tape on the way back", "[explain]") {
  Variable a = variable("a"), b = variable("b");
  const CustomGradient product = custom_gradient("product", [](std::span<const Tensor> x) {
    return WithGradient{.outputs = {x[0] * x[1]},
                        .gradient = [x = x[0], y = x[1]](std::span<const Tensor> dy) {
                          GradientTape inner;
                          Tensor again;
                          {
                            auto recording = inner.record();
                            inner.watch(x);
                            again = x * y;
                          }
                          return std::vector<Tensor>{dy[0] * inner.gradient(again, x), Tensor()};
                        }};
  });
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    y = exp(product(product(a, constant(2.0)), b));
  }
  CHECK(why(tape, y, a) == "none");
  CHECK(why(tape, y, b) == "custom_gradient_none");
}

TEST_CASE("model: asked for a slice of the weights, for the weights", "[explain]") {
  Variable w(row(3, 4), {.name = "w"});
  GradientTape tape({.persistent = true});
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_sum(square(w));
  }
  CHECK(why(tape, loss, slice(w, {0}, {1})) == "recreated_tensor");
  CHECK(why(tape, loss, w) == "none");
}

TEST_CASE("model: asked for the variable that a model was rebuilt with", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = square(w);
  }
  w = variable("w");
  CHECK(why(tape, loss, w) == "recreated_tensor");
}

TEST_CASE("model: the order of a Bessel-like function is no argument to train", "[explain]") {
  Variable order = variable("order", 1.0);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = exp(polygamma(square(order), constant(2.0)));
  }
  CHECK(why(tape, y, order) == "argument_not_differentiable");
}

TEST_CASE("model: labels made from a weight", "[explain]") {
  Variable w(row(1, 2), {.name = "w"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = reduce_sum(sparse_softmax_cross_entropy_with_logits(cast(round(w), DType::i32),
                                                            constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})));
  }
  CHECK(why(tape, y, w) == "not_differentiable");
}

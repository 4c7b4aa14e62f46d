// Mistakes as people make them with tapes in training loops: the reason each is given, and how it goes away
// when one line moves.
#include <thread>

#include "tests/engine/explain/ask_why.h"

using namespace tapescope;

TEST_CASE("training: the loss is negated inside, after the block", "[explain]") {
  for (const bool after : {true, false}) {
    Variable w = variable("w");
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = square(w);
      if (!after) loss = -loss;
    }
    if (after) loss = -loss;
    CHECK(why(tape, loss, w) == (after ? "outside_tape_after" : "none"));
  }
}

TEST_CASE("training: the mean of the losses is taken inside, after the block", "[explain]") {
  for (const bool after : {true, false}) {
    Variable w(row(1, 2), {.name = "w"});
    GradientTape tape;
    Tensor losses, loss;
    {
      auto recording = tape.record();
      losses = square(w);
      if (!after) loss = reduce_mean(losses);
    }
    if (after) loss = reduce_mean(losses).named("loss");
    CHECK(why(tape, loss, w) == (after ? "outside_tape_after" : "none"));
  }
}

TEST_CASE("training: the forward pass runs before, inside the block", "[explain]") {
  for (const bool before : {true, false}) {
    Variable w = variable("w"), b = variable("b");
    GradientTape tape({.persistent = true});
    Tensor prediction, loss;
    if (before) prediction = (w * 2.0).named("prediction");
    {
      auto recording = tape.record();
      if (!before) prediction = w * 2.0;
      loss = square(prediction + b);
    }
    CHECK(why(tape, loss, w) == (before ? "outside_tape_before" : "none"));
    CHECK(why(tape, loss, b) == "none");
  }
}

TEST_CASE("training: the second epoch updates by subtraction, by assign_sub", "[explain]") {
  for (const bool by_assign : {false, true}) {
    Variable w = variable("w");
    Tensor parameter;
    for (int epoch = 0; epoch < 2; ++epoch) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = square(parameter ? Arg(parameter) : Arg(w));
      }
      if (epoch == 0) {
        const Tensor step = 0.1 * tape.gradient(loss, w);
        if (by_assign) w.assign_sub(step);
        else parameter = (w - step).named("w");
      } else if (by_assign) {
        CHECK(why(tape, loss, w) == "none");
      } else {
        CHECK(why(tape, loss, parameter) == "overwritten");
      }
    }
  }
}

TEST_CASE("training: a variable of variables is watched, taken from elsewhere", "[explain]") {
  for (const bool watched : {false, true}) {
    Variable w = variable("w"), frozen = variable("frozen", 2.0, false);
    GradientTape tape({.persistent = true, .watch_accessed_variables = false});
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(w);
      if (watched) tape.watch(frozen);
      loss = w * frozen;
    }
    CHECK(why(tape, loss, w) == "none");
    CHECK(why(tape, loss, frozen) == (watched ? "none" : "not_trainable"));
  }
}

TEST_CASE("training: one of two is left unwatched where variables are not watched by themselves",
          "[explain]") {
  Variable w = variable("w"), b = variable("b");
  GradientTape tape({.persistent = true, .watch_accessed_variables = false});
  Tensor loss;
  {
    auto recording = tape.record();
    tape.watch(w);
    loss = square(exp(w) + b);
  }
  CHECK(why(tape, loss, b) == "watch_disabled");
  CHECK(why(tape, loss, w) == "none");
}

TEST_CASE("training: a variable is watched after it was read where variables are not watched by themselves",
          "[explain]") {
  for (const bool late : {true, false}) {
    Variable w = variable("w");
    GradientTape tape({.watch_accessed_variables = false});
    Tensor loss;
    {
      auto recording = tape.record();
      if (!late) tape.watch(w);
      loss = square(w);
      if (late) tape.watch(w);
    }
    CHECK(why(tape, loss, w) == (late ? "watched_too_late" : "none"));
  }
}

TEST_CASE("training: inputs are watched after the first layer, before it", "[explain]") {
  for (const bool late : {true, false}) {
    Tensor images = row(1, 2).named("images");
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      if (!late) tape.watch(images);
      const Tensor scaled = images / 255.0;
      if (late) tape.watch(images);
      loss = reduce_sum(square(scaled));
    }
    CHECK(why(tape, loss, images) == (late ? "watched_too_late" : "none"));
  }
}

TEST_CASE("training: the running mean of a normalization is asked for", "[explain]") {
  Variable scale = variable("scale", 1.0), moving_mean = variable("moving_mean", 0.5, false);
  GradientTape tape({.persistent = true});
  Tensor loss;
  {
    auto recording = tape.record();
    loss = square((constant(2.0) - moving_mean) * scale);
  }
  CHECK(why(tape, loss, moving_mean) == "not_trainable");
  CHECK(why(tape, loss, scale) == "none");
}

TEST_CASE("training: a step under stop_recording, beside it", "[explain]") {
  for (const bool under : {true, false}) {
    Variable w(row(1, 2), {.name = "w"});
    GradientTape tape;
    Tensor scale, loss;
    {
      auto recording = tape.record();
      if (under) {
        auto pause = tape.stop_recording();
        scale = reduce_sum(w);
      } else {
        scale = reduce_sum(w);
      }
      loss = square(scale);
    }
    CHECK(why(tape, loss, w) == (under ? "paused" : "none"));
  }
}

TEST_CASE("training: the reading of a variable is paused, its use is not", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  Tensor value, loss;
  {
    auto recording = tape.record();
    {
      auto pause = tape.stop_recording();
      value = w.value();
    }
    loss = square(value);
  }
  CHECK(why(tape, loss, w) == "paused");
}

TEST_CASE("training: reset in the middle of a forward pass of two layers, before both", "[explain]") {
  for (const bool middle : {true, false}) {
    Variable first = variable("first"), second = variable("second");
    GradientTape tape({.persistent = true});
    Tensor loss;
    {
      auto recording = tape.record();
      if (!middle) tape.reset();
      const Tensor h = tanh(first);
      if (middle) tape.reset();
      loss = square(h * second);
    }
    CHECK(why(tape, loss, first) == (middle ? "reset" : "none"));
    CHECK(why(tape, loss, second) == "none");
  }
}

TEST_CASE("training: a helper asks for a gradient first", "[explain]") {
  Variable w = variable("w"), b = variable("b");
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = square(w * b);
  }
  const auto penalty = [&] { return tape.gradient(loss, w); };
  CHECK(penalty());
  CHECK_THROWS_AS(tape.gradient(loss, b), Error);
  CHECK(why_after(tape, loss, b) == "consumed");
}

TEST_CASE("training: two losses on a tape each, and the wrong one asked", "[explain]") {
  Variable w = variable("w");
  GradientTape generator({.name = "generator"}), critic({.name = "critic"});
  Tensor generator_loss, critic_loss;
  {
    auto recording = generator.record();
    generator_loss = square(w);
  }
  {
    auto recording = critic.record();
    critic_loss = exp(w);
  }
  CHECK(why(generator, critic_loss, w) == "other_tape");
  CHECK(why(critic, critic_loss, w) == "none");
}

TEST_CASE("training: one tape opened inside the other, around it", "[explain]") {
  for (const bool around : {true, false}) {
    Variable w = variable("w");
    GradientTape whole, part;
    Tensor h, y;
    {
      auto recording = whole.record();
      if (!around) h = square(w);
      {
        auto recording_part = part.record();
        if (around) h = square(w);
        y = exp(h);
      }
    }
    CHECK(why(part, y, w) == (around ? "none" : "other_tape"));
    CHECK(why(whole, y, w) == "none");
  }
}

TEST_CASE("training: examples are made on a worker thread", "[explain]") {
  for (const bool worker : {true, false}) {
    Variable scale = variable("scale");
    GradientTape tape;
    Tensor batch, loss;
    {
      auto recording = tape.record();
      const auto prepare = [&] { batch = constant(2.0) * scale; };
      if (worker) std::thread(prepare).join();
      else prepare();
      loss = square(batch);
    }
    CHECK(why(tape, loss, scale) == (worker ? "other_thread" : "none"));
  }
}

TEST_CASE("training: the slope for a penalty is asked for while the outer tape pauses, records",
          "[explain]") {
  for (const bool pauses : {true, false}) {
    Tensor images = row(1, 2).named("images");
    Variable w(row(3, 4), {.name = "w"});
    GradientTape outer, inner;
    Tensor slope, penalty;
    const auto ask = [&](const Tensor& score) { slope = inner.gradient(score, images); };
    {
      auto recording = outer.record();
      Tensor score;
      {
        auto recording_inner = inner.record();
        inner.watch(images);
        score = reduce_sum(square(images * w));
      }
      if (pauses) {
        auto pause = outer.stop_recording();
        ask(score);
      } else {
        ask(score);
      }
      penalty = reduce_sum(square(slope));
    }
    CHECK(why(outer, penalty, w) == (pauses ? "paused" : "none"));
  }
}

TEST_CASE("training: the slope for a penalty is asked for after the outer block, inside it", "[explain]") {
  for (const bool after : {true, false}) {
    Variable w = variable("w"), x = variable("x", 2.0);
    GradientTape outer, inner;
    Tensor score, penalty;
    {
      auto recording = outer.record();
      {
        auto recording_inner = inner.record();
        score = square(x * w);
      }
      if (!after) penalty = square(inner.gradient(score, x));
    }
    if (after) penalty = square(inner.gradient(score, x));
    CHECK(why(outer, penalty, w) == (after ? "inner_gradient_outside_outer_tape" : "none"));
  }
}

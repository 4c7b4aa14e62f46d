// Small programs that a tape does not follow, with the reason each is given; where one line moves, the reason
// follows.
#include <thread>

#include "tests/engine/explain/ask_why.h"

using namespace tapescope;

TEST_CASE("watch: in time, too late, never", "[explain]") {
  for (const int when : {0, 1, 2}) {
    Tensor x = constant(3.0).named("x");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      if (when == 0) tape.watch(x);
      y = x * x;
      if (when == 1) tape.watch(x);
    }
    CHECK(why(tape, y, x) == (when == 0 ? "none" : when == 1 ? "watched_too_late" : "not_watched"));
  }
}

TEST_CASE("a watch after the block does nothing", "[explain]") {
  Tensor x = constant(3.0).named("x");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = x * x;
  }
  tape.watch(x);
  CHECK(why(tape, y, x) == "not_watched");
}

TEST_CASE("trainable, not trainable, watched by hand", "[explain]") {
  for (const int kind : {0, 1, 2}) {
    Variable w = variable("w", 3.0, kind == 0);
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      if (kind == 2) tape.watch(w);
      y = w * w;
    }
    CHECK(why(tape, y, w) == (kind == 1 ? "not_trainable" : "none"));
  }
}

TEST_CASE("watch_accessed_variables off, and watched by hand then", "[explain]") {
  for (const bool by_hand : {false, true}) {
    Variable w = variable("w");
    GradientTape tape({.watch_accessed_variables = false});
    Tensor y;
    {
      auto recording = tape.record();
      if (by_hand) tape.watch(w);
      y = w * w;
    }
    CHECK(why(tape, y, w) == (by_hand ? "none" : "watch_disabled"));
  }
}

TEST_CASE("one op before, inside and after the block", "[explain]") {
  for (const int where : {0, 1, 2}) {
    Variable w = variable("w");
    GradientTape tape;
    Tensor h, y;
    if (where == 0) h = square(w);
    {
      auto recording = tape.record();
      if (where == 1) h = square(w);
      if (where != 2) y = exp(h);
      if (where == 2) h = square(w);
    }
    if (where == 2) y = exp(h);
    CHECK(why(tape, y, w) == (where == 0   ? "outside_tape_before"
                              : where == 1 ? "none"
                                           : "outside_tape_after"));
  }
}

TEST_CASE("a function of the target made in the question itself", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = square(w);
  }
  CHECK(why(tape, reduce_sum(y), w) == "outside_tape_after");
}

TEST_CASE("inside stop_recording, and beside it", "[explain]") {
  for (const bool inside : {true, false}) {
    Variable w = variable("w");
    GradientTape tape;
    Tensor h, y;
    {
      auto recording = tape.record();
      if (!inside) h = square(w);
      {
        auto pause = tape.stop_recording();
        if (inside) h = square(w);
      }
      y = exp(h);
    }
    CHECK(why(tape, y, w) == (inside ? "paused" : "none"));
  }
}

TEST_CASE("reset before and after the forward pass", "[explain]") {
  for (const bool after : {true, false}) {
    Variable w = variable("w");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      if (!after) tape.reset();
      y = square(w);
      if (after) tape.reset();
    }
    CHECK(why(tape, y, w) == (after ? "reset" : "none"));
  }
}

TEST_CASE("reset between two ops", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    const Tensor h = square(w);
    tape.reset();
    y = exp(h);
  }
  CHECK(why(tape, y, w) == "reset");
}

TEST_CASE("reset forgets what was watched by hand", "[explain]") {
  Tensor x = constant(3.0).named("x");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    tape.reset();
    y = square(x);
  }
  CHECK(why(tape, y, x) == "reset");
}

TEST_CASE("the second question to a tape that is not persistent", "[explain]") {
  for (const bool persistent : {false, true}) {
    Variable w = variable("w"), b = variable("b");
    GradientTape tape({.persistent = persistent});
    Tensor y;
    {
      auto recording = tape.record();
      y = w * b;
    }
    CHECK(why(tape, y, w) == "none");
    if (persistent) {
      CHECK(why(tape, y, b) == "none");
    } else {
      CHECK_THROWS_AS(tape.gradient(y, b), Error);
      CHECK(why_after(tape, y, b) == "consumed");
      CHECK(tape.explain(y, w).reason == Reason::none);
    }
  }
}

TEST_CASE("ops after gradient() inside the block", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  auto recording = tape.record();
  const Tensor y = square(w);
  tape.gradient(y, w);
  const Tensor z = exp(y);
  CHECK_THROWS_AS(tape.gradient(z, w), Error);
  CHECK(why_after(tape, z, w) == "consumed");
}

TEST_CASE("a tape that was never entered", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  const Tensor y = square(w);
  CHECK_THROWS_AS(tape.gradient(y, w), Error);
  CHECK(why_after(tape, y, w) == "consumed");
}

TEST_CASE("a used-up tape entered again begins again", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  Tensor y, z;
  {
    auto recording = tape.record();
    y = square(w);
  }
  tape.gradient(y, w);
  {
    auto recording = tape.record();
    z = exp(w);
  }
  CHECK(why(tape, z, w) == "none");
}

TEST_CASE("two tapes, one of which watches", "[explain]") {
  Tensor x = constant(3.0).named("x");
  GradientTape watching, other;
  Tensor y;
  {
    auto recording = watching.record();
    auto recording_other = other.record();
    watching.watch(x);
    y = x * x;
  }
  CHECK(why(other, y, x) == "other_tape");
  CHECK(why(watching, y, x) == "none");
}

TEST_CASE("two tapes one after the other", "[explain]") {
  Variable w = variable("w");
  GradientTape first, second({.persistent = true});
  Tensor y, z;
  {
    auto recording = first.record();
    y = square(w);
  }
  {
    auto recording = second.record();
    z = exp(w);
  }
  CHECK(why(second, y, w) == "other_tape");
  CHECK(why(second, z, w) == "none");
}

TEST_CASE("an op on another thread", "[explain]") {
  for (const bool elsewhere : {true, false}) {
    Variable w = variable("w");
    GradientTape tape;
    Tensor h, y;
    {
      auto recording = tape.record();
      if (elsewhere) {
        std::thread([&] { h = square(w); }).join();
      } else {
        h = square(w);
      }
      y = exp(h);
    }
    CHECK(why(tape, y, w) == (elsewhere ? "other_thread" : "none"));
    // What the thread did is known after its end as well.
    if (elsewhere) CHECK(tape.explain(y, w).path.size() == 3);
  }
}

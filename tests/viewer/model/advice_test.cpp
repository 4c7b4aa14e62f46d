// Each kind of advice on a program that needs it, and on one that does not.
#include "viewer/model/advice.h"

#include <algorithm>
#include <optional>

#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;
using tapescope::test::snapshot_of;
using tapescope::test::snapshot_of_unmarked;

namespace {

const AdviceRow* find(const std::vector<AdviceRow>& rows, std::string_view kind) {
  const auto at =
      std::find_if(rows.begin(), rows.end(), [&](const AdviceRow& row) { return row.kind == kind; });
  return at == rows.end() ? nullptr : &*at;
}

Tensor wide(double value = 0.5) { return make_full({64, 48}, value, DType::f32); }

}  // namespace

TEST_CASE("a variable that is read on the tape and never asked for costs a backward pass") {
  const auto step = [](bool snapshot) {
    return [snapshot](std::uint64_t) {
      const Variable weights(make_full({48, 8}, 0.1, DType::f32), {.name = "weights"});
      const Variable scale(make_full({}, 2, DType::f32), {.name = "scale"});
      const Tensor x = wide(), constant = scale.value();
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_mean(square(matmul(snapshot ? x * constant : x * scale, weights)));
      }
      tape.gradient(loss, weights);
    };
  };
  const auto rows = advise(*snapshot_of(step(false)));
  REQUIRE(find(rows, "unneeded_variable"));
  CHECK(find(rows, "unneeded_variable")->subject == "scale");
  CHECK(find(rows, "unneeded_variable")->saving_us > 0);
  CHECK_FALSE(find(rows, "unneeded_work"));
  CHECK(advise(*snapshot_of(step(true))).empty());
}

TEST_CASE("what a function's gradient runs is needed as its results are") {
  const Variable weights(make_full({48, 8}, 0.1, DType::f32), {.name = "weights"});
  Function<Tensor(const Tensor&)> product("product", [&](const Tensor& x) { return matmul(x * 2, weights); });
  const auto rows = advise(*snapshot_of([&](std::uint64_t) {
    const Tensor x = wide();
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(product(x)));
    }
    tape.gradient(loss, weights);
  }));
  CHECK_FALSE(find(rows, "unneeded_work"));
}

TEST_CASE("a watched tensor that is not asked for, and recorded work without a target, are unneeded work") {
  const Variable weights(make_full({48, 8}, 0.1, DType::f32), {.name = "weights"});
  const auto watched = snapshot_of([&](std::uint64_t) {
    const Tensor x = wide();
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(x);
      loss = reduce_mean(matmul(tanh(x), weights));
    }
    tape.gradient(loss, weights);
  });
  REQUIRE(find(advise(*watched), "unneeded_work"));
  const auto metric = snapshot_of([&](std::uint64_t) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor y = matmul(wide(), weights);
      loss = reduce_mean(y);
      reduce_max(exp(matmul(y, make_full({8, 64}, 1, DType::f32))));
    }
    tape.gradient(loss, weights);
  });
  const auto rows = advise(*metric);
  REQUIRE(find(rows, "unneeded_work"));
  CHECK(find(rows, "unneeded_work")->fix.find("stop_recording") != std::string::npos);
}

TEST_CASE("what updates and later work use is needed") {
  const Variable weights(make_full({48, 8}, 0.1, DType::f32), {.name = "weights"});
  const auto snapshot = snapshot_of([&](std::uint64_t) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(matmul(wide(), weights)));
    }
    weights.assign_sub(tape.gradient(loss, weights) * 0.1);
  });
  CHECK(advise(*snapshot).empty());
}

TEST_CASE("a gradient inside a persistent block is found, a gradient of a gradient is not") {
  const Variable x(make_full({32}, 2, DType::f32), {.name = "x"});
  const auto inside = [&](bool again) {
    return snapshot_of([&, again](std::uint64_t) {
      GradientTape tape({.persistent = true});
      Tensor y, first;
      {
        auto recording = tape.record();
        y = reduce_sum(x * x * x);
        first = tape.gradient(y, x);
      }
      tape.gradient(again ? first : y, x);
    });
  };
  CHECK(find(advise(*inside(false)), "gradient_inside_block"));
  CHECK_FALSE(find(advise(*inside(true)), "gradient_inside_block"));
}

TEST_CASE("a persistent tape is worth it from the second gradient on") {
  const auto asked = [](int times, std::int64_t elements = 8192) {
    const Variable x(make_full({elements}, 2, DType::f32), {.name = "x"});
    return snapshot_of([&, times](std::uint64_t) {
      GradientTape tape({.persistent = true});
      Tensor y;
      {
        auto recording = tape.record();
        y = reduce_sum(square(exp(x)));
      }
      for (int i = 0; i < times; ++i) tape.gradient(y, x);
    });
  };
  CHECK(find(advise(*asked(1)), "persistent_tape"));
  CHECK(find(advise(*asked(1, 400)), "persistent_tape"));
  CHECK_FALSE(find(advise(*asked(2)), "persistent_tape"));
  CHECK(find(advise(*asked(1, 50)), "persistent_tape"));
  CHECK_FALSE(find(advise(*asked(1, 7)), "persistent_tape"));  // 28 bytes are nothing to free
}

TEST_CASE(
    "a Jacobian that goes row by row needs its persistent tape, and leaves no op of the engine's to be "
    "blamed") {
  const Variable x(make_full({8}, 2, DType::f32), {.name = "x"});
  const auto rows = advise(*snapshot_of([&](std::uint64_t) {
    GradientTape tape({.persistent = true});
    Tensor y;
    {
      auto recording = tape.record();
      y = square(x);
    }
    tape.jacobian(y, x, {.vectorized = false});
  }));
  CHECK_FALSE(find(rows, "persistent_tape"));
  CHECK_FALSE(find(rows, "redundant_ops"));
}

TEST_CASE("a Jacobian row by row is found") {
  const Variable x(make_full({8}, 2, DType::f32), {.name = "x"});
  const auto snapshot = snapshot_of([&](std::uint64_t) {
    GradientTape tape({.persistent = true});
    std::vector<Tensor> rows;
    {
      auto recording = tape.record();
      const Tensor y = square(x);
      for (int i = 0; i < 8; ++i) rows.push_back(gather(y, make_full({}, i, DType::i32)));
    }
    for (const Tensor& row : rows) tape.gradient(row, x);
  });
  const auto advice = advise(*snapshot);
  REQUIRE(find(advice, "looped_jacobian"));
  // The arithmetic stays: what is saved is less than all passes but one.
  double us = 0;
  for (const GradientCall& call : snapshot->complete->calls) us += call.duration_us;
  CHECK(find(advice, "looped_jacobian")->saving_us > 0);
  CHECK(find(advice, "looped_jacobian")->saving_us <= us * 7 / 8);
  // Where it takes nearly all of a pass, next to nothing is saved.
  auto step = std::make_shared<StepView>(*snapshot->complete);
  for (GradientCall& call : step->calls) call.duration_us = 1000;
  for (const BackwardStep& walked : step->backward_steps) {
    for (std::uint32_t i = 0; i < walked.ops; ++i) step->ops[walked.first_op + i].duration_us = 0;
  }
  for (std::uint32_t call = 0; call < step->calls.size(); ++call) {
    const auto walked = std::ranges::find(step->backward_steps, call, &BackwardStep::call);
    REQUIRE(walked != step->backward_steps.end());
    step->ops[walked->first_op].duration_us = 990;
  }
  Snapshot busy = *snapshot;
  busy.complete = step;
  REQUIRE(find(advise(busy), "looped_jacobian"));
  CHECK(find(advise(busy), "looped_jacobian")->saving_us < 200);
}

TEST_CASE("rows of a Jacobian that output gradients pick are found, one weight for all questions is none") {
  const Variable x(make_full({8}, 2, DType::f32), {.name = "x"});
  const auto rows = [&](bool other_rows) {
    return advise(*snapshot_of([&](std::uint64_t) {
      GradientTape tape({.persistent = true});
      Tensor y;
      {
        auto recording = tape.record();
        y = sqrt(x);
      }
      const Tensor weight = one_hot(make_full({}, 3, DType::i32), 8);
      for (int i = 0; i < 8; ++i) {
        const Tensor which = other_rows ? one_hot(make_full({}, i, DType::i32), 8) : weight;
        tape.gradient(y, x, {.output_gradients = {which}});
      }
    }));
  };
  const auto found = rows(true);
  REQUIRE(find(found, "looped_jacobian"));
  CHECK(find(found, "looped_jacobian")->evidence.find("another row of the target") != std::string::npos);
  CHECK_FALSE(find(rows(false), "looped_jacobian"));
}

TEST_CASE("a small value that one loss learns by and another takes as it is, is no repeated work") {
  const Variable one(make_full({3}, 0.3, DType::f32), {.name = "one"});
  const Variable other(make_full({3}, 0.6, DType::f32), {.name = "other"});
  const Tensor time = make_full({3}, 0.7, DType::f32);
  const auto sound = [&](const Variable& voice) { return voice * sin(2.0 * time) + 0.5 * voice; };
  const auto rows = [&](bool apart) {
    return advise(*snapshot_of_unmarked([&] {
      for (int i = 0; i < 3; ++i) {
        GradientTape tape({.persistent = true});
        Tensor a, b;
        {
          const auto recording = tape.record();
          const auto heard = [&](const Variable& of) { return apart ? stop_gradient(sound(of)) : sound(of); };
          a = reduce_mean(square(sound(one) - heard(other)));
          b = reduce_mean(square(sound(other) - heard(one) - 0.5));
        }
        one.assign_sub(0.1 * tape.gradient(a, one));
        other.assign_sub(0.1 * tape.gradient(b, other));
      }
    }));
  };
  CHECK_FALSE(find(rows(true), "repeated_work"));
  CHECK(find(rows(false), "repeated_work"));
}

TEST_CASE("a saving is measured where the other program followed one advice and is quicker for it") {
  const AdviceRow unneeded{.kind = "unneeded_variable", .subject = "scale", .saving_us = 5};
  const AdviceRow repeated{.kind = "repeated_work", .subject = "a", .saving_us = 7};
  const AdviceRow small{.kind = "many_small_ops", .subject = "9 ops", .saving_us = 1};
  const Ratio quicker{0.75, 0.7, 0.8}, same{0.97, 0.9, 1.05};
  const auto measured = [](std::vector<AdviceRow> a, std::vector<AdviceRow> b, Ratio ratio) {
    measure(a, b, ratio, 100);
    return a;
  };
  const auto found = measured({unneeded, small}, {small}, quicker);
  CHECK(found[0].measured);
  CHECK(found[0].saving_us == Approx(25));
  CHECK_FALSE(found[1].measured);
  CHECK_FALSE(measured({unneeded, repeated}, {}, quicker)[0].measured);  // which of the two it was is unknown
  CHECK_FALSE(measured({unneeded}, {unneeded}, quicker)[0].measured);
  CHECK_FALSE(measured({unneeded}, {}, same)[0].measured);
  CHECK(measured({unneeded, repeated}, {repeated}, quicker)[0].measured);
}

TEST_CASE("fusing a chain saves no more than its passes beside the longest") {
  const auto snapshot = snapshot_of([](std::uint64_t) {
    const Tensor x = make_full({512, 512}, 0.5, DType::f32);
    reduce_sum(exp(tanh(square(x))));
  });
  const auto rows = advise(*snapshot);
  const AdviceRow* row = find(rows, "fusable_chain");
  REQUIRE(row);
  double us = 0, longest = 0;
  for (const OpRow& op : snapshot->complete->ops) {
    if (op.op != "Square" && op.op != "Tanh" && op.op != "Exp") continue;
    us += op.duration_us;
    longest = std::max(longest, op.duration_us);
  }
  CHECK(row->saving_us > 0);
  CHECK(row->saving_us == Approx(0.5 * (us - longest)));
}

TEST_CASE("equal ops on equal operands are repeated work, with an assignment between they are not") {
  const Variable w(wide(), {.name = "w"});
  const auto program = [&](bool assigned) {
    return snapshot_of([&, assigned](std::uint64_t) {
      const Tensor a = exp(w * w);
      if (assigned) w.assign(wide(0.25));
      const Tensor b = exp(w * w);
      reduce_sum(a + b);
    });
  };
  const auto rows = advise(*program(false));
  REQUIRE(find(rows, "repeated_work"));
  CHECK(find(rows, "repeated_work")->evidence.find("2 ops") == 0);
  CHECK_FALSE(find(advise(*program(true)), "repeated_work"));
}

TEST_CASE("ops that undo each other are redundant") {
  const auto snapshot = snapshot_of([](std::uint64_t) { reduce_sum(-(-wide())); });
  CHECK(find(advise(*snapshot), "redundant_ops"));
  CHECK_FALSE(find(advise(*snapshot_of([](std::uint64_t) { reduce_sum(-exp(-wide())); })), "redundant_ops"));
}

TEST_CASE("one call an example is found, a recurrence is not") {
  const Tensor weights = make_full({48, 48}, 0.01, DType::f32);
  const auto program = [&](bool recurrent) {
    return snapshot_of([&, recurrent](std::uint64_t) {
      const Tensor x = wide();
      Tensor h = make_full({1, 48}, 0, DType::f32);
      for (int i = 0; i < 32; ++i) {
        const Tensor row = expand_dims(gather(x, make_full({}, i, DType::i32)), 0);
        const Tensor mixed = recurrent ? row + h : row + 1.0;
        h = matmul(mixed, weights);
      }
    });
  };
  const auto found = [](const std::vector<AdviceRow>& rows) {
    return find(rows, "per_example_loop") != nullptr;
  };
  CHECK(found(advise(*program(false))));
  CHECK_FALSE(found(advise(*program(true))));
}

TEST_CASE("a sum over examples that one line adds up is a loop over examples, at the line of the slice") {
  const Variable weights(make_full({48}, 0.01, DType::f32), {.name = "weights"});
  int line = 0;
  const auto rows = advise(*snapshot_of([&](std::uint64_t) {
    const Tensor x = wide();
    Tensor total = constant(0.0, DType::f32);
    for (int i = 0; i < 32; ++i) {
      line = __LINE__ + 1;
      const Tensor row = gather(x, make_full({}, i, DType::i32));
      total = total + reduce_sum(square(row * weights));
    }
  }));
  const AdviceRow* row = find(rows, "per_example_loop");
  REQUIRE(row);
  CHECK(row->location == "advice_test.cpp:" + std::to_string(line));
}

TEST_CASE("a table whose rows are looked up and that is used whole has a dense gradient") {
  const auto found = [](bool whole) {
    const auto rows = advise(*snapshot_of([&](std::uint64_t) {
      const Variable table(make_full({2000, 8}, 0.1, DType::f32), {.name = "table"});
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        const Tensor looked_up = gather(table, make_full({3}, 1, DType::i32));
        loss = reduce_sum(square(looked_up)) + reduce_sum(square(whole ? table.value() : looked_up));
      }
      tape.gradient(loss, table);
    }));
    const AdviceRow* row = find(rows, "dense_from_sparse");
    return row ? row->subject : std::string();
  };
  CHECK(found(true) == "table");
  CHECK(found(false).empty());
}

TEST_CASE("a variable that another step asks for is not unneeded") {
  const Variable weights(make_full({48, 8}, 0.1, DType::f32), {.name = "weights"});
  const Variable scale(make_full({64, 48}, 2, DType::f32), {.name = "scale"});
  const auto rows = advise(*snapshot_of(
      [&](std::uint64_t step) {
        GradientTape tape;
        Tensor loss;
        {
          auto recording = tape.record();
          loss = reduce_mean(square(matmul(tanh(wide() * scale), weights)));
        }
        if (step == 0) tape.gradient(loss, scale);
        else tape.gradient(loss, weights);
      },
      2));
  CHECK_FALSE(find(rows, "unneeded_variable"));
}

TEST_CASE("traces that later calls use are no retraces to mend") {
  const auto found = [](int sizes) {
    const Variable w(constant(0.5), {.name = "w"});
    Function<Tensor(const Tensor&)> f("f", [&](const Tensor& x) { return reduce_sum(x * w); });
    const auto snapshot = snapshot_of(
        [&](std::uint64_t step) {
          f(make_full({1 + static_cast<std::int64_t>(step) % sizes}, 1, DType::f32));
        },
        12);
    return find(advise(*snapshot), "retraces") != nullptr;
  };
  CHECK_FALSE(found(2));
  CHECK(found(12));
}

TEST_CASE("general remarks come last") {
  const auto snapshot = snapshot_of([](std::uint64_t) {
    const Tensor x = make_full({512, 512}, 0.5, DType::f64);
    reduce_sum(exp(tanh(square(x))));
    reduce_sum(-(-x));
    matmul(x, x);
  });
  const auto rows = advise(*snapshot);
  REQUIRE(find(rows, "fusable_chain"));
  REQUIRE(find(rows, "precision"));
  REQUIRE(find(rows, "redundant_ops"));
  CHECK(rows.front().kind == "redundant_ops");
}

TEST_CASE(
    "a large unrolled loop is named with its nodes, rounds and line, and what tracing one round alone would "
    "save") {
  std::optional<Function<Tensor(const Tensor&)>> grow;
  const auto snapshot = snapshot_of(
      [&](std::uint64_t) {
        if (!grow) {
          grow.emplace("grow", [](Tensor y) {
            for (int i = 0; i < 300; ++i) y = tanh(y);
            return y;
          });
        }
        (*grow)(constant(1.0));
      },
      2);
  REQUIRE(snapshot->functions.size() == 1);
  REQUIRE(snapshot->functions[0].loops.size() == 1);
  const auto rows = advise(*snapshot);
  const AdviceRow* row = find(rows, "unrolled_loop");
  REQUIRE(row);
  CHECK(row->subject == "grow");
  CHECK(row->evidence.find("300 of the 300 nodes that grow was traced to") == 0);
  CHECK(row->evidence.find("300 rounds of one loop") != std::string::npos);
  CHECK(row->location.find("advice_test.cpp:") != std::string::npos);
  CHECK(row->fix.find("while_loop, map_fn or scan") != std::string::npos);
  CHECK_FALSE(row->measured);
  CHECK(row->saving_us == Approx(snapshot->functions[0].trace_us * 299 / 300 / 2));
}

TEST_CASE("many small ops are remarked in eager code, not in what functions run") {
  const auto small = [](const Tensor& x) {
    return std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 60; },
                                  [](const Tensor& i, const Tensor& v) { return std::tuple(i + 1, tanh(v)); },
                                  std::tuple(constant(0, DType::i32), x)));
  };
  const Variable w(constant(0.5), {.name = "w"});
  Function f("f", small);
  const auto found = [&](auto&& program) {
    Snapshot snapshot = *snapshot_of(
        [&](std::uint64_t) {
          GradientTape tape;
          Tensor y;
          {
            auto recording = tape.record();
            y = program(w * 2);
          }
          tape.gradient(y, w);
        },
        2);
    // However slow this build and this machine are.
    StepView step = *snapshot.complete;
    for (OpRow& op : step.ops) op.duration_us = 0.2;
    snapshot.complete = std::make_shared<const StepView>(step);
    return find(advise(snapshot), "many_small_ops") != nullptr;
  };
  CHECK(found(small));
  CHECK_FALSE(found(f));
}

TEST_CASE("two ways part at the line of the second") {
  const auto at = [](std::uint32_t line, const char* function) {
    return intern_site("meet.py", function, line, 0);
  };
  using Way = std::vector<SiteId>;
  const SiteId helper = at(2, "helper"), outer = at(30, "main");
  CHECK(advice::meeting_line(Way{helper, at(11, "loss"), outer}, Way{helper, at(14, "loss"), outer}) ==
        "meet.py:14");
  // Of two functions that one line calls the second.
  CHECK(advice::meeting_line(Way{helper, at(11, "loss"), outer}, Way{helper, at(21, "other"), outer}) ==
        "meet.py:21");
  // The second is called on the line of the first.
  CHECK(advice::meeting_line(Way{outer}, Way{helper, outer}) == "meet.py:30");
  CHECK(advice::meeting_line(Way{helper, outer}, Way{helper, outer}).empty());
  CHECK(advice::meeting_line(Way{helper}, Way{outer}).empty());
}

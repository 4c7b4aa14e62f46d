// Advice about programs that mark no steps: what a round does counts, said once however many rounds there
// are.
#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <memory>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"
#include "viewer/model/advice.h"

using namespace tapescope;
using tapescope::test::snapshot_of;
using tapescope::test::snapshot_of_unmarked;

namespace {

std::size_t count(const std::vector<AdviceRow>& rows, std::string_view kind) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const AdviceRow& row) { return row.kind == kind; }));
}

const AdviceRow& only(const std::vector<AdviceRow>& rows, std::string_view kind) {
  REQUIRE(count(rows, kind) == 1);
  return *std::find_if(rows.begin(), rows.end(), [&](const AdviceRow& row) { return row.kind == kind; });
}

// Rounds of `forward()`, each asked for the gradient of `of`, which is updated.
template <class Forward>
std::shared_ptr<const Snapshot> rounds_of(int rounds, const Variable& of, Forward&& forward) {
  return snapshot_of_unmarked([&] {
    for (int i = 0; i < rounds; ++i) {
      GradientTape tape;
      Tensor loss;
      {
        const auto recording = tape.record();
        loss = forward();
      }
      of.assign_sub(0.01 * tape.gradient(loss, of));
    }
  });
}

}  // namespace

TEST_CASE("a program without marks is split in rounds where a tape is entered after a question") {
  const Variable x(make_full({8}, 2, DType::f32), {.name = "x"});
  const auto snapshot = rounds_of(5, x, [&] { return reduce_sum(square(x)); });
  REQUIRE(snapshot->rounds.size() == 1);
  CHECK(snapshot->rounds[0]->calls.size() == 1);
  // Shown step by step, the last one complete.
  REQUIRE(snapshot->complete);
  CHECK(snapshot->complete->calls.size() == 1);
  CHECK(snapshot->complete->step == 3);
}

TEST_CASE("marked steps have no rounds") {
  const Variable x(make_full({8}, 2, DType::f32), {.name = "x"});
  const auto snapshot = test::snapshot_of_gradient([&] { return reduce_sum(square(x)); }, x, 3);
  CHECK(snapshot->rounds.empty());
}

TEST_CASE("rounds that one tape spans are one") {
  const Variable x(make_full({8192}, 2, DType::f32), {.name = "x"});
  const auto snapshot = snapshot_of_unmarked([&] {
    GradientTape kept({.persistent = true});
    Tensor y;
    {
      const auto recording = kept.record();
      y = square(x);
    }
    kept.gradient(y, x);
    GradientTape other;
    Tensor z;
    {
      const auto recording = other.record();
      z = exp(x);
    }
    other.gradient(z, x);
    kept.gradient(y, x);
  });
  CHECK(snapshot->rounds.size() == 1);
  CHECK(count(advise(*snapshot), "persistent_tape") == 0);
}

TEST_CASE("the same in each round is said once") {
  const Variable x(make_full({8192}, 2, DType::f32), {.name = "x"});
  const auto snapshot = snapshot_of_unmarked([&] {
    for (int i = 0; i < 6; ++i) {
      GradientTape tape({.persistent = true});
      Tensor y;
      {
        const auto recording = tape.record();
        y = reduce_sum(square(exp(x)));
      }
      tape.gradient(y, x);
    }
  });
  only(advise(*snapshot), "persistent_tape");
}

TEST_CASE("what only rounds repeat is no repeated work") {
  const Variable x(make_full({64}, 2, DType::f32), {.name = "x"}),
      y(make_full({64}, 1, DType::f32), {.name = "y"});
  const Tensor data = make_full({64}, 0.5, DType::f32);
  const auto snapshot = rounds_of(40, x, [&] { return reduce_sum(square(data) * x + y); });
  CHECK(count(advise(*snapshot), "repeated_work") == 0);
}

TEST_CASE("a factorization of one matrix twice is repeated work") {
  const Variable reach(make_full({}, 1.5, DType::f32), {.name = "reach"});
  const Tensor apart = make_full({40, 40}, 0.5, DType::f32);
  const Tensor unit = eye(40) * 3.0;
  const auto factor = [&] { return cholesky(exp(-apart / square(reach)) + unit); };
  const auto twice = rounds_of(3, reach, [&] {
    const Tensor lower = factor();
    return reduce_sum(square(lower)) + reduce_sum(matrix_diag_part(factor()));
  });
  CHECK(only(advise(*twice), "repeated_work").evidence.find("ops a step") != std::string::npos);
  const auto once = rounds_of(3, reach, [&] {
    const Tensor lower = factor();
    return reduce_sum(square(lower)) + reduce_sum(matrix_diag_part(lower));
  });
  CHECK(count(advise(*once), "repeated_work") == 0);
}

TEST_CASE("a small forward pass that runs twice is repeated work, numbers in its expressions included") {
  const Variable w(make_full({3}, 0.3, DType::f32), {.name = "w"});
  const Tensor x = make_full({3}, 0.7, DType::f32);
  const auto model = [&] { return reduce_sum(tanh(2.0 * w * x + 0.5)); };
  const auto twice = rounds_of(3, w, [&] { return square(model() - 1.0) + 0.1 * model(); });
  only(advise(*twice), "repeated_work");
  const auto once = rounds_of(3, w, [&] {
    const Tensor y = model();
    return square(y - 1.0) + 0.1 * y;
  });
  CHECK(count(advise(*once), "repeated_work") == 0);
}

TEST_CASE("slices that one line takes in turn are no repeated work") {
  const Variable w(make_full({32, 64}, 0.3, DType::f32), {.name = "w"});
  const auto snapshot = rounds_of(2, w, [&] {
    Tensor sum = make_full({1, 64}, 0, DType::f32);
    for (int i = 0; i < 32; ++i) sum = sum + slice(w, {i, 0}, {1, 64}) * static_cast<double>(i + 1);
    return reduce_sum(sum);
  });
  CHECK(count(advise(*snapshot), "repeated_work") == 0);
}

TEST_CASE("one example after the other, each a tensor of the program, is a loop that a batch replaces") {
  const Variable slope(make_full({4}, 0.3, DType::f32), {.name = "slope"});
  std::vector<Tensor> examples;
  for (int i = 0; i < 24; ++i) examples.push_back(make_full({4}, 0.1 * i, DType::f32));
  const auto error = [&](const Tensor& x) { return square(reduce_sum(slope * x) - 1.0); };
  const auto rows = advise(*rounds_of(2, slope, [&] {
    Tensor sum = make_full({}, 0, DType::f32);
    for (const Tensor& example : examples) sum = sum + error(example);
    return sum;
  }));
  CHECK(only(rows, "per_example_loop").evidence.find("runs Mul 24 times a step") != std::string::npos);
  // Each turn takes what the one before made: no batch replaces it.
  const auto recurrence = advise(*rounds_of(2, slope, [&] {
    Tensor state = make_full({4}, 0.2, DType::f32);
    for (const Tensor& example : examples) state = tanh(slope * state + example);
    return reduce_sum(state);
  }));
  CHECK(count(recurrence, "per_example_loop") == 0);
  // Or what it is compared with comes of that.
  const auto simulation = advise(*rounds_of(2, slope, [&] {
    Tensor state = make_full({4}, 0.2, DType::f32), missed = make_full({}, 0, DType::f32);
    for (const Tensor& example : examples)
      state = tanh(slope * state + 0.1), missed = missed + reduce_sum(square(example - state));
    return missed;
  }));
  CHECK(count(simulation, "per_example_loop") == 0);
  // Few turns are not worth a person's time.
  examples.resize(8);
  const auto few = advise(*rounds_of(2, slope, [&] {
    Tensor sum = make_full({}, 0, DType::f32);
    for (const Tensor& example : examples) sum = sum + error(example);
    return sum;
  }));
  CHECK(count(few, "per_example_loop") == 0);
}

TEST_CASE("an op that undoes the one before it is named with it") {
  const Variable level(make_full({64}, 0.1, DType::f32), {.name = "level"});
  const auto snapshot = rounds_of(2, level, [&] { return reduce_sum(exp(log(1.0 + square(level)))); });
  const auto rows = advise(*snapshot);
  const AdviceRow& row = only(rows, "redundant_ops");
  CHECK(row.evidence.find("undoes the Log") != std::string::npos);
  CHECK(row.fix == "leave both the Log and the Exp out");
  const auto plain = rounds_of(2, level, [&] { return reduce_sum(exp(-log(1.0 + square(level)))); });
  CHECK(count(advise(*plain), "redundant_ops") == 0);
}

TEST_CASE("a square undoes a root, as a power of two and in another shape as well") {
  const Variable level(make_full({64}, 0.1, DType::f32), {.name = "level"});
  const auto undone = [&](const std::function<Tensor(const Tensor&)>& raised) {
    const auto snapshot = rounds_of(2, level, [&] {
      const Tensor root = sqrt(1.0 + square(level));
      return reduce_sum(raised(root));
    });
    return count(advise(*snapshot), "redundant_ops");
  };
  CHECK(undone([](const Tensor& root) { return square(root); }) == 1);
  CHECK(undone([](const Tensor& root) { return pow(root, 2.0); }) == 1);
  CHECK(undone([](const Tensor& root) { return square(reshape(root, {8, 8})); }) == 1);
  CHECK(undone([](const Tensor& root) { return pow(root, 3.0); }) == 0);
}

TEST_CASE("a cast to a type that holds less is not undone by the cast back") {
  const Variable x(make_full({2000}, 0.1, DType::f32), {.name = "x"});
  const auto through = [&](DType type) {
    return rounds_of(2, x, [&, type] { return reduce_sum(cast(cast(square(x), type), DType::f32)); });
  };
  CHECK(count(advise(*through(DType::f64)), "redundant_ops") == 1);
  CHECK(count(advise(*through(DType::f16)), "redundant_ops") == 0);
}

TEST_CASE("persistent tapes that pile up from round to round are a leak although they end with the program") {
  const Variable x(make_full({64}, 2, DType::f32), {.name = "x"});
  const auto leaks = [&](std::size_t kept, bool persistent, bool asked_again) {
    const auto snapshot = snapshot_of_unmarked([&] {
      std::vector<std::unique_ptr<GradientTape>> tapes;
      std::vector<Tensor> losses;
      for (int i = 0; i < 12; ++i) {
        tapes.push_back(std::make_unique<GradientTape>(TapeOptions{.persistent = persistent}));
        {
          const auto recording = tapes.back()->record();
          losses.push_back(reduce_sum(square(x)));
        }
        tapes.back()->gradient(losses.back(), x);
        if (asked_again && i > 0) tapes.front()->gradient(losses.front(), x);
        if (tapes.size() > kept) tapes.erase(tapes.begin());
      }
    });
    for (const AlertRow& alert : snapshot->alerts)
      CHECK(alert.location.starts_with("advice_rounds_test.cpp:"));  // not a line of <memory>
    return std::count_if(snapshot->alerts.begin(), snapshot->alerts.end(),
                         [](const AlertRow& alert) { return alert.kind == "leak"; });
  };
  CHECK(leaks(100, true, false) == 1);
  CHECK(leaks(3, true, false) == 0);     // a few are kept, the rest go
  CHECK(leaks(100, false, false) == 0);  // they hold nothing once they were asked
  CHECK(leaks(100, true, true) == 0);    // asked again: kept on purpose
}

TEST_CASE("one persistent tape that records round after round is a leak, unless it is reset") {
  const Variable x(make_full({64}, 2, DType::f32), {.name = "x"});
  const auto leaks = [&](int rounds, bool reset) {
    const auto snapshot = snapshot_of_unmarked([&] {
      GradientTape tape({.persistent = true});
      for (int i = 0; i < rounds; ++i) {
        Tensor loss;
        {
          const auto recording = tape.record();
          if (reset) tape.reset();
          loss = reduce_sum(square(x));
        }
        x.assign_sub(0.01 * tape.gradient(loss, x));
      }
    });
    // Rounds with an update between them are no rows of a Jacobian.
    CHECK(count(advise(*snapshot), "looped_jacobian") == 0);
    return std::count_if(snapshot->alerts.begin(), snapshot->alerts.end(),
                         [](const AlertRow& alert) { return alert.kind == "leak"; });
  };
  CHECK(leaks(12, false) == 1);
  CHECK(leaks(12, true) == 0);
  CHECK(leaks(4, false) == 0);  // some blocks that belong together
}

TEST_CASE("a tape for each example whose gradients are added up is a loop that a batch replaces") {
  const Variable slope(make_full({4}, 0.3, DType::f32), {.name = "slope"});
  enum class Use { added, scaled, normed, listed, updates };
  const auto rows = [&](Use use) {
    return advise(*snapshot_of_unmarked([&] {
      for (int round = 0; round < 3; ++round) {
        Tensor sum = make_full({4}, 0, DType::f32);
        std::vector<Tensor> list;
        for (int i = 0; i < 20; ++i) {
          GradientTape tape;
          Tensor error;
          {
            const auto recording = tape.record();
            error = square(reduce_sum(slope * make_full({4}, 0.1 * i, DType::f32)) - 1.0);
          }
          const Tensor gradient = tape.gradient(error, slope);
          if (use == Use::added) sum = sum + gradient;
          else if (use == Use::scaled) sum = sum + gradient * 0.5;
          else if (use == Use::normed) sum = sum + reduce_sum(square(gradient));
          else if (use == Use::listed) list.push_back(gradient);
          else slope.assign_sub(0.001 * gradient);
        }
        slope.assign_sub(0.01 * sum);
      }
    }));
  };
  CHECK(only(rows(Use::added), "per_example_loop").evidence.find("20 tapes") != std::string::npos);
  only(rows(Use::scaled), "per_example_loop");
  CHECK(count(rows(Use::normed), "per_example_loop") == 0);
  CHECK(count(rows(Use::listed), "per_example_loop") == 0);   // each is wanted by itself
  CHECK(count(rows(Use::updates), "per_example_loop") == 0);  // each is a step
}

TEST_CASE("parts of two tensors that a loop takes in turn are replaced by the tensors") {
  const Variable gain(make_full({}, 0.8, DType::f32), {.name = "gain"});
  const Tensor x = make_full({32}, 0.3, DType::f32), y = make_full({32}, 0.2, DType::f32);
  const auto rows = advise(*rounds_of(2, gain, [&] {
    Tensor error = make_full({}, 0, DType::f32);
    for (int i = 0; i < 32; ++i) error = error + square(gain * at(x, i) - at(y, i));
    return error;
  }));
  only(rows, "per_example_loop");
}

TEST_CASE("one target asked for source after source is repeated work, two targets are not") {
  const Variable a(make_full({2000}, 0.3, DType::f32), {.name = "a"});
  const Variable b(make_full({2000}, 0.2, DType::f32), {.name = "b"});
  const auto rows = [&](bool two_targets) {
    return advise(*snapshot_of_unmarked([&] {
      for (int i = 0; i < 3; ++i) {
        GradientTape tape({.persistent = true});
        Tensor one, other;
        {
          const auto recording = tape.record();
          const Tensor both = tanh(a * b);
          one = reduce_sum(square(both));
          other = reduce_sum(exp(both));
        }
        a.assign_sub(0.01 * tape.gradient(one, a));
        b.assign_sub(0.01 * tape.gradient(two_targets ? other : one, b));
      }
    }));
  };
  CHECK(only(rows(false), "repeated_work").fix.find("{a, b}") != std::string::npos);
  CHECK(count(rows(true), "repeated_work") == 0);
}

TEST_CASE("what takes most of each round and uses no variable is computed once before the loop") {
  const Variable trend(make_full({72, 1}, 0.1, DType::f32), {.name = "trend"});
  const Tensor spread = eye(72) * 3.0, other = eye(72) * 2.0;
  int round = 0;
  const auto rows = [&](bool changes) {
    return advise(*rounds_of(4, trend, [&] {
      const Tensor matrix = changes && ++round % 2 == 0 ? other : spread;
      return reduce_mean(square(triangular_solve(cholesky(matrix + 0.1 * eye(72)), trend)));
    }));
  };
  const AdviceRow row = only(rows(false), "repeated_work");
  CHECK(row.subject == "Cholesky");
  CHECK(row.evidence.find("in each round") != std::string::npos);
  CHECK(count(rows(true), "repeated_work") == 0);
}

TEST_CASE("rows that a product with one-hot rows takes from a large table are a look-up") {
  const auto rows = [](std::int64_t table) {
    return advise(*snapshot_of_unmarked([&] {
      const Variable places(make_full({table, 20}, 0.1, DType::f32), {.name = "places"});
      const Tensor ids = constant({3, 1, 4, 1}, DType::i32);
      for (int i = 0; i < 2; ++i) {
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          loss = reduce_sum(square(matmul(one_hot(ids, table), places)));
        }
        places.assign_sub(0.01 * tape.gradient(loss, places));
      }
    }));
  };
  CHECK(only(rows(900), "dense_from_sparse").subject == "places");
  CHECK(count(rows(20), "dense_from_sparse") == 0);
}

TEST_CASE("rows that are looked up in what was computed of a whole table could have been looked up first") {
  const auto rows = [](std::int64_t looked_up) {
    return advise(*snapshot_of_unmarked([&] {
      const Variable tunes(make_full({3000, 4}, 0.1, DType::f32), {.name = "tunes"});
      const Tensor ids = cast(linspace(0.0, 2999.0, looked_up), DType::i32);
      for (int i = 0; i < 2; ++i) {
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          loss = reduce_sum(square(gather(tanh(tunes), ids)));
        }
        tunes.assign_sub(0.01 * tape.gradient(loss, tunes));
      }
    }));
  };
  const std::vector<AdviceRow> few = rows(5);
  CHECK(only(few, "dense_from_sparse").subject == "tunes");
  CHECK(only(few, "dense_from_sparse").evidence.find("Tanh") != std::string::npos);
  CHECK(count(rows(2500), "dense_from_sparse") == 0);
}

namespace {

Tensor shade(const Variable& density) { return exp(-density * 2.0); }
Tensor even(const Tensor& light) { return reduce_mean(square(light)); }

}  // namespace

TEST_CASE("work that a helper repeats is placed on the line that called it again") {
  const Variable density(make_full({2000}, 0.3, DType::f32), {.name = "density"});
  const auto line = [](int number) { return "advice_rounds_test.cpp:" + std::to_string(number); };
  int second = 0;
  const auto snapshot = rounds_of(3, density, [&] {
    const Tensor uneven = 0.5 * even(shade(density));
    second = __LINE__ + 1;
    const Tensor burnt = 2.0 * reduce_sum(even(shade(density)));
    return uneven + burnt;
  });
  // Whichever op took longest in a run.
  for (const std::string_view slow : {"Exp", "Square", "Mul"}) {
    Snapshot with = *snapshot;
    for (auto& round : with.rounds) {
      StepView step = *round;
      for (OpRow& op : step.ops) op.duration_us = op.op == slow ? 50 : 1;
      round = std::make_shared<const StepView>(step);
    }
    const auto rows = advise(with);
    const AdviceRow& row = only(rows, "repeated_work");
    CHECK(row.location == line(second));
    CHECK(row.evidence.find("even") != std::string::npos);
  }
}

TEST_CASE("what a frozen model makes of the same examples in each round is computed once") {
  const Variable kernel(make_full({32, 32}, 0.1, DType::f32), {.name = "kernel", .trainable = false});
  const Variable head(make_full({32, 1}, 0.1, DType::f32), {.name = "head"});
  const Tensor examples = eye(32) * 3.0;
  const auto rows = [&](bool changes, bool trains) {
    Tensor data = examples;
    return advise(*test::snapshot_of_gradient(
        [&] {
          if (changes) data = data + 0.1;
          if (trains) kernel.assign_sub(0.01 * eye(32));
          return reduce_mean(square(matmul(tanh(matmul(data, kernel)), head)));
        },
        head, 3));
  };
  CHECK(only(rows(false, false), "repeated_work").subject == "MatMul");
  CHECK(count(rows(true, false), "repeated_work") == 0);
  CHECK(count(rows(false, true), "repeated_work") == 0);
}

TEST_CASE("marked steps compute what lasts in each as well") {
  const Variable trend(make_full({72, 1}, 0.1, DType::f32), {.name = "trend"});
  const Tensor spread = eye(72) * 3.0;
  const auto rows = [&](bool changes) {
    Tensor matrix = spread;
    return advise(*test::snapshot_of_gradient(
        [&] {
          if (changes) matrix = matrix + 0.1;
          return reduce_mean(square(triangular_solve(cholesky(matrix + 0.1 * eye(72)), trend)));
        },
        trend, 3));
  };
  CHECK(only(rows(false), "repeated_work").subject == "Cholesky");
  CHECK(count(rows(true), "repeated_work") == 0);
}

TEST_CASE("features that a loop computes before its tape, the same in each round, are computed once") {
  const Variable kernel(make_full({48, 48}, 0.02, DType::f32), {.name = "kernel", .trainable = false});
  const Variable head(make_full({48, 1}, 0.1, DType::f32), {.name = "head"});
  const Tensor examples = eye(48) * 3.0;
  const auto rows = [&](bool changes) {
    Tensor data = examples;
    return advise(*snapshot_of_unmarked([&] {
      for (int i = 0; i < 4; ++i) {
        if (changes) data = data + 0.1;
        const Tensor features = tanh(matmul(tanh(matmul(data, kernel)), kernel));
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          loss = reduce_mean(square(matmul(features, head)));
        }
        head.assign_sub(0.01 * tape.gradient(loss, head));
      }
    }));
  };
  CHECK(only(rows(false), "repeated_work").subject.starts_with("MatMul"));
  CHECK(count(rows(true), "repeated_work") == 0);
}

TEST_CASE("what a helper does belongs to the line that calls it, where the source is at hand") {
  const Variable w(make_full({2000}, 0.3, DType::f32), {.name = "w"});
  const Tensor x = make_full({2000}, 0.7, DType::f32);
  const std::uint32_t begin = __LINE__ + 1;
  const auto model = [&] { return tanh(w * x); };
  const auto snapshot = snapshot_of_unmarked([&] {
    for (int i = 0; i < 3; ++i) {
      GradientTape tape;
      Tensor loss;
      {
        const auto recording = tape.record();
        loss = reduce_sum(square(model()));
      }
      const Tensor gradient = tape.gradient(loss, w);
      const Tensor unused = model();
      w.assign_sub(0.01 * gradient);
    }
  });
  const auto row = [&](const std::shared_ptr<const SourceFiles>& sources) {
    Snapshot with = *snapshot;
    with.sources = sources;
    return only(advise(with), "repeated_work");
  };
  const std::string at = fmt::format("advice_rounds_test.cpp:{}", begin);
  CHECK(row(nullptr).location == at);
  SourceFile file{.path = "advice_rounds_test.cpp", .lines = std::vector<std::string>(begin + 11)};
  file.lines[begin - 1] = "  const auto model = [&] { return tanh(w * x); };";
  file.lines[begin + 6] = "        loss = reduce_sum(square(model()));";
  file.lines[begin + 9] = "      const Tensor unused = model();";
  const AdviceRow placed = row(std::make_shared<SourceFiles>(SourceFiles{{file.path, file}}));
  CHECK(placed.location == fmt::format("advice_rounds_test.cpp:{}", begin + 10));
  CHECK(placed.evidence.ends_with(", in model at " + at));
}

TEST_CASE("values that the host reads, changes and gives back in each round are a round trip") {
  enum class Use { scaled, same_number, printed, other_size, constant_number };
  const auto rows = [](Use use) {
    const Variable w(linspace(0.5, 2.0, 6), {.name = "w"});
    return advise(*snapshot_of_unmarked([&] {
      for (int i = 0; i < 3; ++i) {
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          loss = reduce_sum(square(w));
          if (use == Use::same_number) loss = loss / item(reduce_max(square(w)));
          // The 3 was there before the read.
          if (use == Use::constant_number) loss = loss / 3.0 + item(reduce_mean(w * 0.0 + 3.0)) * 0.0;
        }
        const Tensor gradient = tape.gradient(loss, w);
        std::vector<double> values = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
        if (use == Use::printed) {
          INFO("gradient " << host_values(gradient)[0]);
        } else if (use == Use::scaled) {
          values = host_values(gradient);
          for (double& value : values) value *= 0.1;
        } else if (use == Use::other_size) {
          values.assign(6, host_values(reduce_mean(gradient))[0] * 0.1);
        }
        w.assign_sub(constant(values) * 0.5);
      }
    }));
  };
  const std::vector<AdviceRow> scaled = rows(Use::scaled);
  const AdviceRow& row = only(scaled, "host_round_trip");
  CHECK(row.evidence.find("6 values") != std::string::npos);
  CHECK(row.location.starts_with("advice_rounds_test.cpp:"));
  only(rows(Use::same_number), "host_round_trip");
  for (const Use use : {Use::printed, Use::other_size, Use::constant_number})
    CHECK(count(rows(use), "host_round_trip") == 0);
}

TEST_CASE("a small second pass is repeated work where it takes many operations") {
  const auto repeated = [](std::int64_t inner) {
    const auto snapshot = snapshot_of_unmarked([&] {
      const Variable w(make_full({inner, 8}, 0.01, DType::f32), {.name = "w"});
      const Tensor x = linspace(0.1, 0.9, 4 * inner);
      for (int i = 0; i < 2; ++i) {
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          const Tensor rows = reshape(x, {4, inner});
          const auto embedded = [&] { return matmul(rows, w); };
          loss = reduce_sum(square(embedded() - 0.1)) + reduce_sum(exp(embedded()));
        }
        w.assign_sub(0.01 * tape.gradient(loss, w));
      }
    });
    return count(advise(*snapshot), "repeated_work");
  };
  CHECK(repeated(512) == 1);
  CHECK(repeated(8) == 0);
}

TEST_CASE("pairs of a variable's rows are examples of one tensor, although each row is read anew") {
  const Variable places(reshape(linspace(-1.0, 2.0, 24), {8, 3}), {.name = "places"});
  const auto snapshot = rounds_of(2, places, [&] {
    Tensor energy = constant(0.0);
    for (int i = 0; i < 8; ++i) {
      for (int j = i + 1; j < 8; ++j)
        energy = energy + 1.0 / (reduce_sum(square(places(i) - places(j))) + 0.1);
    }
    return energy;
  });
  only(advise(*snapshot), "per_example_loop");
}

// Zero gradients of variables that are used only in a branch that did not run, in the graph of a function.
#include <functional>

#include <fmt/format.h>
#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"

#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;
using tapescope::test::snapshot_of;

namespace {

int cond_line = 0;

struct Branches {
  Variable rise{constant(3.0), {.name = "rise"}}, fall{constant(0.5), {.name = "fall"}},
      both{constant(0.0), {.name = "both"}};
  Tensor bend(const Tensor& x) const {
    cond_line = __LINE__ + 1;
    return cond(
        x > 0, [&] { return x * rise * both; }, [&] { return x * fall * both; });
  }
};

const GradientRow& row_of(const std::vector<GradientRow>& rows, std::string_view source) {
  for (const GradientRow& row : rows) {
    if (row.source == source) return row;
  }
  FAIL("no row of " << source);
  return rows.front();
}

}  // namespace

TEST_CASE("a zero gradient in a function names the branch that did not run") {
  Branches b;
  Function f("f", [&](const Tensor& x) { return b.bend(x); });
  const auto gradients = [&](double at) {
    return snapshot_of([&, at](std::uint64_t) {
             const Tensor x = constant(at);
             GradientTape tape;
             tape.enter();
             tape.watch(x);
             const Tensor y = f(x);
             tape.exit();
             tape.gradient(y, {b.rise, b.fall, b.both});
           })
        ->gradients;
  };
  const auto rises = gradients(2);
  const GradientRow& fall = row_of(rises, "fall");
  CHECK(fall.status == GradientStatus::zero);
  CHECK(fall.reason == "branch_not_taken");
  CHECK(fall.message.find("used only by the second branch of cond") != std::string::npos);
  CHECK(fall.location.find(fmt::format("branch_zero_test.cpp:{}", cond_line)) != std::string::npos);
  // Zero too, since what it is multiplied with is: another reason, though it stands in a branch.
  const GradientRow& rise = row_of(rises, "rise");
  CHECK(rise.status == GradientStatus::zero);
  CHECK(rise.reason != "branch_not_taken");
  CHECK(row_of(rises, "both").status == GradientStatus::value);
}

TEST_CASE("a zero gradient in a function names the other branch when the other one runs") {
  Branches b;
  Function f("f", [&](const Tensor& x) { return b.bend(x); });
  int step = 0;
  const auto snapshot = snapshot_of(
      [&](std::uint64_t) {
        const Tensor x = constant(step++ == 0 ? 2.0 : -2.0);
        GradientTape tape;
        tape.enter();
        const Tensor y = f(x);
        tape.exit();
        tape.gradient(y, {b.rise, b.fall});
      },
      2);
  const GradientRow& rise = row_of(snapshot->gradients, "rise");
  CHECK(rise.reason == "branch_not_taken");
  CHECK(rise.message.find("used only by the first branch of cond") != std::string::npos);
  CHECK(row_of(snapshot->gradients, "fall").reason != "branch_not_taken");
}

namespace {

constexpr std::string_view kReason = "branch_not_taken";

// Rows of the last of `steps` steps, in each of which f(2) runs.
template <class F>
std::vector<GradientRow> rows_of(F& f, std::uint64_t steps = 1) {
  return snapshot_of([&](std::uint64_t) { f(constant(2.0)); }, steps)->gradients;
}

// What a program computes and its gradients, asked by a tape inside the function; `watched` are among the
// sources.
template <class Program>
std::vector<Tensor> with_gradients(std::vector<Traced> sources, Program&& program,
                                   const std::vector<Tensor>& watched = {}) {
  GradientTape tape;
  std::vector<Tensor> all(1);
  {
    auto recording = tape.record();
    for (const Tensor& tensor : watched) tape.watch(tensor);
    all[0] = program();
  }
  for (Tensor& gradient : tape.gradient(all[0], sources)) all.push_back(std::move(gradient));
  return all;
}

}  // namespace

TEST_CASE(
    "a tape inside the function names the branch that did not run, in the step of the trace and later") {
  const Variable rise(constant(3.0), {.name = "rise"}), fall(constant(0.5), {.name = "fall"});
  for (const std::uint64_t steps : {1u, 3u}) {
    Function f("f", [&](const Tensor& x) {
      return with_gradients({fall}, [&] {
        return cond(
            x > 0, [&] { return x * rise; }, [&] { return x * fall; });
      });
    });
    const auto rows = rows_of(f, steps);
    const GradientRow& row = row_of(rows, "fall");
    CHECK(row.status == GradientStatus::zero);
    CHECK(row.reason == kReason);
    CHECK(row.message.find("used only by the second branch of cond") != std::string::npos);
  }
}

TEST_CASE("a watched argument of the function that only the other branch takes") {
  Function f("f",
             [&](const Tensor& x, const Tensor& unused) {
               return with_gradients({x, unused},
                                     [&] {
                                       return cond(
                                           x > 0, [&] { return x * x; }, [&] { return x * unused; });
                                     },
                                     {x, unused});
             },
             {.arguments = {"x", "unused"}});
  const auto rows = snapshot_of([&](std::uint64_t) { f(constant(2.0), constant(5.0)); }, 2)->gradients;
  CHECK(row_of(rows, "x").status == GradientStatus::value);
  CHECK(row_of(rows, "unused").status == GradientStatus::zero);
  CHECK(row_of(rows, "unused").reason == kReason);
}

TEST_CASE("a variable given as an argument, and one that was read before the cond") {
  const Variable given(constant(0.5), {.name = "given"}), early(constant(0.5), {.name = "early"});
  Function f("f", [&](const Tensor& x, const Variable& v) {
    const Tensor read = early * 2;
    return cond(
        x > 0, [&] { return x * 2; }, [&] { return x * v * read; });
  });
  const auto rows = snapshot_of([&](std::uint64_t) {
                      const Tensor x = constant(2.0);
                      GradientTape tape;
                      tape.enter();
                      tape.watch(x);
                      const Tensor y = f(x, given);
                      tape.exit();
                      tape.gradient(y, {given, early});
                    })->gradients;
  CHECK(row_of(rows, "given").reason == kReason);
  CHECK(row_of(rows, "early").reason == kReason);
  INFO(row_of(rows, "early").message);
  CHECK(row_of(rows, "early").message.find("What is computed from ") == 0);
}

TEST_CASE("a cond inside a branch, asked from inside and from outside") {
  const Variable inner(constant(0.5), {.name = "inner"}), outer(constant(0.5), {.name = "outer"});
  const auto program = [&](const Tensor& x) {
    const auto nested = [&] {
      return cond(
          x > 1, [&] { return x * 2; }, [&] { return x * inner; });
    };
    return cond(x > 0, nested, [&] { return x * outer; });
  };
  Function inside("inside", [&](const Tensor& x) {
    return with_gradients({inner, outer}, [&] { return program(x); });
  });
  Function whole("whole", program);
  const auto outside = snapshot_of([&](std::uint64_t) {
                         const Tensor x = constant(2.0);
                         GradientTape tape;
                         tape.enter();
                         tape.watch(x);
                         const Tensor y = whole(x);
                         tape.exit();
                         tape.gradient(y, {inner, outer});
                       })->gradients;
  for (const auto& rows : {rows_of(inside), outside}) {
    CHECK(row_of(rows, "inner").reason == kReason);
    CHECK(row_of(rows, "outer").reason == kReason);
    CHECK(row_of(rows, "inner").location != row_of(rows, "outer").location);
  }
}

TEST_CASE("a function that gives gradients alone, of which the optimizer left no forward op") {
  const Variable inner(constant(0.5), {.name = "inner"}), outer(constant(0.5), {.name = "outer"}),
      kept(constant(0.5), {.name = "kept"});
  Function bend("bend", [&](const Tensor& x, const Tensor& other) {
    const auto nested = [&] {
      return cond(
          x > 1, [&] { return x * 2; }, [&] { return x * inner; });
    };
    return cond(x > 0, nested, [&] { return x * outer * other; }) + kept * 0;
  });
  Function only(
      "only",
      [&](const Tensor& x, const Tensor& given) {
        auto all = with_gradients({inner, outer, kept, given}, [&] { return bend(x, given * 2); }, {given});
        all.erase(all.begin());
        return all;
      },
      {.arguments = {"x", "given"}});
  const auto rows = snapshot_of([&](std::uint64_t) { only(constant(2.0), constant(3.0)); }, 2)->gradients;
  for (const char* source : {"inner", "outer", "given"}) {
    INFO(source);
    CHECK(row_of(rows, source).status == GradientStatus::zero);
    CHECK(row_of(rows, source).reason == kReason);
  }
  CHECK(row_of(rows, "kept").status == GradientStatus::zero);
  CHECK(row_of(rows, "kept").reason != kReason);
}

TEST_CASE("one branch of three, inside the function") {
  const Variable third(constant(0.5), {.name = "third"});
  Function f("f", [&](const Tensor& x) {
    using Branch = std::function<Tensor()>;
    return with_gradients({third}, [&] {
      return switch_case(
          cast(x, DType::i32) - 2,
          std::vector<Branch>{[&] { return x; }, [&] { return x * 2; }, [&] { return x * third; }});
    });
  });
  const auto rows = rows_of(f);
  CHECK(row_of(rows, "third").reason == kReason);
  CHECK(row_of(rows, "third").message.find("used only by branch 2 of cond") != std::string::npos);
  CHECK(row_of(rows, "third").message.find("the first branch ran") != std::string::npos);
}

TEST_CASE("a function called in a function, with the tape in either") {
  const Variable fall(constant(0.5), {.name = "fall"});
  Function bend("bend", [&](const Tensor& x, const Tensor& other) {
    return cond(
        x > 0, [&] { return x * 2; }, [&] { return x * fall * other; });
  });
  // The second one is asked for a tensor that the caller computes.
  Function around("around", [&](const Tensor& x) {
    const Tensor other = x * 3;
    return with_gradients({fall, other}, [&] { return bend(x, other); }, {other});
  });
  const auto rows = rows_of(around, 2);
  REQUIRE(rows.size() == 2);
  for (const GradientRow& row : rows) CHECK(row.reason == kReason);

  // The callee asks for its own argument, which its caller gives.
  Function within("within", [&](const Tensor& x, const Tensor& other) {
    return with_gradients({fall, other}, [&] { return bend(x, other); }, {other});
  });
  Function caller("caller", [&](const Tensor& x) { return within(x, x * 3); });
  const auto of_callee = rows_of(caller, 2);
  REQUIRE(of_callee.size() == 2);
  for (const GradientRow& row : of_callee) CHECK(row.reason == kReason);
}

TEST_CASE("what the branch that ran hands on, or another op takes too, is not blamed on the other branch") {
  const Variable w(constant(0.0), {.name = "w"}), zero(constant(0.0), {.name = "zero"});
  Function f("f", [&](const Tensor& x) {
    return with_gradients({w}, [&] {
      const Tensor read = tanh(w);
      const Tensor kept = cond(
          x > 0, [&] { return read; }, [&] { return x; });
      const Tensor other = cond(
          x > 0, [&] { return x; }, [&] { return read * x; });
      return kept * zero + other;
    });
  });
  const auto rows = rows_of(f);
  CHECK(row_of(rows, "w").status == GradientStatus::zero);
  CHECK(row_of(rows, "w").reason != kReason);
}

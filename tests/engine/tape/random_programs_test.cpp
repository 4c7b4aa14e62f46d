// Random programs, differentiated by the engine in every way and by naive dual numbers. TAPESCOPE_LONG=1 runs
// thousands.
#include <cstdlib>

#include <fmt/format.h>

#include "engine/ops/ops.h"
#include "engine/ops/slices.h"
#include "engine/tape/forward.h"
#include "engine/tape/tape.h"
#include "tests/engine/tape/random_oracle.h"
#include "tests/engine/tape/random_run.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::random_programs;

namespace {

// The engine's leaves, and a run of the program.
struct Machine {
  const Program& program;
  std::vector<Traced> sources;

  explicit Machine(const Program& p) : program(p) {
    for (const Leaf& leaf : p.leaves) {
      const Tensor values = make_tensor(leaf.values, leaf.shape, leaf.dtype);
      if (leaf.variable) sources.push_back(Variable(values));
      else sources.push_back(values);
    }
  }
  void watch(GradientTape& tape) const {
    for (std::size_t l = 0; l < sources.size(); ++l) {
      if (program.leaves[l].watched && !program.leaves[l].variable) tape.watch(sources[l]);
    }
  }
  std::vector<Traced> run() const {
    std::vector<Tensor> values;
    for (const Traced& source : sources)
      values.push_back(source.variable() ? source.variable().value() : source.tensor());
    run_program(program, values);
    std::vector<Traced> targets;
    for (int target : program.targets) {
      // A variable asked for itself is its handle; its value is another tensor.
      const std::size_t t = static_cast<std::size_t>(target);
      if (t < sources.size()) targets.push_back(sources[t]);
      else targets.push_back(values[t]);
    }
    return targets;
  }
};

// A weight for element e of a leaf or target: no two are alike.
double weight(std::size_t e, std::size_t of) {
  return 0.5 + 0.37 * static_cast<double>((e * 5 + of * 3) % 7);
}

struct Judge {
  const Program& program;
  double tolerance = 1e-9;

  explicit Judge(const Program& p) : program(p) {
    for (const Leaf& leaf : p.leaves) coarse(leaf.dtype == DType::f32);
    for (const Instruction& step : p.instructions) coarse(step.kind == Kind::to_f32);
  }
  void coarse(bool yes) {
    if (yes) tolerance = 2e-3;
  }
  double value(std::size_t l, std::size_t e) const { return program.leaves[l].values[e]; }

  // The targets, when element `e` of leaf `l` moves.
  std::vector<Array<Dual<double>>> moved(std::size_t l, std::size_t e) const {
    return pick(naive_run<Dual<double>>(program, [&](std::size_t leaf, std::size_t at) {
      return Dual<double>(value(leaf, at), leaf == l && at == e ? 1 : 0);
    }));
  }
  template <class T>
  std::vector<T> pick(std::vector<T> values) const {
    std::vector<T> targets;
    for (int target : program.targets) targets.push_back(std::move(values[static_cast<std::size_t>(target)]));
    return targets;
  }
  bool connected(std::size_t l) const {
    bool any = false;
    for (const auto& target :
         pick(naive_run<double>(program, [&](std::size_t leaf, std::size_t e) { return value(leaf, e); })))
      any |= target.from[l];
    return any;
  }

  std::string compare(const Tensor& got, const std::vector<double>& want, bool none, std::size_t l,
                      std::string_view what) const {
    if (!got) return none ? "" : fmt::format("{} for v{} is None", what, l);
    if (none) return fmt::format("{} for v{} is not None", what, l);
    if (got.numel() != static_cast<std::int64_t>(want.size()))
      return fmt::format("{} for v{} is {}", what, l, got.type().text());
    double size = 1;
    for (double w : want) size = std::max(size, std::fabs(w));
    for (std::size_t e = 0; e < want.size(); ++e) {
      const double g = element(got, static_cast<std::int64_t>(e));
      if (!(std::fabs(g - want[e]) <= tolerance * size))
        return fmt::format("{} for v{}, element {}: {}, naively {}", what, l, e, g, want[e]);
    }
    return "";
  }
};

std::string check_gradients(const Judge& judge, const std::vector<Tensor>& got) {
  for (std::size_t l = 0; l < got.size(); ++l) {
    std::vector<double> want;
    for (std::size_t e = 0; e < judge.program.leaves[l].values.size(); ++e) {
      double sum = 0;
      for (const auto& target : judge.moved(l, e)) {
        for (const auto& v : target.v) sum += v.d;
      }
      want.push_back(sum);
    }
    if (std::string wrong = judge.compare(got[l], want, !judge.connected(l), l, "the gradient");
        !wrong.empty())
      return wrong;
  }
  return "";
}

std::string check_second(const Machine& machine, const Judge& judge) {
  GradientTape outer;
  std::vector<Traced> gradients;
  GradientOptions options;
  {
    auto outside = outer.record();
    machine.watch(outer);
    GradientTape inner;
    std::vector<Traced> targets;
    {
      auto inside = inner.record();
      machine.watch(inner);
      targets = machine.run();
    }
    const std::vector<Tensor> first = inner.gradient(targets, machine.sources);
    for (std::size_t l = 0; l < first.size(); ++l) {
      if (!first[l]) continue;
      std::vector<double> weights;
      for (std::int64_t e = 0; e < first[l].numel(); ++e)
        weights.push_back(weight(static_cast<std::size_t>(e), l));
      gradients.push_back(to_dense(first[l]));  // a gather's is kept as rows, which no tape follows
      options.output_gradients.push_back(make_tensor(weights, first[l].shape(), first[l].dtype()));
    }
  }
  const std::vector<Tensor> second = outer.gradient(gradients, machine.sources, options);
  using Twice = Dual<Dual<double>>;
  for (std::size_t l = 0; l < second.size(); ++l) {
    std::vector<double> want;
    for (std::size_t e = 0; e < judge.program.leaves[l].values.size(); ++e) {
      double sum = 0;
      const auto values = naive_run<Twice>(judge.program, [&](std::size_t leaf, std::size_t at) {
        // Leaves that are not watched have no first gradient to weigh.
        const bool asked = judge.program.leaves[leaf].watched;
        return Twice({judge.value(leaf, at), leaf == l && at == e ? 1.0 : 0.0},
                     {asked ? weight(at, leaf) : 0.0, 0.0});
      });
      for (const auto& target : judge.pick(values)) {
        for (const auto& v : target.v) sum += v.d.d;
      }
      want.push_back(sum);
    }
    // Where the first gradient is constant the second is None; the naive one is 0.
    if (!second[l]) {
      const bool zero = std::all_of(want.begin(), want.end(), [](double w) { return std::fabs(w) < 1e-9; });
      if (!zero && judge.program.leaves[l].watched)
        return fmt::format("the second gradient for v{} is None", l);
      continue;
    }
    if (std::string wrong = judge.compare(second[l], want, false, l, "the second gradient"); !wrong.empty())
      return wrong;
  }
  return "";
}

std::string check_jacobian(const Machine& machine, const Judge& judge) {
  for (bool vectorized : {true, false}) {
    GradientTape tape({.persistent = true});
    std::vector<Traced> targets;
    {
      auto recording = tape.record();
      machine.watch(tape);
      targets = machine.run();
    }
    const std::vector<Tensor> got = tape.jacobian(targets[0], machine.sources, {.vectorized = vectorized});
    for (std::size_t l = 0; l < got.size(); ++l) {
      const std::size_t columns = judge.program.leaves[l].values.size(),
                        rows = static_cast<std::size_t>(targets[0].type().numel);
      std::vector<double> want(rows * columns);
      for (std::size_t e = 0; e < columns; ++e) {
        const auto target = std::move(judge.moved(l, e)[0]);
        for (std::size_t r = 0; r < rows; ++r) want[r * columns + e] = target.v[r].d;
      }
      if (std::string wrong = judge.compare(got[l], want, !judge.connected(l), l,
                                            vectorized ? "the Jacobian" : "the looped Jacobian");
          !wrong.empty())
        return wrong;
    }
  }
  return "";
}

std::string check_tangent(const Machine& machine, const Judge& judge) {
  std::vector<Traced> primals;
  std::vector<Tensor> tangents;
  for (std::size_t l = 0; l < machine.sources.size(); ++l) {
    const Leaf& leaf = judge.program.leaves[l];
    if (!leaf.watched) continue;
    std::vector<double> values;
    for (std::size_t e = 0; e < leaf.values.size(); ++e) values.push_back(weight(e, l));
    primals.push_back(machine.sources[l]);
    tangents.push_back(make_tensor(values, leaf.shape, leaf.dtype));
  }
  ForwardAccumulator accumulator(primals, tangents);
  std::vector<Traced> targets;
  {
    auto recording = accumulator.record();
    targets = machine.run();
  }
  const auto target =
      std::move(judge.pick(naive_run<Dual<double>>(judge.program, [&](std::size_t l, std::size_t e) {
        return Dual<double>(judge.value(l, e), judge.program.leaves[l].watched ? weight(e, l) : 0);
      }))[0]);
  std::vector<double> want;
  for (const auto& v : target.v) want.push_back(v.d);
  bool none = true;
  for (std::size_t l = 0; l < target.from.size(); ++l) none &= !target.from[l];
  return judge.compare(accumulator.jvp(targets[0]), want, none, 0, "the tangent");
}

std::string check(const Program& program) {
  const Machine machine(program);
  const Judge judge(program);
  try {
    switch (program.question) {
      case Question::second: return check_second(machine, judge);
      case Question::jacobian: return check_jacobian(machine, judge);
      case Question::tangent: return check_tangent(machine, judge);
      default: break;
    }
    GradientTape tape({.persistent = program.question == Question::twice});
    std::vector<Traced> targets;
    {
      auto recording = tape.record();
      machine.watch(tape);
      targets = machine.run();
    }
    std::string wrong = check_gradients(judge, tape.gradient(targets, machine.sources));
    if (wrong.empty() && tape.persistent())
      wrong = check_gradients(judge, tape.gradient(targets, machine.sources));
    return wrong;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("random programs are differentiated as naive dual numbers do", "[random]") {
  const std::uint64_t programs = std::getenv("TAPESCOPE_LONG") ? 20000 : 1000;
  std::uint64_t connected = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const Program program = random_program(seed);
    const std::string wrong = check(program);
    for (std::size_t l = 0; l < program.leaves.size(); ++l) connected += Judge(program).connected(l);
    if (wrong.empty()) continue;
    const Program small = shrunk(program, check);
    FAIL_CHECK(check(small) << "\n" << small.text());
  }
  CHECK(connected > programs);  // each has one to four leaves: most gradients are none of None
}

TEST_CASE("a wrong gradient in a random program is found and cornered", "[random]") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    Program program = random_program(seed, 30);
    program.question = Question::gradient;
    bool any = false;
    for (Instruction& step : program.instructions) {
      if (step.kind != Kind::square) continue;
      step.kind = Kind::wrong_square;
      any = true;
    }
    if (!any || check(program).empty()) continue;  // no square, or none that the target depends on
    ++found;
    const Program small = shrunk(program, check);
    INFO(small.text());
    int wrong = 0;
    for (const Instruction& step : small.instructions) wrong += step.kind == Kind::wrong_square;
    CHECK(wrong >= 1);
    CHECK(small.instructions.size() <= 3);
  }
  CHECK(found >= 5);
}

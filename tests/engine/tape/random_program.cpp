// Making, printing and shrinking random programs.
#include "tests/engine/tape/random_program.h"

#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/engine/tape/random_oracle.h"

namespace tapescope::random_programs {
namespace {

constexpr const char* kNames[] = {
    "sin",      "tanh",         "exp",   "square",        "negative",  "sigmoid", "relu",
    "sqrt",     "log",          "floor", "stop_gradient", "to_f32",    "to_f64",  "through_int",
    "identity", "wrong_square", "add",   "subtract",      "multiply",  "divide",  "maximum",
    "minimum",  "where_less",   "sum",   "mean",          "largest",   "cumsum",  "softmax",
    "flatten",  "transpose",    "slice", "reverse",       "broadcast", "expand",  "tile",
    "pad",      "gather",       "part",  "row",           "concat",    "stack",   "matmul"};
static_assert(std::size(kNames) == static_cast<std::size_t>(Kind::count));

// Programs stay small, so that the naive judge is quick.
constexpr std::int64_t kMostElements = 24;
constexpr int kMostDimensions = 4;
// Distance from a kink that float32 rounding does not cross.
constexpr double kClearance = 1e-3, kLargest = 20;

class Maker {
 public:
  Maker(std::uint64_t seed, int most) : random_(seed) {
    program_.seed = seed;
    program_.question = static_cast<Question>(below(static_cast<int>(Question::count)));
    const int leaves = 1 + below(4);
    for (int l = 0; l < leaves; ++l) program_.leaves.push_back(leaf());
    values_ = naive_run<double>(program_,
                                [&](std::size_t l, std::size_t e) { return program_.leaves[l].values[e]; });
    const int length = 1 + below(most);
    for (int tries = 0; static_cast<int>(program_.instructions.size()) < length && tries < 20 * most; ++tries)
      try_instruction();
    choose_targets();
  }
  Program take() { return std::move(program_); }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  Leaf leaf() {
    Leaf made;
    const int rank = below(3);
    for (int d = 0; d < rank; ++d) made.shape.push_back(below(20) == 0 ? 0 : 1 + below(3));
    made.dtype = below(5) == 0 ? DType::f32 : DType::f64;
    made.watched = below(6) != 0;
    made.variable = made.watched && below(4) == 0;
    for (std::int64_t e = 0; e < made.shape.numel(); ++e) {
      made.values.push_back(
          static_cast<double>(static_cast<float>(std::uniform_real_distribution(-2.0, 2.0)(random_))));
    }
    return made;
  }

  void try_instruction() {
    Kind kind = static_cast<Kind>(below(static_cast<int>(Kind::count)));
    if (kind == Kind::wrong_square) kind = Kind::square;
    if (cuts(kind) && below(6) != 0) return;  // a few are enough to leave some leaves unconnected
    const int count = static_cast<int>(values_.size());
    // Half of the time one of the last values, so that chains grow; the others make fan-out.
    const auto operand = [&] { return below(2) == 0 ? std::max(0, count - 1 - below(3)) : below(count); };
    Instruction step{kind, operand(), operand(), 0, below(2) == 0};
    const int rank = values_[static_cast<std::size_t>(step.a)].shape.rank();
    const bool reduction = kind == Kind::sum || kind == Kind::mean || kind == Kind::largest;
    step.axis = rank == 0 || (reduction && below(3) == 0) ? (reduction ? -1 : 0) : below(rank);
    const Array<double>&a = values_[static_cast<std::size_t>(step.a)],
          &b = values_[static_cast<std::size_t>(step.b)];
    std::optional<Array<double>> y = naive(step, a, b);
    if (!y || y->shape.numel() > kMostElements || y->shape.rank() > kMostDimensions || !clear(step, a, b))
      return;
    for (double v : y->v) {
      if (!(std::fabs(v) < kLargest)) return;
    }
    program_.instructions.push_back(step);
    values_.push_back(std::move(*y));
  }

  static bool clear(const Instruction& step, const Array<double>& a, const Array<double>& b) {
    const auto apart = [](double x, double y) { return std::fabs(x - y) > kClearance; };
    switch (step.kind) {
      case Kind::relu: return std::all_of(a.v.begin(), a.v.end(), [&](double v) { return apart(v, 0); });
      case Kind::floor:
      case Kind::through_int:
        return std::all_of(a.v.begin(), a.v.end(), [&](double v) { return apart(v, std::round(v)); });
      case Kind::sqrt:
      case Kind::log: return std::all_of(a.v.begin(), a.v.end(), [](double v) { return v > 0.2; });
      case Kind::divide:
        return std::all_of(b.v.begin(), b.v.end(), [](double v) { return std::fabs(v) > 0.3; });
      case Kind::maximum:
      case Kind::minimum:
      case Kind::where_less:
      case Kind::largest: {
        // Stricter than need be: no two elements near one another at all.
        std::vector<double> all = a.v;
        if (step.kind != Kind::largest) all.insert(all.end(), b.v.begin(), b.v.end());
        std::sort(all.begin(), all.end());
        for (std::size_t i = 1; i < all.size(); ++i) {
          if (!apart(all[i], all[i - 1])) return false;
        }
        return true;
      }
      default: return true;
    }
  }

  void choose_targets() {
    // Mostly what depends on most leaves, the latest of it; sometimes whatever came last.
    const auto leaves_of = [&](std::size_t v) {
      return std::count(values_[v].from.begin(), values_[v].from.end(), true);
    };
    std::size_t target = values_.size() - 1;
    for (std::size_t v = target; v-- > program_.leaves.size() && below(40) != 0;) {
      if (leaves_of(v) > leaves_of(target)) target = v;
    }
    program_.targets.push_back(static_cast<int>(target));
    const bool several = program_.question == Question::gradient || program_.question == Question::twice;
    if (several && below(3) == 0) program_.targets.push_back(below(static_cast<int>(values_.size())));
    // The same target twice counts twice; that is for another test.
    if (program_.targets.size() == 2 && program_.targets[0] == program_.targets[1])
      program_.targets.pop_back();
  }

  std::mt19937_64 random_;
  Program program_;
  std::vector<Array<double>> values_;
};

// Whether every operand still fits: the naive run goes through.
bool sound(const Program& program) {
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  for (const Leaf& leaf : program.leaves) {
    shapes.push_back(leaf.shape);
    dtypes.push_back(leaf.dtype);
  }
  for (const Instruction& step : program.instructions) {
    const std::size_t a = static_cast<std::size_t>(step.a), b = static_cast<std::size_t>(step.b);
    if (operand_count(step.kind) == 2 && dtypes[a] != dtypes[b]) return false;
    const std::optional<Shape> shape = result_shape(step, shapes[a], shapes[b]);
    if (!shape) return false;
    shapes.push_back(*shape);
    dtypes.push_back(step.kind == Kind::to_f32   ? DType::f32
                     : step.kind == Kind::to_f64 ? DType::f64
                                                 : dtypes[a]);
  }
  return true;
}

// Without instruction n: what used its result uses its first operand.
Program without(const Program& program, std::size_t n) {
  Program smaller = program;
  const int gone = static_cast<int>(program.leaves.size() + n), instead = program.instructions[n].a;
  const auto renamed = [&](int value) { return value == gone ? instead : value > gone ? value - 1 : value; };
  smaller.instructions.erase(smaller.instructions.begin() + static_cast<std::ptrdiff_t>(n));
  for (Instruction& step : smaller.instructions) {
    step.a = renamed(step.a);
    step.b = renamed(step.b);
  }
  for (int& target : smaller.targets) target = renamed(target);
  return smaller;
}

}  // namespace

int operand_count(Kind kind) {
  return (kind >= Kind::add && kind < Kind::sum) || kind >= Kind::concat ? 2 : 1;
}

std::optional<Shape> result_shape(const Instruction& step, const Shape& a, const Shape& b) {
  const int axis = step.axis;
  Shape y = a;
  if (step.kind < Kind::add) return y;
  if (step.kind < Kind::sum) {
    const Shape &tall = a.rank() >= b.rank() ? a : b, &low = a.rank() >= b.rank() ? b : a;
    y = tall;
    for (int d = 1; d <= low.rank(); ++d) {
      std::int64_t& size = y[y.rank() - d];
      const std::int64_t other = low[low.rank() - d];
      if (size == 1) size = other;
      else if (other != 1 && other != size) return std::nullopt;
    }
    return y;
  }
  if (step.kind == Kind::concat) {
    if (a.rank() == 0 || a.rank() != b.rank()) return std::nullopt;
    for (int d = 1; d < a.rank(); ++d) {
      if (a[d] != b[d]) return std::nullopt;
    }
    y[0] += b[0];
    return y;
  }
  if (step.kind == Kind::stack) {
    if (!(a == b)) return std::nullopt;
    y = Shape{2};
    for (std::int64_t size : a.dims()) y.push_back(size);
    return y;
  }
  if (step.kind == Kind::matmul) {
    if (a.rank() != 2 || b.rank() != 2 || a[1] != b[0]) return std::nullopt;
    return Shape{a[0], b[1]};
  }
  if (step.kind == Kind::flatten) return Shape{a.numel()};
  if (step.kind == Kind::broadcast) {
    y = Shape{2};
    for (std::int64_t size : a.dims()) y.push_back(size);
    return y;
  }
  const bool reduction = step.kind == Kind::sum || step.kind == Kind::mean || step.kind == Kind::largest;
  if (reduction && step.kind != Kind::sum && a.numel() == 0) return std::nullopt;  // of nothing
  if (reduction && axis < 0) {
    y = Shape();
    for (int d = 0; step.keep && d < a.rank(); ++d) y.push_back(1);
    return y;
  }
  if (step.kind == Kind::expand) {
    if (axis > a.rank()) return std::nullopt;
    y = Shape();
    for (int d = 0; d <= a.rank(); ++d) {
      if (d == axis) y.push_back(1);
      if (d < a.rank()) y.push_back(a[d]);
    }
    return y;
  }
  if (step.kind == Kind::transpose) {
    for (int d = 0; d < a.rank(); ++d) y[d] = a[a.rank() - 1 - d];
    return y;
  }
  if (axis < 0 || axis >= a.rank()) return std::nullopt;
  if (reduction) {
    y = Shape();
    for (int d = 0; d < a.rank(); ++d) {
      if (d != axis) y.push_back(a[d]);
      else if (step.keep) y.push_back(1);
    }
    return y;
  }
  switch (step.kind) {
    case Kind::softmax: return a[a.rank() - 1] == 0 ? std::nullopt : std::optional(y);
    case Kind::slice: y[axis] = a[axis] / 2; return y;
    case Kind::tile: y[axis] *= 2; return y;
    case Kind::pad: y[axis] += 3; return y;
    case Kind::gather:
      if (a[axis] == 0) return std::nullopt;
      y[axis] = 3;
      return y;
    case Kind::part:
      if (a[axis] % 2 != 0) return std::nullopt;
      y[axis] /= 2;
      return y;
    case Kind::row: {
      if (a[axis] == 0) return std::nullopt;
      y = Shape();
      for (int d = 0; d < a.rank(); ++d) {
        if (d != axis) y.push_back(a[d]);
      }
      return y;
    }
    default: return y;  // reverse, cumsum
  }
}

std::optional<std::vector<std::int64_t>> moved_from(const Instruction& step, std::vector<std::int64_t> index,
                                                    const Shape& a, const Shape& result) {
  const std::size_t axis = static_cast<std::size_t>(std::max(step.axis, 0));
  const auto whole = [&](int d) { return a[d]; };
  switch (step.kind) {
    case Kind::flatten: return index_of(static_cast<std::int64_t>(offset_of(index, result)), a);
    case Kind::transpose: std::reverse(index.begin(), index.end()); return index;
    case Kind::slice: index[axis] += whole(step.axis) - whole(step.axis) / 2; return index;
    case Kind::reverse: index[axis] = whole(step.axis) - 1 - index[axis]; return index;
    case Kind::broadcast: index.erase(index.begin()); return index;
    case Kind::expand: index.erase(index.begin() + step.axis); return index;
    case Kind::tile: index[axis] %= whole(step.axis); return index;
    case Kind::pad:
      index[axis] -= 1;
      if (index[axis] < 0 || index[axis] >= whole(step.axis)) return std::nullopt;
      return index;
    case Kind::gather: index[axis] = index[axis] == 1 ? whole(step.axis) - 1 : 0; return index;
    case Kind::part: index[axis] += step.keep ? whole(step.axis) / 2 : 0; return index;
    default:
      index.insert(index.begin() + step.axis, step.keep ? whole(step.axis) - 1 : 0);
      return index;  // row
  }
}

std::string Program::text() const {
  constexpr const char* kQuestions[] = {"gradient", "gradient twice from a persistent tape",
                                        "gradient of the gradient", "Jacobian", "tangent"};
  std::string out = fmt::format("seed {}, {} of", seed, kQuestions[static_cast<std::size_t>(question)]);
  for (int target : targets) out += fmt::format(" v{}", target);
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    out += fmt::format("\n  v{} = {}{} {} [{}]", l, name_of(leaves[l].dtype), leaves[l].shape.text(),
                       leaves[l].variable  ? "variable"
                       : leaves[l].watched ? "watched"
                                           : "not watched",
                       fmt::join(leaves[l].values, ", "));
  }
  for (std::size_t n = 0; n < instructions.size(); ++n) {
    const Instruction& step = instructions[n];
    out += fmt::format("\n  v{} = {}(v{}", leaves.size() + n, kNames[static_cast<std::size_t>(step.kind)],
                       step.a);
    if (operand_count(step.kind) == 2) out += fmt::format(", v{}", step.b);
    else if (step.kind >= Kind::sum) out += fmt::format(", axis {}{}", step.axis, step.keep ? ", keep" : "");
    out += ")";
  }
  return out;
}

Program random_program(std::uint64_t seed, int most) { return Maker(seed, most).take(); }

Program shrunk(Program program, const std::function<std::string(const Program&)>& check) {
  const auto take = [&](const Program& smaller) {
    if (!sound(smaller) || check(smaller).empty()) return false;
    program = smaller;
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    if (program.targets.size() > 1) {
      for (std::size_t t = 0; t < program.targets.size() && program.targets.size() > 1; ++t) {
        Program smaller = program;
        smaller.targets.erase(smaller.targets.begin() + static_cast<std::ptrdiff_t>(t));
        progress |= take(smaller);
      }
    }
    for (std::size_t n = program.instructions.size(); n-- > 0;) {
      if (n >= program.instructions.size()) continue;
      progress |= take(without(program, n));
    }
  }
  return program;
}

}  // namespace tapescope::random_programs

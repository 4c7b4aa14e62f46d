// One op, or a few, for each kind of instruction.
#include "tests/engine/tape/random_run.h"

#include "engine/ops/ops.h"

namespace tapescope::random_programs {
namespace {

// x^2 whose gradient forgets the 2: what the judge has to find.
Tensor wrong_square(const Tensor& x) {
  static OpDef row = [] {
    OpDef made = *find_op("Square");
    made.vjp = [](VjpContext& c) { c.set(0, c.grad() * c.in(0)); };
    return made;
  }();
  return apply(row, Arg(x));
}

Tensor execute(const Instruction& step, const Tensor& a, const Tensor& b) {
  const Axes axes = step.axis < 0 ? Axes() : Axes(step.axis);
  const auto along = [&](std::int64_t at_axis, std::int64_t elsewhere) {
    Ints ints;
    for (int d = 0; d < a.rank(); ++d) ints.push_back(d == step.axis ? at_axis : elsewhere);
    return ints;
  };
  switch (step.kind) {
    case Kind::sin: return sin(a);
    case Kind::tanh: return tanh(a);
    case Kind::exp: return exp(a);
    case Kind::square: return square(a);
    case Kind::wrong_square: return wrong_square(a);
    case Kind::negative: return -a;
    case Kind::sigmoid: return sigmoid(a);
    case Kind::relu: return relu(a);
    case Kind::sqrt: return sqrt(a);
    case Kind::log: return log(a);
    case Kind::floor: return floor(a);
    case Kind::stop_gradient: return stop_gradient(a);
    case Kind::to_f32: return cast(a, DType::f32);
    case Kind::to_f64: return cast(a, DType::f64);
    case Kind::through_int: return cast(cast(a, DType::i32), a.dtype());
    case Kind::identity: return identity(a);
    case Kind::add: return a + b;
    case Kind::subtract: return a - b;
    case Kind::multiply: return a * b;
    case Kind::divide: return a / b;
    case Kind::maximum: return maximum(a, b);
    case Kind::minimum: return minimum(a, b);
    case Kind::where_less: return where(a < b, a, b);
    case Kind::sum: return reduce_sum(a, axes, step.keep);
    case Kind::mean: return reduce_mean(a, axes, step.keep);
    case Kind::largest: return reduce_max(a, axes, step.keep);
    case Kind::cumsum: return cumsum(a, step.axis);
    case Kind::softmax: return softmax(a);
    case Kind::flatten: return reshape(a, {-1});
    case Kind::transpose: return transpose(a);
    case Kind::slice: {
      const std::int64_t half = a.dim(step.axis) / 2;
      return slice(a, along(a.dim(step.axis) - half, 0), along(half, -1));
    }
    case Kind::reverse: return reverse(a, {step.axis});
    case Kind::broadcast: {
      Shape shape{2};
      for (std::int64_t size : a.shape().dims()) shape.push_back(size);
      return broadcast_to(a, shape);
    }
    case Kind::expand: return expand_dims(a, step.axis);
    case Kind::tile: return tile(a, along(2, 1));
    case Kind::pad: {
      std::vector<Padding> paddings(static_cast<std::size_t>(a.rank()));
      paddings[static_cast<std::size_t>(step.axis)] = {1, 2};
      return pad(a, paddings);
    }
    case Kind::gather:
      return gather(a, constant({std::int64_t{0}, a.dim(step.axis) - 1, std::int64_t{0}}, DType::i32),
                    step.axis);
    case Kind::part: return split(a, 2, step.axis)[step.keep ? 1 : 0];
    case Kind::row:
      return unstack(a, step.axis)[step.keep ? static_cast<std::size_t>(a.dim(step.axis) - 1) : 0];
    case Kind::concat: return concat({a, b}, 0);
    case Kind::stack: return stack({a, b}, 0);
    case Kind::matmul: return matmul(a, b);
    case Kind::count: break;
  }
  return Tensor();
}

}  // namespace

void run_program(const Program& program, std::vector<Tensor>& values) {
  for (const Instruction& step : program.instructions) {
    values.push_back(
        execute(step, values[static_cast<std::size_t>(step.a)], values[static_cast<std::size_t>(step.b)]));
  }
}

}  // namespace tapescope::random_programs

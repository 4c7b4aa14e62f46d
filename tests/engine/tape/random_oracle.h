// A naive judge of random programs: loops over elements in dual numbers, of any depth. Knows nothing of the
// engine's code.
#pragma once
#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/engine/tape/random_program.h"

namespace tapescope::random_programs {

template <class T>
struct Dual {
  T v{}, d{};
  Dual() = default;
  Dual(double number) : v(number), d(0) {}
  Dual(T value, T derivative) : v(value), d(derivative) {}
};
inline double number(double x) { return x; }
template <class T>
double number(const Dual<T>& x) {
  return number(x.v);
}

template <class T>
Dual<T> operator+(const Dual<T>& a, const Dual<T>& b) {
  return {a.v + b.v, a.d + b.d};
}
template <class T>
Dual<T> operator-(const Dual<T>& a, const Dual<T>& b) {
  return {a.v - b.v, a.d - b.d};
}
template <class T>
Dual<T> operator*(const Dual<T>& a, const Dual<T>& b) {
  return {a.v * b.v, a.d * b.v + a.v * b.d};
}
template <class T>
Dual<T> operator/(const Dual<T>& a, const Dual<T>& b) {
  return {a.v / b.v, (a.d * b.v - a.v * b.d) / (b.v * b.v)};
}

inline double sine(double x) { return std::sin(x); }
inline double cosine(double x) { return std::cos(x); }
inline double power_of_e(double x) { return std::exp(x); }
inline double root(double x) { return std::sqrt(x); }
inline double logarithm(double x) { return std::log(x); }
template <class T>
Dual<T> cosine(const Dual<T>& x);
template <class T>
Dual<T> sine(const Dual<T>& x) {
  return {sine(x.v), cosine(x.v) * x.d};
}
template <class T>
Dual<T> cosine(const Dual<T>& x) {
  return {cosine(x.v), T(0) - sine(x.v) * x.d};
}
template <class T>
Dual<T> power_of_e(const Dual<T>& x) {
  return {power_of_e(x.v), power_of_e(x.v) * x.d};
}
template <class T>
Dual<T> root(const Dual<T>& x) {
  return {root(x.v), x.d / (T(2) * root(x.v))};
}
template <class T>
Dual<T> logarithm(const Dual<T>& x) {
  return {logarithm(x.v), x.d / x.v};
}

template <class T>
struct Array {
  Shape shape;
  DType dtype = DType::f64;
  std::vector<T> v;
  std::vector<bool> from;  // for each leaf, whether this depends on it differentiably
};

// Index of each dimension of element `i`.
inline std::vector<std::int64_t> index_of(std::int64_t i, const Shape& shape) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(shape.rank()));
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index[static_cast<std::size_t>(d)] = i % shape[d];
    i /= shape[d];
  }
  return index;
}
inline std::size_t offset_of(const std::vector<std::int64_t>& index, const Shape& shape) {
  std::int64_t at = 0;
  for (int d = 0; d < shape.rank(); ++d) at = at * shape[d] + index[static_cast<std::size_t>(d)];
  return static_cast<std::size_t>(at);
}
// The element of a broadcast operand that belongs to element `index` of the result.
inline std::size_t broadcast_offset(const std::vector<std::int64_t>& index, const Shape& from) {
  std::vector<std::int64_t> own;
  const std::size_t extra = index.size() - static_cast<std::size_t>(from.rank());
  for (int d = 0; d < from.rank(); ++d)
    own.push_back(from[d] == 1 ? 0 : index[extra + static_cast<std::size_t>(d)]);
  return offset_of(own, from);
}

// The shape of an instruction's result; none where the operands do not fit it.
std::optional<Shape> result_shape(const Instruction& step, const Shape& a, const Shape& b);
// Where element `index` of a result of moved elements comes from; none: it is 0.
std::optional<std::vector<std::int64_t>> moved_from(const Instruction& step, std::vector<std::int64_t> index,
                                                    const Shape& a, const Shape& result);

inline bool cuts(Kind kind) {
  return kind == Kind::floor || kind == Kind::stop_gradient || kind == Kind::through_int;
}

template <class T>
T elementwise(Kind kind, const T& x) {
  switch (kind) {
    case Kind::sin: return sine(x);
    case Kind::exp: return power_of_e(x);
    case Kind::tanh: return T(1) - T(2) / (power_of_e(T(2) * x) + T(1));
    case Kind::sigmoid: return T(1) / (T(1) + power_of_e(T(0) - x));
    case Kind::square:
    case Kind::wrong_square: return x * x;
    case Kind::negative: return T(0) - x;
    case Kind::relu: return number(x) > 0 ? x : T(0);
    case Kind::sqrt: return root(x);
    case Kind::log: return logarithm(x);
    case Kind::floor: return T(std::floor(number(x)));
    case Kind::through_int: return T(std::trunc(number(x)));
    case Kind::stop_gradient: return T(number(x));
    default: return x;
  }
}

template <class T>
T pairwise(Kind kind, const T& a, const T& b) {
  switch (kind) {
    case Kind::add: return a + b;
    case Kind::subtract: return a - b;
    case Kind::multiply: return a * b;
    case Kind::divide: return a / b;
    case Kind::maximum: return number(a) >= number(b) ? a : b;
    case Kind::minimum: return number(a) <= number(b) ? a : b;
    default: return number(a) < number(b) ? a : b;
  }
}

// One instruction; nothing where the operands do not fit.
template <class T>
std::optional<Array<T>> naive(const Instruction& step, const Array<T>& a, const Array<T>& b) {
  const bool two = operand_count(step.kind) == 2;
  if (two && a.dtype != b.dtype) return std::nullopt;
  const std::optional<Shape> shape = result_shape(step, a.shape, b.shape);
  if (!shape) return std::nullopt;
  Array<T> y{*shape, a.dtype, std::vector<T>(static_cast<std::size_t>(shape->numel()), T(0)), a.from};
  if (step.kind == Kind::to_f32) y.dtype = DType::f32;
  if (step.kind == Kind::to_f64) y.dtype = DType::f64;
  for (std::size_t l = 0; l < y.from.size(); ++l)
    y.from[l] = !cuts(step.kind) && (a.from[l] || (two && b.from[l]));
  const int axis = step.axis;
  for (std::size_t i = 0; i < y.v.size(); ++i) {
    const std::vector<std::int64_t> index = index_of(static_cast<std::int64_t>(i), *shape);
    if (step.kind < Kind::add) y.v[i] = elementwise(step.kind, a.v[i]);
    else if (step.kind < Kind::sum)
      y.v[i] =
          pairwise(step.kind, a.v[broadcast_offset(index, a.shape)], b.v[broadcast_offset(index, b.shape)]);
    else if (step.kind == Kind::matmul) {
      for (std::int64_t k = 0; k < a.shape[1]; ++k)
        y.v[i] = y.v[i] + a.v[offset_of({index[0], k}, a.shape)] * b.v[offset_of({k, index[1]}, b.shape)];
    } else if (step.kind == Kind::concat || step.kind == Kind::stack) {
      std::vector<std::int64_t> at = index;
      const std::int64_t first = step.kind == Kind::concat ? a.shape[0] : 1;
      const bool second = at[0] >= first;
      if (step.kind == Kind::stack) at.erase(at.begin());
      else if (second) at[0] -= first;
      y.v[i] = second ? b.v[offset_of(at, b.shape)] : a.v[offset_of(at, a.shape)];
    } else if (step.kind >= Kind::flatten) {
      const auto from = moved_from(step, index, a.shape, *shape);
      if (from) y.v[i] = a.v[offset_of(*from, a.shape)];
    } else if (step.kind == Kind::cumsum) {
      for (std::int64_t k = 0; k <= index[static_cast<std::size_t>(axis)]; ++k) {
        std::vector<std::int64_t> at = index;
        at[static_cast<std::size_t>(axis)] = k;
        y.v[i] = y.v[i] + a.v[offset_of(at, a.shape)];
      }
    } else if (step.kind == Kind::softmax) {
      T total(0);
      for (std::int64_t k = 0; k < a.shape[a.shape.rank() - 1]; ++k) {
        std::vector<std::int64_t> at = index;
        at.back() = k;
        total = total + power_of_e(a.v[offset_of(at, a.shape)]);
      }
      y.v[i] = power_of_e(a.v[i]) / total;
    } else {
      // Reductions: every element whose other dimensions agree.
      std::optional<T> best;
      double count = 0;
      for (std::size_t k = 0; k < a.v.size(); ++k) {
        std::vector<std::int64_t> at = index_of(static_cast<std::int64_t>(k), a.shape);
        if (axis < 0) at.assign(step.keep ? at.size() : 0, 0);
        else if (step.keep) at[static_cast<std::size_t>(axis)] = 0;
        else at.erase(at.begin() + axis);
        if (offset_of(at, *shape) != i) continue;
        ++count;
        if (!best || number(a.v[k]) > number(*best)) best = a.v[k];
        y.v[i] = y.v[i] + a.v[k];
      }
      if (step.kind == Kind::mean) y.v[i] = y.v[i] / T(count);
      if (step.kind == Kind::largest) y.v[i] = *best;
    }
  }
  return y;
}

// Every value of the program, leaves first; `leaf(l, e)` gives element e of leaf l.
template <class T, class LeafValue>
std::vector<Array<T>> naive_run(const Program& program, LeafValue leaf) {
  std::vector<Array<T>> values;
  for (std::size_t l = 0; l < program.leaves.size(); ++l) {
    const Leaf& given = program.leaves[l];
    Array<T> array{given.shape, given.dtype, {}, std::vector<bool>(program.leaves.size())};
    array.from[l] = given.watched || given.variable;
    for (std::size_t e = 0; e < given.values.size(); ++e) array.v.push_back(leaf(l, e));
    values.push_back(std::move(array));
  }
  for (const Instruction& step : program.instructions) {
    values.push_back(
        *naive(step, values[static_cast<std::size_t>(step.a)], values[static_cast<std::size_t>(step.b)]));
  }
  return values;
}

}  // namespace tapescope::random_programs

// Tensors from host values and filled tensors.
#include "engine/ops/creation.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/gate/arguments.h"
#include "engine/gate/families.h"
#include "engine/gate/state.h"
#include "engine/kernels/strided.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/creation/rows.h"
#include "engine/ops/reduce.h"
#include "engine/ops/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

Tensor created(Tensor tensor, const Location& location) {
  note_created(tensor, location);
  return tensor;
}

// The nesting's shape, from the first item of each level.
Shape shape_of(const Values& values) {
  Shape shape;
  for (const Values* level = &values; level->is_list(); level = &level->items()[0]) {
    shape.push_back(static_cast<std::int64_t>(level->items().size()));
    if (level->items().empty()) break;
  }
  return shape;
}

void flatten_values(const Values& values, const Shape& shape, int depth, std::vector<double>& to,
                    const Location& location) {
  const bool fits = values.is_list() ? depth < shape.rank() &&
                                           static_cast<std::int64_t>(values.items().size()) == shape[depth]
                                     : depth == shape.rank();
  if (!fits) {
    fail(ErrorKind::value, "constant",
         fmt::format(
             "the nested lists are not of equal lengths: the first ones give {}, level {} has {}",
             shape.text(), depth,
             values.is_list() ? fmt::format("{} items", values.items().size()) : std::string("a number")),
         &location);
  }
  if (!values.is_list()) return to.push_back(values.number());
  for (const Values& item : values.items()) flatten_values(item, shape, depth + 1, to, location);
}

template <class T>
Tensor from_span(std::span<const T> values, const Shape& shape, DType dtype, const Location& location) {
  const Type* type = intern_type(dtype, shape);
  if (static_cast<std::int64_t>(values.size()) != type->numel) {
    fail(ErrorKind::value, "constant",
         fmt::format("{} needs {} values, got {}", type->text(), type->numel, values.size()), &location);
  }
  Tensor tensor(new_tensor(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    // int64 values go through as they are: a double holds 53 bits of them.
    if (dtype == DType::i64)
      static_cast<std::int64_t*>(tensor.impl()->data)[i] = static_cast<std::int64_t>(values[i]);
    else set_element(tensor.impl(), static_cast<std::int64_t>(i), static_cast<double>(values[i]));
  }
  return created(std::move(tensor), location);
}

void infer_like(InferContext& c) { c.out(&c.in(0)); }

void ones_like_kernel(KernelContext& c) {
  Tensor& out = c.outputs[0];
  const CopyDim all[] = {{out.numel(), 0, 1}};
  const Tensor one = make_full(Shape{}, 1, out.dtype());
  strided_copy(size_of(out.dtype()), all, one.raw(), out.impl()->data);
}

void zeros_like_kernel(KernelContext& c) {
  std::memset(c.out<void>(), 0, static_cast<std::size_t>(c.out_type().bytes));
}

void infer_fill(InferContext& c) {
  if (c.in(0).numel != 1 || c.in(0).shape.rank() != 0)
    c.fail(fmt::format("the value must be a scalar, got {}", c.in(0).text()));
  Shape shape;
  for (std::int32_t size : c.attrs.ints()) shape.push_back(size);
  c.out(c.in(0).dtype, shape);
}

void fill_kernel(KernelContext& c) {
  const CopyDim all[] = {{c.out_type().numel, 0, 1}};
  strided_copy(size_of(c.out_type().dtype), all, c.in<void>(0), c.out<void>());
}

}  // namespace

constinit const OpDef kZerosLike{.name = "ZerosLike",
                                 .infer = infer_like,
                                 .kernel = zeros_like_kernel,
                                 .batch = Batch::elementwise,
                                 .cost = rows::move_cost,
                                 .no_gradient = NoGradient::not_differentiable,
                                 .doc = "Zeros in the shape and dtype of x"};
constinit const OpDef kOnesLike{.name = "OnesLike",
                                .infer = infer_like,
                                .kernel = ones_like_kernel,
                                .batch = Batch::elementwise,
                                .cost = rows::move_cost,
                                .no_gradient = NoGradient::not_differentiable,
                                .doc = "Ones in the shape and dtype of x"};
constinit const OpDef kFill{.name = "Fill",
                            .infer = infer_fill,
                            .kernel = fill_kernel,
                            .vjp = [](VjpContext& c) { c.set(0, reduce_sum(c.grad())); },
                            .linearity = Linearity::linear,
                            .batch = Batch::custom,
                            .batched = batch_rules::fill,
                            .cost = rows::move_cost,
                            .doc = "The scalar x in every element of the shape i"};

std::span<const OpDef* const> creation_ops() {
  static constexpr const OpDef* kCreationRows[] = {&kZerosLike,
                                                   &kOnesLike,
                                                   &kFill,
                                                   &kRandomUniform,
                                                   &kRandomUniformInt,
                                                   &kRandomNormal,
                                                   &kTruncatedNormal,
                                                   &kStatelessUniform,
                                                   &kStatelessUniformInt,
                                                   &kStatelessNormal,
                                                   &kStatelessTruncatedNormal};
  return kCreationRows;
}

Tensor constant(const Values& values, DType dtype, Location location) {
  const Shape shape = shape_of(values);
  std::vector<double> flat;
  flatten_values(values, shape, 0, flat, location);
  return created(make_tensor(flat, shape, dtype), location);
}

Tensor constant(const Values& values, const Shape& shape, DType dtype, Location location) {
  if (!values.is_list()) return created(make_full(shape, values.number(), dtype), location);
  const Shape nested = shape_of(values);
  std::vector<double> flat;
  flatten_values(values, nested, 0, flat, location);
  return from_span(std::span<const double>(flat), shape, dtype, location);
}

Tensor constant(std::span<const double> values, const Shape& shape, DType dtype, Location location) {
  return from_span(values, shape, dtype, location);
}
Tensor constant(std::span<const float> values, const Shape& shape, DType dtype, Location location) {
  if (dtype == DType::f32 && static_cast<std::int64_t>(values.size()) == shape.numel()) {
    return created(make_from_bytes(dtype, shape, values.data()), location);
  }
  return from_span(values, shape, dtype, location);
}
Tensor constant(std::span<const std::int32_t> values, const Shape& shape, DType dtype, Location location) {
  return from_span(values, shape, dtype, location);
}
Tensor constant(std::span<const std::int64_t> values, const Shape& shape, DType dtype, Location location) {
  return from_span(values, shape, dtype, location);
}

Tensor zeros(const Shape& shape, DType dtype, Location location) {
  return created(make_full(shape, 0, dtype), location);
}
Tensor ones(const Shape& shape, DType dtype, Location location) {
  return created(make_full(shape, 1, dtype), location);
}

Tensor fill(const Shape& shape, const Arg& value, DType dtype) {
  if (value.is_number()) return created(make_full(shape, value.number(), dtype), value.location());
  return apply(kFill, value, attrs_of(shape.dims()));
}

Tensor zeros_like(const Arg& x) { return apply(kZerosLike, x); }
Tensor ones_like(const Arg& x) { return apply(kOnesLike, x); }

Tensor range(double start, double limit, double delta, DType dtype, Location location) {
  if (delta == 0) fail(ErrorKind::value, "range", "the delta is 0", &location);
  const double steps = std::ceil((limit - start) / delta);
  if (!(steps < 1e12))
    fail(ErrorKind::value, "range",
         fmt::format("from {} to {} by {} is no countable number of steps", start, limit, delta), &location);
  Tensor tensor(new_tensor(intern_type(dtype, {steps > 0 ? static_cast<std::int64_t>(steps) : 0})));
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    set_element(tensor.impl(), i, start + static_cast<double>(i) * delta);
  return created(std::move(tensor), location);
}

Tensor range(double limit, DType dtype, Location location) { return range(0, limit, 1, dtype, location); }

Tensor linspace(double start, double stop, int count, DType dtype, Location location) {
  if (count < 1) fail(ErrorKind::value, "linspace", fmt::format("cannot make {} numbers", count), &location);
  Tensor tensor(new_tensor(intern_type(dtype, {count})));
  for (int i = 0; i < count; ++i) {
    const double value =
        i == count - 1 && count > 1 ? stop : start + (stop - start) * i / (count > 1 ? count - 1 : 1);
    set_element(tensor.impl(), i, value);
  }
  return created(std::move(tensor), location);
}

Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype, Location location) {
  if (columns < 0) columns = rows;
  Tensor tensor = make_full({rows, columns}, 0, dtype);
  for (std::int64_t i = 0; i < rows && i < columns; ++i) set_element(tensor.impl(), i * columns + i, 1);
  return created(std::move(tensor), location);
}

}  // namespace tapescope

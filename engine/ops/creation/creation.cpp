// Tensors from host values and filled tensors.
#include "engine/ops/creation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/gate/arguments.h"
#include "engine/gate/families.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/kernels/strided.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/creation/rows.h"
#include "engine/ops/elementwise.h"
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

void flatten_values(const Values& values, const Shape& shape, int depth,
                    std::vector<tapescope_inside::Number>& to, const Location& location) {
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

DType common_dtype(std::span<const tapescope_inside::Number> numbers) {
  if (numbers.empty()) return DType::f32;
  DType dtype = tapescope_inside::dtype_of(numbers[0]);
  for (const tapescope_inside::Number& number : numbers) {
    if (number.is_real()) return DType::f32;
    const DType other = tapescope_inside::dtype_of(number);
    if (dtype == DType::boolean || other == DType::i64) dtype = other;
  }
  return dtype;
}

// The values in that shape; a single number fills it.
Tensor from_values(const Values& values, const Shape* shape, std::optional<DType> dtype,
                   const Location& location) {
  const Shape nested = shape_of(values);
  std::vector<tapescope_inside::Number> numbers;
  flatten_values(values, nested, 0, numbers, location);
  const Type* type = intern_type(dtype ? *dtype : common_dtype(numbers), shape ? *shape : nested);
  const bool fills = shape && !values.is_list();
  if (!fills && static_cast<std::int64_t>(numbers.size()) != type->numel) {
    fail(ErrorKind::value, "constant",
         fmt::format("{} needs {} values, got {}", type->text(), type->numel, numbers.size()), &location);
  }
  if (dtype) {
    // Bits that a program writes as 0 and 1.
    const auto is_bit = [&](const tapescope_inside::Number& n) {
      return *dtype == DType::boolean && !n.is_real() && (n.whole() == 0 || n.whole() == 1);
    };
    for (const tapescope_inside::Number& number : numbers) {
      if (!is_bit(number)) tapescope_inside::check_fits(number, *dtype, "constant", location);
    }
  }
  Tensor tensor(new_tensor(type));
  for (std::int64_t i = 0; i < type->numel; ++i)
    tapescope_inside::set_number(tensor.impl(), i, numbers[fills ? 0 : static_cast<std::size_t>(i)]);
  return created(std::move(tensor), location);
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
                                 .batch = BatchRule::elementwise,
                                 .cost = rows::move_cost,
                                 .no_gradient = NoGradient::not_differentiable,
                                 .doc = "Zeros in the shape and dtype of x"};
constinit const OpDef kOnesLike{.name = "OnesLike",
                                .infer = infer_like,
                                .kernel = ones_like_kernel,
                                .batch = BatchRule::elementwise,
                                .cost = rows::move_cost,
                                .no_gradient = NoGradient::not_differentiable,
                                .doc = "Ones in the shape and dtype of x"};
constinit const OpDef kFill{.name = "Fill",
                            .infer = infer_fill,
                            .kernel = fill_kernel,
                            .vjp = [](VjpContext& c) { c.set(0, reduce_sum(c.grad())); },
                            .linearity = Linearity::linear,
                            .batch = BatchRule::custom,
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

Tensor constant(const Values& values, Location location) {
  return from_values(values, nullptr, std::nullopt, location);
}
Tensor constant(const Values& values, DType dtype, Location location) {
  return from_values(values, nullptr, dtype, location);
}
Tensor constant(const Values& values, const Shape& shape, std::optional<DType> dtype, Location location) {
  return from_values(values, &shape, dtype, location);
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

Tensor fill(const Shape& shape, const Arg& value, std::optional<DType> dtype) {
  const Location& at = value.location();
  if (!value.is_number()) {
    if (!dtype) return apply(kFill, value, attrs_of(kFill.name, shape.dims(), at));
    return apply(kFill, {cast(value, *dtype), at}, attrs_of(kFill.name, shape.dims(), at));
  }
  const DType made = dtype ? *dtype : tapescope_inside::dtype_of(value.number());
  tapescope_inside::check_fits(value.number(), made, "Fill", at);
  if (made == DType::i64 && !value.number().is_real()) {
    // A double holds 53 bits of them.
    Tensor tensor(new_tensor(intern_type(made, shape)));
    std::fill_n(static_cast<std::int64_t*>(tensor.impl()->data), tensor.numel(), value.number().whole());
    return created(std::move(tensor), at);
  }
  return created(make_full(shape, value.number().real(), made), at);
}

Tensor zeros_like(const Arg& x) { return apply(kZerosLike, x); }
Tensor ones_like(const Arg& x) { return apply(kOnesLike, x); }

namespace {

// The dtype of bounds that are tensors and numbers: a tensor's own, which all tensors among them share.
DType dtype_of_bounds(std::initializer_list<const Arg*> bounds) {
  const Arg* real = nullptr;
  DType of_numbers = DType::i32;
  for (const Arg* bound : bounds) {
    if (!bound->is_number()) return bound->tensor().dtype();
    if (bound->number().is_real()) real = bound;
    else if (tapescope_inside::dtype_of(bound->number()) == DType::i64) of_numbers = DType::i64;
  }
  return real ? DType::f32 : of_numbers;
}

// A bound as the host needs it. A tensor is read: no gradient passes.
double host_bound(const Arg& bound, DType dtype, const Location& at) {
  if (bound.is_number()) {
    tapescope_inside::check_fits(bound.number(), dtype, "range", at);
    return bound.number().real();
  }
  const Tensor& tensor = bound.tensor();
  if (is_symbol(tensor)) {
    fail(ErrorKind::value, "range",
         "a bound is symbolic while its function is traced, and the length must be known; give numbers, or "
         "the "
         "tensor's shape, x.dim(0)",
         &at);
  }
  check_has_elements(tensor, "range", at);
  if (tensor.rank() != 0 || tensor.dtype() == DType::boolean)
    fail(ErrorKind::value, "range", fmt::format("a bound is a scalar number, got {}", tensor.type().text()),
         &at);
  note_host_read(tensor, at);
  return element_value(tensor, 0);
}

}  // namespace

tapescope_inside::RangeTensor range(const Arg& start, const Arg& limit, const Arg& delta,
                                    std::optional<DType> dtype, Location location) {
  const DType met = dtype_of_bounds({&start, &limit, &delta});
  const DType made = dtype ? *dtype : met;
  const double first = host_bound(start, met, location), last = host_bound(limit, met, location),
               step = host_bound(delta, met, location);
  if (step == 0) fail(ErrorKind::value, "range", "the delta is 0", &location);
  const double steps = std::ceil((last - first) / step);
  if (!(steps < 1e12))
    fail(ErrorKind::value, "range",
         fmt::format("from {} to {} by {} is no countable number of steps", first, last, step), &location);
  Tensor tensor(new_tensor(intern_type(made, {steps > 0 ? static_cast<std::int64_t>(steps) : 0})));
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    set_element(tensor.impl(), i, first + static_cast<double>(i) * step);
  tensor = created(std::move(tensor), location);
  for (const Arg* bound : {&start, &limit, &delta}) {
    if (!bound->is_number() || bound->number().is_real()) return tensor;
  }
  return {std::move(tensor), tapescope_inside::OpenRange{start.number().whole(), limit.number().whole(),
                                                         delta.number().whole()}};
}

tapescope_inside::RangeTensor range(const Arg& start, const Arg& limit, Location location) {
  return range(start, limit, 1, std::nullopt, location);
}
tapescope_inside::RangeTensor range(const Arg& limit, std::optional<DType> dtype, Location location) {
  return range(0, limit, 1, dtype, location);
}

Tensor linspace(const Arg& start, const Arg& stop, std::int64_t count, std::optional<DType> dtype,
                Location location) {
  const Location& at = location;
  if (count < 1) fail(ErrorKind::value, "linspace", fmt::format("cannot make {} numbers", count), &at);
  const double intervals = static_cast<double>(std::max<std::int64_t>(count - 1, 1));
  if (start.is_number() && stop.is_number()) {
    const double first = start.number().real(), last = stop.number().real();
    Tensor tensor(new_tensor(intern_type(dtype.value_or(DType::f32), {count})));
    for (std::int64_t i = 0; i < count; ++i)
      set_element(
          tensor.impl(), i,
          i == count - 1 && count > 1 ? last : first + (last - first) * static_cast<double>(i) / intervals);
    return created(std::move(tensor), at);
  }
  // (1 - t) start + t stop with t from 0 to 1, whose gradients are the weights: both ends are exact.
  const DType met = dtype_of_bounds({&start, &stop});
  const Tensor& first = start.tensor(met, "linspace");
  const Tensor& last = stop.tensor(met, "linspace");
  const Tensor t = linspace({0, at}, {count > 1 ? 1 : 0, at}, count, met, at);
  const Tensor rest = subtract({1, at}, {t, at});
  const Tensor from_first = multiply({rest, at}, {first, at}), from_last = multiply({t, at}, {last, at});
  const Tensor sum = add({from_first, at}, {from_last, at});
  return dtype ? cast({sum, at}, *dtype) : sum;
}

Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype, Location location) {
  if (columns < 0) columns = rows;
  Tensor tensor = make_full({rows, columns}, 0, dtype);
  for (std::int64_t i = 0; i < rows && i < columns; ++i) set_element(tensor.impl(), i * columns + i, 1);
  return created(std::move(tensor), location);
}

}  // namespace tapescope

// Joining and dividing: concat, split, stack, unstack.
#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/gate/infer_checks.h"
#include "engine/kernels/strided.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/creation.h"
#include "engine/ops/rows.h"
#include "engine/ops/shape.h"
#include "engine/ops/shape/rows.h"

namespace tapescope {
namespace {

// i[0] is the axis in every row of this file.
int axis_of(const Attrs& attrs) { return attrs.i[0]; }

// A tensor seen as [outer, elements along and below the axis].
struct Rows {
  std::int64_t outer = 1;
  std::int64_t inner = 1;  // elements below the axis
};
Rows rows_of(const Shape& shape, int axis) {
  Rows rows;
  for (int i = 0; i < axis; ++i) rows.outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) rows.inner *= shape[i];
  return rows;
}

void infer_concat(InferContext& c) {
  Shape shape = c.in(0).shape;
  const int axis = axis_of(c.attrs);
  check_axis(c, axis);
  for (int i = 1; i < c.input_count(); ++i) {
    const Type& type = c.in(i);
    bool fits = type.dtype == c.in(0).dtype && type.shape.rank() == shape.rank();
    for (int d = 0; fits && d < shape.rank(); ++d) fits = d == axis || type.shape[d] == shape[d];
    if (!fits) {
      c.fail(fmt::format(
          "input {} is {}, input 0 is {}; expected one dtype and equal sizes in all dimensions but {}", i,
          type.text(), c.in(0).text(), axis));
    }
    shape[axis] += type.shape[axis];
  }
  c.out(c.in(0).dtype, shape);
}

void concat_kernel(KernelContext& c) {
  const Shape& out = c.out_type().shape;
  const int axis = axis_of(c.attrs);
  const Rows rows = rows_of(out, axis);
  const std::size_t element = size_of(c.out_type().dtype);
  std::int64_t place = 0;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const std::int64_t part = c.in_type(static_cast<int>(i)).shape[axis] * rows.inner;
    const CopyDim dims[] = {{rows.outer, part, out[axis] * rows.inner}, {part, 1, 1}};
    strided_copy(element, dims, c.inputs[i]->data, offset_by(c.out<void>(), place, element));
    place += part;
  }
}

void concat_vjp(VjpContext& c) {
  const int axis = axis_of(c.attrs());
  Ints begin, size;
  for (int d = 0; d < c.out_type().shape.rank(); ++d) begin.push_back(0);
  std::int64_t place = 0;
  for (int i = 0; i < c.input_count(); ++i) {
    const Shape& shape = c.in_type(i).shape;
    if (c.needs(i)) {
      Shape at = shape;
      for (int d = 0; d < at.rank(); ++d) at[d] = d == axis ? place : 0;
      c.set(i, slice(c.grad(), at, shape));
    }
    place += shape[axis];
  }
}

// i: axis, then the number of parts (Split) or their sizes (SplitV, up to 31; more are refused).
int part_count(const Attrs& attrs, bool even) { return even ? attrs.i[1] : attrs.count - 1; }

void infer_split(InferContext& c, bool even) {
  Shape shape = c.in(0).shape;
  const int axis = axis_of(c.attrs), count = part_count(c.attrs, even);
  check_axis(c, axis);
  const std::int64_t whole = shape[axis];
  if (even && whole % count != 0) {
    c.fail(fmt::format(
        "the size {} of dimension {} of {} does not divide into {} equal parts; hint: give the sizes", whole,
        axis, c.in(0).text(), count));
  }
  check_output_count(c, count);
  c.set_outputs(count);
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    shape[axis] = even ? whole / count : c.attrs.i[static_cast<std::size_t>(i + 1)];
    if (shape[axis] < 0)
      c.fail(fmt::format("size {} is negative; at most one may be -1, the rest", shape[axis]));
    sum += shape[axis];
    c.out(i, intern_type(c.in(0).dtype, shape));
  }
  if (sum != whole)
    c.fail(fmt::format("the sizes sum to {}, dimension {} of {} has {}", sum, axis, c.in(0).text(), whole));
}

void split_kernel(KernelContext& c) {
  const Shape& in = c.in_type(0).shape;
  const int axis = axis_of(c.attrs);
  const Rows rows = rows_of(in, axis);
  const std::size_t element = size_of(c.in_type(0).dtype);
  std::int64_t place = 0;
  for (std::size_t i = 0; i < c.outputs.size(); ++i) {
    const std::int64_t part = c.out_type(static_cast<int>(i)).shape[axis] * rows.inner;
    const CopyDim dims[] = {{rows.outer, in[axis] * rows.inner, part}, {part, 1, 1}};
    strided_copy(element, dims, offset_by(c.in<void>(0), place, element), c.out<void>(static_cast<int>(i)));
    place += part;
  }
}

// Absent cotangents of some parts arrive as zeros, so all are there.
void split_vjp(VjpContext& c) {
  std::vector<Tensor> parts;
  for (int i = 0; i < c.output_count(); ++i) parts.push_back(c.grad(i));
  c.set(0, concat(parts, axis_of(c.attrs())));
}

void infer_pack(InferContext& c) {
  const Shape& in = c.in(0).shape;
  const int axis = axis_of(c.attrs);
  for (int i = 1; i < c.input_count(); ++i) {
    if (&c.in(i) != &c.in(0))
      c.fail(fmt::format("input {} is {}, input 0 is {}; expected equal types", i, c.in(i).text(),
                         c.in(0).text()));
  }
  Shape shape;
  for (int i = 0; i <= in.rank(); ++i) {
    if (i == axis) shape.push_back(c.input_count());
    if (i < in.rank()) shape.push_back(in[i]);
  }
  c.out(c.in(0).dtype, shape);
}

void pack_kernel(KernelContext& c) {
  const Shape& out = c.out_type().shape;
  const Rows rows = rows_of(out, axis_of(c.attrs));
  const std::size_t element = size_of(c.out_type().dtype);
  const std::int64_t count = static_cast<std::int64_t>(c.inputs.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const CopyDim dims[] = {{rows.outer, rows.inner, rows.inner * count}, {rows.inner, 1, 1}};
    strided_copy(element, dims, c.inputs[static_cast<std::size_t>(i)]->data,
                 offset_by(c.out<void>(), i * rows.inner, element));
  }
}

void pack_vjp(VjpContext& c) {
  const std::vector<Tensor> parts = unstack(c.grad(), axis_of(c.attrs()));
  for (int i = 0; i < c.input_count(); ++i) {
    if (c.needs(i)) c.set(i, parts[static_cast<std::size_t>(i)]);
  }
}

void infer_unpack(InferContext& c) {
  const Shape& in = c.in(0).shape;
  const int axis = axis_of(c.attrs);
  check_axis(c, axis);
  check_output_count(c, in[axis]);
  Shape shape;
  for (int i = 0; i < in.rank(); ++i) {
    if (i != axis) shape.push_back(in[i]);
  }
  c.set_outputs(static_cast<int>(in[axis]));
  const Type* type = intern_type(c.in(0).dtype, shape);
  for (int i = 0; i < c.outputs; ++i) c.out(i, type);
}

void unpack_kernel(KernelContext& c) {
  const Rows rows = rows_of(c.in_type(0).shape, axis_of(c.attrs));
  const std::size_t element = size_of(c.in_type(0).dtype);
  const std::int64_t count = static_cast<std::int64_t>(c.outputs.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const CopyDim dims[] = {{rows.outer, rows.inner * count, rows.inner}, {rows.inner, 1, 1}};
    strided_copy(element, dims, offset_by(c.in<void>(0), i * rows.inner, element),
                 c.out<void>(static_cast<int>(i)));
  }
}

void unpack_vjp(VjpContext& c) {
  std::vector<Tensor> parts;
  for (int i = 0; i < c.output_count(); ++i) parts.push_back(c.grad(i));
  c.set(0, stack(parts, axis_of(c.attrs())));
}

std::vector<Tensor> apply_many(const OpDef& op, const Arg& x, const Attrs& attrs) {
  TensorImpl* inputs[] = {x.tensor().impl()};
  TensorList outputs;
  apply(op, inputs, attrs, x.location(), outputs);
  std::vector<Tensor> result;
  for (Tensor& output : outputs.span()) result.push_back(std::move(output));
  return result;
}

}  // namespace

constinit const OpDef kConcat{.name = "ConcatV2",
                              .infer = infer_concat,
                              .kernel = concat_kernel,
                              .vjp = concat_vjp,
                              .linearity = Linearity::linear,
                              .batch = BatchRule::custom,
                              .batched = batch_rules::axis,
                              .cost = rows::move_cost,
                              .doc = "The inputs one after another along axis i[0]"};
constinit const OpDef kSplit{.name = "Split",
                             .infer = [](InferContext& c) { infer_split(c, true); },
                             .kernel = split_kernel,
                             .vjp = split_vjp,
                             .linearity = Linearity::linear,
                             .batch = BatchRule::custom,
                             .batched = batch_rules::axis,
                             .cost = rows::move_cost,
                             .doc = "i[1] equal parts along axis i[0]"};
constinit const OpDef kSplitV{.name = "SplitV",
                              .infer = [](InferContext& c) { infer_split(c, false); },
                              .kernel = split_kernel,
                              .vjp = split_vjp,
                              .linearity = Linearity::linear,
                              .batch = BatchRule::custom,
                              .batched = batch_rules::axis,
                              .cost = rows::move_cost,
                              .doc = "Parts of the sizes i[1], i[2], ... along axis i[0]"};
constinit const OpDef kPack{.name = "Pack",
                            .infer = infer_pack,
                            .kernel = pack_kernel,
                            .vjp = pack_vjp,
                            .linearity = Linearity::linear,
                            .batch = BatchRule::custom,
                            .batched = batch_rules::axis,
                            .cost = rows::move_cost,
                            .doc = "The inputs side by side along a new axis i[0]"};
constinit const OpDef kUnpack{.name = "Unpack",
                              .infer = infer_unpack,
                              .kernel = unpack_kernel,
                              .vjp = unpack_vjp,
                              .linearity = Linearity::linear,
                              .batch = BatchRule::custom,
                              .batched = batch_rules::axis,
                              .cost = rows::move_cost,
                              .doc = "The slices of x along axis i[0], each without it"};

Tensor concat(std::span<const Tensor> tensors, int axis, Location location) {
  const InputList list("ConcatV2", tensors, location);
  if (!tensors[0]) return apply(kConcat, list.inputs(), kNoAttrs, location);  // throws
  Attrs attrs;
  attrs.push(front_axis("ConcatV2", axis, tensors[0], location));
  if (tensors.size() == 1) return identity(Arg(tensors[0], location));
  return apply(kConcat, list.inputs(), attrs, location);
}

Tensor concat(std::initializer_list<Tensor> tensors, int axis, Location location) {
  return concat(std::span(tensors.begin(), tensors.size()), axis, location);
}

std::vector<Tensor> split(const Arg& x, int count, int axis) {
  const Tensor& t = x.tensor();
  if (count < 1) refuse("Split", fmt::format("cannot make {} parts", count), x.location());
  Attrs attrs;
  attrs.push(front_axis("Split", axis, t, x.location()));
  attrs.push(count);
  return apply_many(kSplit, x, attrs);
}

std::vector<Tensor> split(const Arg& x, std::span<const std::int64_t> sizes, int axis) {
  const Tensor& t = x.tensor();
  Attrs attrs;
  attrs.push(front_axis("SplitV", axis, t, x.location()));
  if (sizes.empty() || sizes.size() >= static_cast<std::size_t>(Attrs::kMaxInts)) {
    refuse("SplitV",
           fmt::format("got {} sizes, expected 1 to {}; hint: divide in two steps", sizes.size(),
                       Attrs::kMaxInts - 1),
           x.location());
  }
  const std::int64_t whole = t.dim(attrs.i[0]);
  std::int64_t rest = whole;
  for (std::int64_t size : sizes) {
    if (size > whole) {
      refuse("SplitV",
             fmt::format("a part of {} is larger than dimension {} of {}", size, attrs.i[0], t.type().text()),
             x.location());
    }
    if (size < -1)
      refuse("SplitV", fmt::format("size {} is negative; at most one may be -1, the rest", size),
             x.location());
    rest -= size > 0 ? size : 0;
  }
  bool free = true;
  for (std::int64_t size : sizes) {
    attrs.push(size == -1 && free ? (rest > 0 ? rest : 0) : size);
    if (size == -1) free = false;
  }
  return apply_many(kSplitV, x, attrs);
}

Tensor stack(std::span<const Tensor> tensors, int axis, Location location) {
  const InputList list("Pack", tensors, location);
  Attrs attrs;
  attrs.push(tensors[0] ? front_axis("Pack", axis, tensors[0].rank() + 1, tensors[0].type(), location) : 0);
  return apply(kPack, list.inputs(), attrs, location);
}

Tensor stack(std::initializer_list<Tensor> tensors, int axis, Location location) {
  return stack(std::span(tensors.begin(), tensors.size()), axis, location);
}

std::vector<Tensor> unstack(const Arg& x, int axis) {
  const Tensor& t = x.tensor();
  Attrs attrs;
  attrs.push(front_axis("Unpack", axis, t, x.location()));
  if (t.dim(attrs.i[0]) == 0) return {};
  return apply_many(kUnpack, x, attrs);
}

}  // namespace tapescope

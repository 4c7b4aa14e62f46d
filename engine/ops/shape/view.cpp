// Ops that give the same elements another shape, and those that give them another id: all are views.
#include <limits>

#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/gate/state.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/shape.h"
#include "engine/ops/shape/rows.h"

namespace tapescope {
namespace {

constexpr std::int64_t kMostSize = std::numeric_limits<std::int32_t>::max();  // what attributes hold

// All of these: the gradient is the cotangent in the input's shape.
void reshape_vjp(VjpContext& c) { c.set(0, reshape(c.grad(), c.in_type(0).shape)); }

void infer_reshape(InferContext& c) {
  Shape shape;
  for (std::int32_t size : c.attrs.ints()) shape.push_back(size);
  if (shape.numel() != c.in(0).numel) {
    c.fail(fmt::format("cannot give {} of {} elements the shape {} of {}", c.in(0).text(), c.in(0).numel,
                       shape.text(), shape.numel()));
  }
  c.out(c.in(0).dtype, shape);
}

void infer_expand_dims(InferContext& c) {
  const Shape& in = c.in(0).shape;
  if (in.rank() == kMaxRank)
    c.fail(fmt::format("{} has {} dimensions, the most there can be", c.in(0).text(), kMaxRank));
  Shape shape;
  for (int i = 0; i < in.rank(); ++i) {
    if (i == c.attrs.i[0]) shape.push_back(1);
    shape.push_back(in[i]);
  }
  if (c.attrs.i[0] == in.rank()) shape.push_back(1);
  c.out(c.in(0).dtype, shape);
}

void infer_squeeze(InferContext& c) {
  const Shape& in = c.in(0).shape;
  Shape shape;
  for (int i = 0; i < in.rank(); ++i) {
    bool drop = false;
    for (std::int32_t axis : c.attrs.ints()) drop |= axis == i;
    if (drop && in[i] != 1)
      c.fail(fmt::format("dimension {} of {} has size {}, expected 1", i, c.in(0).text(), in[i]));
    if (!drop) shape.push_back(in[i]);
  }
  c.out(c.in(0).dtype, shape);
}

void infer_same(InferContext& c) { c.out(&c.in(0)); }

}  // namespace

constinit const OpDef kReshape{.name = "Reshape",
                               .infer = infer_reshape,
                               .vjp = reshape_vjp,
                               .linearity = Linearity::linear,
                               .batch = BatchRule::custom,
                               .batched = batch_rules::reshape_to,
                               .flags = OpDef::kView,
                               .doc = "The elements of x, in order, in the shape i",
                               .sampler = {.shapes = ""}};
constinit const OpDef kExpandDims{.name = "ExpandDims",
                                  .infer = infer_expand_dims,
                                  .vjp = reshape_vjp,
                                  .linearity = Linearity::linear,
                                  .batch = BatchRule::custom,
                                  .batched = batch_rules::axis,
                                  .flags = OpDef::kView,
                                  .doc = "A dimension of size 1 before dimension i[0]"};
constinit const OpDef kSqueeze{.name = "Squeeze",
                               .infer = infer_squeeze,
                               .vjp = reshape_vjp,
                               .linearity = Linearity::linear,
                               .batch = BatchRule::custom,
                               .batched = batch_rules::axes,
                               .flags = OpDef::kView,
                               .doc = "Without the dimensions i, which must have size 1"};
constinit const OpDef kIdentity{.name = "Identity",
                                .infer = infer_same,
                                .vjp = [](VjpContext& c) { c.set(0, c.grad()); },
                                .linearity = Linearity::linear,
                                .batch = BatchRule::elementwise,
                                .flags = OpDef::kView,
                                .doc = "x under a new id"};
constinit const OpDef kStopGradient{.name = "StopGradient",
                                    .infer = infer_same,
                                    .batch = BatchRule::elementwise,
                                    .flags = OpDef::kView,
                                    .no_gradient = NoGradient::not_differentiable,
                                    .doc = "x; no gradient passes"};

Tensor reshape(const Arg& x, const Ints& shape) {
  const Tensor& t = x.tensor();
  std::int64_t known = 1;
  bool too_large = false;
  int free = -1;
  Ints sizes;
  for (int i = 0; i < shape.size(); ++i) {
    sizes.push_back(shape[i]);
    if (shape[i] < -1 || (shape[i] == -1 && free >= 0)) {
      refuse("Reshape",
             fmt::format("the shape [{}] has {}; expected sizes, at most one of them -1",
                         fmt::join(shape.values(), ", "),
                         shape[i] == -1 ? "two sizes of -1" : "a negative size"),
             x.location());
    }
    if (shape[i] == -1) free = i;
    else too_large |= __builtin_mul_overflow(known, shape[i], &known) || shape[i] > kMostSize;
  }
  if (too_large) {
    refuse("Reshape",
           fmt::format("the {} elements of {} do not fill the shape [{}]", t.numel(), t.type().text(),
                       fmt::join(shape.values(), ", ")),
           x.location());
  }
  if (free >= 0) {
    if (known == 0 || t.numel() % known != 0) {
      refuse("Reshape",
             fmt::format("the {} elements of {} do not divide into the shape [{}]", t.numel(),
                         t.type().text(), fmt::join(shape.values(), ", ")),
             x.location());
    }
    Ints solved;
    for (int i = 0; i < sizes.size(); ++i) solved.push_back(i == free ? t.numel() / known : sizes[i]);
    sizes = solved;
  }
  return apply(kReshape, x, attrs_of(kReshape.name, sizes.values(), x.location()));
}

Tensor expand_dims(const Arg& x, int axis) {
  const Tensor& t = x.tensor();
  Attrs attrs;
  attrs.push(front_axis("ExpandDims", axis, t.rank() + 1, t.type(), x.location()));
  return apply(kExpandDims, x, attrs);
}

Tensor squeeze(const Arg& x, const Axes& axes) {
  const Tensor& t = x.tensor();
  Attrs attrs;
  if (axes.all()) {
    for (int i = 0; i < t.rank(); ++i) {
      if (t.dim(i) == 1) attrs.push(i);
    }
  } else {
    for (int axis : axes.given()) attrs.push(front_axis("Squeeze", axis, t, x.location()));
  }
  return apply(kSqueeze, x, attrs);
}

Tensor flatten(const Arg& x) {
  const Tensor& t = x.tensor();
  if (t.rank() == 0) return reshape(x, {1, 1});
  std::int64_t rest = 1;
  for (int i = 1; i < t.rank(); ++i) rest *= t.dim(i);
  return reshape(x, {t.dim(0), rest});
}

Tensor identity(const Arg& x) { return apply(kIdentity, x); }

// Silenced before x is looked at: TensorFlow does not even record the read of a variable here.
Tensor stop_gradient(const Arg& x) {
  Silence silence("stop_gradient");
  return apply(kStopGradient, x);
}

}  // namespace tapescope

// Rules of images: rows go to the images where they share a filter, to the channels, as groups, where they do
// not.
#include "engine/ops/batch_rules.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"
#include "engine/ops/nn/conv_geometry.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace tapescope::batch_rules {
namespace {

// [rows, n, ...] -> [rows n, ...] and back.
Tensor folded(const Tensor& x) {
  Shape shape{x.dim(0) * x.dim(1)};
  for (int i = 2; i < x.rank(); ++i) shape.push_back(x.dim(i));
  return reshape(x, shape);
}
Tensor unfolded(const Tensor& x, std::int64_t rows) {
  Shape shape{rows, x.dim(0) / rows};
  for (int i = 1; i < x.rank(); ++i) shape.push_back(x.dim(i));
  return reshape(x, shape);
}

// [rows, a, b, c, d] -> [a, b, c, rows d] and back.
Tensor in_channels(const Tensor& x) {
  return reshape(transpose(x, {1, 2, 3, 0, 4}), {x.dim(1), x.dim(2), x.dim(3), x.dim(0) * x.dim(4)});
}
Tensor from_channels(const Tensor& x, std::int64_t rows) {
  return transpose(reshape(x, {x.dim(0), x.dim(1), x.dim(2), rows, x.dim(3) / rows}), {3, 0, 1, 2, 4});
}
// [rows, h, w, channels, multiplier] -> [h, w, rows channels, multiplier] and back.
Tensor in_inputs(const Tensor& x) {
  return reshape(transpose(x, {1, 2, 0, 3, 4}), {x.dim(1), x.dim(2), x.dim(0) * x.dim(3), x.dim(4)});
}
Tensor from_inputs(const Tensor& x, std::int64_t rows) {
  return transpose(reshape(x, {x.dim(0), x.dim(1), rows, x.dim(2) / rows, x.dim(3)}), {2, 0, 1, 3, 4});
}

// The shape in the attributes behind `first` ints, one of its sizes times the rows.
Attrs enlarged(const BatchContext& c, int first, int dim) {
  Attrs attrs = c.attrs();
  std::int32_t& size = attrs.i[static_cast<std::size_t>(first + dim)];
  size = static_cast<std::int32_t>(size * c.rows());
  return attrs;
}

bool one_group(const Type& image, const Type& filter) { return image.shape[3] == filter.shape[2]; }

}  // namespace

void bias_add(BatchContext& c) {
  if (!c.batched(1)) return c.set(0, c.call({c.in(0), c.in(1)}, c.attrs()));
  c.set(0, add(c.spread(0), c.aligned(1, c.in_type(0).shape.rank())));
}

namespace {

// The axes of one row from the first to before `end`, seen behind the rows.
Axes axes_before(int end, int (&axes)[kMaxRank]) {
  for (int i = 0; i < end; ++i) axes[i] = i + 1;
  return Axes(std::span<const int>(axes, static_cast<std::size_t>(end)));
}

}  // namespace

void bias_add_grad(BatchContext& c) {
  const int sums = c.in_type(0).shape.rank() - 1;
  int axes[kMaxRank];
  c.set(0, sums == 0 ? c.in(0) : reduce_sum(c.in(0), axes_before(sums, axes)));
}

void l2_loss(BatchContext& c) {
  const Tensor squares = square(c.in(0));
  const int rank = c.in_type(0).shape.rank();
  int axes[kMaxRank];
  c.set(0, 0.5 * (rank == 0 ? squares : reduce_sum(squares, axes_before(rank, axes))));
}

void conv(BatchContext& c) {
  if (!c.batched(1)) return c.set(0, unfolded(c.call({folded(c.in(0)), c.in(1)}, c.attrs()), c.rows()));
  const bool shared = !c.batched(0) && one_group(c.in_type(0), c.in_type(1));
  const Tensor image = shared ? c.in(0) : in_channels(c.spread(0));
  c.set(0, from_channels(c.call({image, in_channels(c.in(1))}, c.attrs()), c.rows()));
}

void conv_input(BatchContext& c) {
  if (!c.batched(0)) {
    return c.set(0, unfolded(c.call({c.in(0), folded(c.in(1))}, enlarged(c, kWindowInts, 0)), c.rows()));
  }
  c.set(0,
        from_channels(c.call({in_channels(c.in(0)), in_channels(c.spread(1))}, enlarged(c, kWindowInts, 3)),
                      c.rows()));
}

void conv_filter(BatchContext& c) {
  const bool shared = !c.batched(0) && one_group(c.in_type(0), c.out_type());
  const Tensor image = shared ? c.in(0) : in_channels(c.spread(0));
  c.set(0, from_channels(c.call({image, in_channels(c.spread(1))}, enlarged(c, kWindowInts, 3)), c.rows()));
}

void depthwise(BatchContext& c) {
  if (!c.batched(1)) return c.set(0, unfolded(c.call({folded(c.in(0)), c.in(1)}, c.attrs()), c.rows()));
  c.set(0, from_channels(c.call({in_channels(c.spread(0)), in_inputs(c.in(1))}, c.attrs()), c.rows()));
}

void depthwise_input(BatchContext& c) {
  if (!c.batched(0)) {
    return c.set(0, unfolded(c.call({c.in(0), folded(c.in(1))}, enlarged(c, kWindowInts, 0)), c.rows()));
  }
  c.set(0, from_channels(c.call({in_inputs(c.in(0)), in_channels(c.spread(1))}, enlarged(c, kWindowInts, 3)),
                         c.rows()));
}

void depthwise_filter(BatchContext& c) {
  c.set(0,
        from_inputs(c.call({in_channels(c.spread(0)), in_channels(c.spread(1))}, enlarged(c, kWindowInts, 2)),
                    c.rows()));
}

void pool(BatchContext& c) {
  std::vector<Tensor> inputs = c.spread_all();
  for (Tensor& input : inputs) input = folded(input);
  std::vector<TensorImpl*> raw;
  for (const Tensor& input : inputs) raw.push_back(input.impl());
  c.set(0, unfolded(apply(c.op(), raw, c.attrs(), Location::current()), c.rows()));
}

void avg_pool_grad(BatchContext& c) {
  // Two ints of the window's size stand before the shape.
  c.set(0, unfolded(c.call({folded(c.in(0))}, enlarged(c, kWindowInts + 2, 0)), c.rows()));
}

// Statistics are per channel, so that rows are channels: of images and vectors alike, in and out.
void batch_norm(BatchContext& c) {
  std::vector<Tensor> inputs;
  for (int i = 0; i < c.input_count(); ++i) {
    const Shape& shape = c.in_type(i).shape;
    if (shape.rank() == 4) inputs.push_back(in_channels(c.spread(i)));
    else if (shape.numel() == 0 && !c.batched(i))
      inputs.push_back(c.in(i));  // stands for statistics that are not read
    else inputs.push_back(reshape(c.spread(i), {c.rows() * shape[0]}));
  }
  std::vector<TensorImpl*> raw;
  for (const Tensor& input : inputs) raw.push_back(input.impl());
  TensorList outputs;
  apply(c.op(), raw, c.attrs(), Location::current(), outputs);
  for (int i = 0; i < outputs.size(); ++i) {
    const Shape& shape = c.out_type(i).shape;
    c.set(i, shape.rank() == 4 ? from_channels(outputs[i], c.rows())
                               : reshape(outputs[i], {c.rows(), shape[0]}));
  }
}

}  // namespace tapescope::batch_rules

// Rules of reductions, scans and ops that move elements: the rows become one more dimension, which is left
// alone.
#include "engine/ops/batch_rules.h"
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/shape.h"

namespace tapescope::batch_rules {
namespace {

// The call's attributes with other ints.
Attrs without_ints(const Attrs& attrs) {
  Attrs out = attrs;
  out.count = 0;
  return out;
}
Attrs with_front(const Attrs& attrs, std::initializer_list<std::int64_t> front) {
  Attrs out = without_ints(attrs);
  for (std::int64_t value : front) out.push(value);
  for (std::int32_t value : attrs.ints()) out.push(value);
  return out;
}

}  // namespace

void leading(BatchContext& c) { c.run(c.spread_all(), c.attrs()); }

void axes(BatchContext& c) {
  Attrs attrs = without_ints(c.attrs());
  for (std::int32_t axis : c.attrs().ints()) attrs.push(axis + 1);
  c.run(c.spread_all(), attrs);
}

void axis(BatchContext& c) {
  Attrs attrs = c.attrs();
  ++attrs.i[0];
  c.run(c.spread_all(), attrs);
}

void second_int_axis(BatchContext& c) {
  Attrs attrs = c.attrs();
  ++attrs.i[1];
  c.run(c.spread_all(), attrs);
}

void reshape_to(BatchContext& c) { c.run({&c.in(0), 1}, with_front(c.attrs(), {c.rows()})); }

void broadcast(BatchContext& c) {
  c.set(0, c.call({c.aligned(0, c.out_type().shape.rank())}, with_front(c.attrs(), {c.rows()})));
}

void fill(BatchContext& c) {
  Shape shape{c.rows()};
  for (std::int64_t size : c.out_type().shape.dims()) shape.push_back(size);
  c.set(0, broadcast_to(c.aligned(0, c.out_type().shape.rank()), shape));
}

void permute(BatchContext& c) {
  Attrs attrs = without_ints(c.attrs());
  attrs.push(0);
  for (std::int32_t from : c.attrs().ints()) attrs.push(from + 1);
  c.run({&c.in(0), 1}, attrs);
}

void repeat(BatchContext& c) { c.run({&c.in(0), 1}, with_front(c.attrs(), {1})); }

void axis_bits(BatchContext& c) {
  Attrs attrs = c.attrs();
  attrs.flags <<= 1;
  c.run({&c.in(0), 1}, attrs);
}

void box(BatchContext& c) {
  Attrs attrs = without_ints(c.attrs());
  const int rank = c.in_type(0).shape.rank();
  attrs.push(0);
  for (std::int32_t begin : c.attrs().ints().first(static_cast<std::size_t>(rank))) attrs.push(begin);
  attrs.push(c.rows());
  for (std::int32_t size : c.attrs().ints().last(static_cast<std::size_t>(rank))) attrs.push(size);
  c.run({&c.in(0), 1}, attrs);
}

namespace {

// Flags of strided slices: a bit for each dropped dimension, from bit 8 on one for each new one.
std::uint32_t moved_masks(std::uint32_t flags) { return (flags & 0x7f) << 1 | (flags >> 8) << 9; }

}  // namespace

void strided(BatchContext& c) {
  Attrs attrs = with_front(c.attrs(), {0, c.rows(), 1});
  attrs.flags = moved_masks(c.attrs().flags);
  c.run({&c.in(0), 1}, attrs);
}

void strided_grad(BatchContext& c) {
  Attrs attrs = without_ints(c.attrs());
  attrs.flags = moved_masks(c.attrs().flags);
  const std::size_t rank = static_cast<std::size_t>(c.out_type().shape.rank());
  for (std::int64_t value : {std::int64_t{0}, c.rows(), std::int64_t{1}}) attrs.push(value);
  for (std::int32_t value : c.attrs().ints().first(3 * rank)) attrs.push(value);
  attrs.push(c.rows());
  for (std::int32_t size : c.attrs().ints().last(rank)) attrs.push(size);
  c.run({&c.in(0), 1}, attrs);
}

void margins(BatchContext& c) {
  const Attrs attrs = with_front(c.attrs(), {0, 0});
  if (c.input_count() == 1) return c.run({&c.in(0), 1}, attrs);
  // PadV2, whose constant may differ from row to row: the margins of zeros, filled where a padded one shows
  // them.
  if (!c.batched(1)) return c.set(0, c.call({c.in(0), c.in(1)}, attrs));
  std::vector<Padding> paddings(1);
  for (int d = 0; d < c.in_type(0).shape.rank(); ++d) {
    paddings.push_back(
        {c.attrs().i[static_cast<std::size_t>(2 * d)], c.attrs().i[static_cast<std::size_t>(2 * d + 1)]});
  }
  const Tensor inside = make_full(c.in_type(0).shape, 1, DType::boolean);
  const Tensor shown = pad(inside, std::span(paddings).subspan(1));
  c.set(0, where(shown, pad(c.spread(0), paddings), c.aligned(1, c.out_type().shape.rank())));
}

}  // namespace tapescope::batch_rules

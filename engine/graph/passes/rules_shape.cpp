// Rules of ops that move elements: no-ops, inverse pairs, broadcasts that the next op does itself.
#include <algorithm>

#include "engine/graph/passes/arithmetic.h"
#include "engine/ops/linalg/rows.h"

namespace tapescope {
namespace {

// The same type and, by the rule that asks, the same elements.
ValueIndex if_same_type(Match& m) { return &m.in_type(0) == &m.out_type() ? m.in(0) : kNo; }

// ---- views

// A view of a view is a view of its base.
ValueIndex remove_redundant_view(Match& m) {
  if (&m.in_type(0) == &m.out_type()) return m.in(0);
  for (const std::string_view view : {"Reshape", "ExpandDims", "Squeeze"}) {
    if (const GraphNode* inner = m.made_by(m.in(0), view))
      return m.reshaped(m.input(*inner, 0), m.out_type().shape);
  }
  return kNo;
}

// ---- casts

// Whether every value of `from` is a value of `to`.
bool preserves(DType from, DType to) {
  if (from == to) return true;
  if (to == DType::f64) return from != DType::i64;
  if (to == DType::f32) return is_half(from);
  return from == DType::i32 && to == DType::i64;
}
ValueIndex remove_redundant_cast(Match& m) {
  if (&m.in_type(0) == &m.out_type()) return m.in(0);
  const GraphNode* inner = m.made_by(m.in(0), "Cast");
  if (!inner) return kNo;
  const ValueIndex x = m.input(*inner, 0);
  const DType from = m.type(x).dtype, through = m.in_type(0).dtype;
  if (from == DType::boolean || !preserves(from, through)) return kNo;
  return &m.type(x) == &m.out_type() ? x : m.add("Cast", {x}, m.attrs());
}

// ---- transposes and other moves

bool is_identity(std::span<const std::int32_t> permutation, const Shape& shape) {
  // Dimensions of size 1 may stand anywhere.
  int last = -1;
  for (const std::int32_t axis : permutation) {
    if (shape[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}
ValueIndex remove_identity_transpose(Match& m) {
  if (const GraphNode* inner = m.made_by(m.in(0), "Transpose")) {
    Attrs both;
    for (const std::int32_t axis : m.attrs().ints())
      both.push(inner->attrs.i[static_cast<std::size_t>(axis)]);
    const ValueIndex x = m.input(*inner, 0);
    if (is_identity(both.ints(), m.type(x).shape)) return m.reshaped(x, m.out_type().shape);
    return m.add("Transpose", {x}, both);
  }
  if (!is_identity(m.attrs().ints(), m.in_type(0).shape)) return kNo;
  return m.reshaped(m.in(0), m.out_type().shape);
}
ValueIndex remove_reverse(Match& m) {
  for (int i = 0; i < m.in_type(0).shape.rank(); ++i) {
    if ((m.attrs().flags >> i & 1) && m.in_type(0).shape[i] != 1) return kNo;
  }
  return m.in(0);
}
// A pad, tile or slice that gives the type it got moves nothing: a slice's strides of the whole must be 1.
ValueIndex remove_full_stride(Match& m) {
  if (&m.in_type(0) != &m.out_type()) return kNo;
  for (int i = 0; i < m.in_type(0).shape.rank(); ++i) {
    const std::size_t at = static_cast<std::size_t>(3 * i);
    const std::int64_t size = m.in_type(0).shape[i];
    if (m.attrs().i[at] != 0 || (size > 1 && m.attrs().i[at + 2] != 1)) return kNo;
  }
  return m.attrs().flags == 0 ? m.in(0) : kNo;
}
ValueIndex remove_pad(Match& m) {
  return std::ranges::all_of(m.attrs().ints(), [](std::int32_t n) { return n == 0; }) ? m.in(0) : kNo;
}
ValueIndex pack_of_one(Match& m) {
  if (m.input_count() != 1) return kNo;
  Attrs axis;
  axis.push(m.attrs().i[0]);
  return m.add("ExpandDims", {m.in(0)}, axis);
}
ValueIndex concat_of_one(Match& m) { return m.input_count() == 1 ? m.in(0) : kNo; }

// ---- reductions

// Over axes of size 1 nothing is combined. A sum starts from 0, so that -0 becomes 0.
ValueIndex reduce_nothing(Match& m) {
  for (const std::int32_t axis : m.attrs().ints()) {
    if (m.in_type(0).shape[axis] != 1) return kNo;
  }
  const bool sums = m.op().name == "Sum" || m.op().name == "Mean";
  if (sums && !m.may_reassociate()) return kNo;
  return m.reshaped(m.in(0), m.out_type().shape);
}

// ---- broadcasts

// An elementwise op broadcasts by itself; the copy need not be made.
ValueIndex implicit_broadcast(Match& m) {
  for (const std::size_t i : {0, 1}) {
    const GraphNode* broadcast = m.made_by(m.in(i), "BroadcastTo");
    if (!broadcast || !(m.in_type(1 - i).shape == m.out_type().shape)) continue;
    ValueIndex inputs[] = {m.in(0), m.in(1)};
    inputs[i] = m.input(*broadcast, 0);
    return m.add(m.op().name, inputs, m.attrs());
  }
  return kNo;
}

// ---- products

bool swaps_last_two(const GraphNode& transpose) {
  return transpose.attrs.count == 2 && transpose.attrs.i[0] == 1 && transpose.attrs.i[1] == 0;
}
// A product reads its operands transposed as fast as not; another library may then compute it.
ValueIndex fold_transpose(Match& m) {
  ValueIndex inputs[] = {m.in(0), m.in(1)};
  Attrs attrs = m.attrs();
  bool any = false;
  for (const std::size_t i : {0, 1}) {
    const GraphNode* transpose = m.made_by(inputs[i], "Transpose");
    if (!transpose || !swaps_last_two(*transpose)) continue;
    inputs[i] = m.input(*transpose, 0);
    attrs.flags ^= i == 0 ? rows::kTransposeA : rows::kTransposeB;
    any = true;
  }
  return any && m.may_reassociate() ? m.add("MatMul", inputs, attrs) : kNo;
}

constexpr ArithmeticRule kShapeRules[] = {
    {"remove_redundant_reshape", "Reshape", remove_redundant_view},
    {"remove_redundant_reshape", "ExpandDims", remove_redundant_view},
    {"remove_redundant_reshape", "Squeeze", remove_redundant_view},
    {"remove_redundant_cast", "Cast", remove_redundant_cast},
    {"remove_identity_transpose", "Transpose", remove_identity_transpose},
    {"remove_noop", "BroadcastTo", if_same_type},
    {"remove_noop", "Tile", if_same_type},
    {"remove_noop", "Slice", if_same_type},
    {"remove_noop", "StridedSlice", remove_full_stride},
    {"remove_noop", "Pad", remove_pad},
    {"remove_noop", "PadV2", remove_pad},
    {"remove_noop", "ReverseV2", remove_reverse},
    {"remove_noop", "ConcatV2", concat_of_one},
    {"pack_to_expand_dims", "Pack", pack_of_one},
    {"remove_redundant_reduction", "Sum", reduce_nothing},
    {"remove_redundant_reduction", "Mean", reduce_nothing},
    {"remove_redundant_reduction", "Prod", reduce_nothing},
    {"remove_redundant_reduction", "Max", reduce_nothing},
    {"remove_redundant_reduction", "Min", reduce_nothing},
    {"implicit_broadcast", "AddV2", implicit_broadcast},
    {"implicit_broadcast", "Sub", implicit_broadcast},
    {"implicit_broadcast", "Mul", implicit_broadcast},
    {"implicit_broadcast", "RealDiv", implicit_broadcast},
    {"implicit_broadcast", "Maximum", implicit_broadcast},
    {"implicit_broadcast", "Minimum", implicit_broadcast},
    {"implicit_broadcast", "ReluGrad", implicit_broadcast},
    {"implicit_broadcast", "TanhGrad", implicit_broadcast},
    {"implicit_broadcast", "SigmoidGrad", implicit_broadcast},
    {"implicit_broadcast", "SquaredDifference", implicit_broadcast},
    {"fold_transpose_into_matmul", "MatMul", fold_transpose},
};

}  // namespace

std::span<const ArithmeticRule> shape_rules() { return kShapeRules; }

}  // namespace tapescope

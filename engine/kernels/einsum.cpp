// Labels are sorted into batch, row, column and summed ones; the product itself is the matrix product.
#include "engine/kernels/einsum.h"

#include <array>
#include <cstring>
#include <type_traits>

#include "engine/kernels/gemm.h"
#include "engine/kernels/map.h"
#include "engine/kernels/scratch.h"

namespace tapescope::kernels {
namespace {

struct Labels {
  std::array<char, 3 * kMaxRank> list{};
  int count = 0;
  void add(char label) { list[count++] = label; }
  std::string_view text() const { return {list.data(), static_cast<std::size_t>(count)}; }
};
bool contains(std::string_view labels, char label) { return labels.find(label) != std::string_view::npos; }

// Sizes of labels, over both operands.
struct Sizes {
  std::int64_t of[128] = {};
  void learn(std::string_view labels, const Shape& shape) {
    for (int i = 0; i < shape.rank(); ++i)
      of[static_cast<int>(labels[static_cast<std::size_t>(i)])] = shape[i];
  }
  std::int64_t product(std::string_view labels) const {
    std::int64_t n = 1;
    for (char label : labels) n *= of[static_cast<int>(label)];
    return n;
  }
};

// Elements between neighbours along `label` in a row-major array with these labels; repeated ones add up.
std::int64_t stride_of(std::string_view labels, const Sizes& sizes, char label) {
  std::int64_t stride = 0, step = 1;
  for (std::size_t i = labels.size(); i-- > 0;) {
    if (labels[i] == label) stride += step;
    step *= sizes.of[static_cast<int>(labels[i])];
  }
  return stride;
}

// Calls body(offset of x, offset of y) for every index of `over`, the last label fastest.
template <class Body>
void walk(std::string_view over, const Sizes& sizes, std::string_view x, std::string_view y,
          const Body& body) {
  const int rank = static_cast<int>(over.size());
  std::int64_t size[3 * kMaxRank], step_x[3 * kMaxRank], step_y[3 * kMaxRank], index[3 * kMaxRank] = {};
  for (int i = 0; i < rank; ++i) {
    const char label = over[static_cast<std::size_t>(i)];
    size[i] = sizes.of[static_cast<int>(label)];
    if (size[i] == 0) return;
    step_x[i] = stride_of(x, sizes, label);
    step_y[i] = stride_of(y, sizes, label);
  }
  for (std::int64_t at_x = 0, at_y = 0;;) {
    body(at_x, at_y);
    int d = rank - 1;
    for (; d >= 0; --d) {
      at_x += step_x[d];
      at_y += step_y[d];
      if (++index[d] < size[d]) break;
      at_x -= size[d] * step_x[d];
      at_y -= size[d] * step_y[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

// y[to] = sum of x[from] over labels that `to` lacks. Labels may repeat on either side. Integers are
// unsigned: their sums wrap.
template <class T>
void rearrange(const T* x, std::string_view from, T* y, std::string_view to, const Sizes& sizes) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  const std::int64_t n = sizes.product(to);
  Labels kept, summed, once;
  for (char label : to) {
    if (!contains(once.text(), label)) once.add(label);
  }
  for (char label : from) {
    if (!contains(to, label) && !contains(summed.text(), label)) summed.add(label);
  }
  if (once.count != static_cast<int>(to.size())) std::memset(y, 0, static_cast<std::size_t>(n) * sizeof(T));
  if (summed.count == 0) {
    walk(once.text(), sizes, from, to, [&](std::int64_t i, std::int64_t k) { y[k] = x[i]; });
    return;
  }
  walk(once.text(), sizes, from, to, [&](std::int64_t i, std::int64_t k) {
    Sum sum = 0;
    walk(summed.text(), sizes, from, {},
         [&](std::int64_t at, std::int64_t) { sum += static_cast<Sum>(x[i + at]); });
    y[k] = static_cast<T>(sum);
  });
}

// The operand with its labels in the order first, second, third: itself when they lie so already.
template <class T>
const T* ordered(const T* x, std::string_view labels, const Labels& order, const Sizes& sizes, T* room) {
  if (labels == order.text()) return x;
  rearrange(x, labels, room, order.text(), sizes);
  return room;
}
Labels join(const Labels& a, const Labels& b, const Labels& c) {
  Labels all;
  for (const Labels* part : {&a, &b, &c}) {
    for (char label : part->text()) all.add(label);
  }
  return all;
}

template <class T>
void product(const EinsumEquation& e, DType type, const T* a, const T* b, T* y, const Sizes& sizes) {
  Labels batch, rows, columns, summed;
  for (char label : e.a) {
    if (contains(batch.text(), label) || contains(rows.text(), label) || contains(summed.text(), label))
      continue;
    if (contains(e.b, label)) (contains(e.out, label) ? batch : summed).add(label);
    else if (contains(e.out, label)) rows.add(label);
    // A label of one operand alone that the output lacks is summed while rearranging.
  }
  for (char label : e.b) {
    if (!contains(e.a, label) && contains(e.out, label) && !contains(columns.text(), label))
      columns.add(label);
  }
  const std::int64_t count = sizes.product(batch.text()), m = sizes.product(rows.text()),
                     n = sizes.product(columns.text()), k = sizes.product(summed.text());
  const Scratch room(static_cast<std::int64_t>(sizeof(T)) * count * (m * k + k * n + m * n));
  T* x_room = room.as<T>();
  T* z_room = x_room + count * m * k;
  T* c_room = z_room + count * k * n;
  // Either order of rows and summed labels is a matrix product: take the one that needs no copy.
  const bool ta = e.a == join(batch, summed, rows).text() && k > 1,
             tb = e.b == join(batch, columns, summed).text() && k > 1;
  const T* x = ordered(a, e.a, ta ? join(batch, summed, rows) : join(batch, rows, summed), sizes, x_room);
  const T* z =
      ordered(b, e.b, tb ? join(batch, columns, summed) : join(batch, summed, columns), sizes, z_room);
  const Labels result = join(batch, rows, columns);
  T* c = e.out == result.text() ? y : c_room;
  gemm_batch(type, Gemm::of(ta, tb, m, n, k), count, x, nullptr, z, nullptr, c);
  if (c != y) rearrange(c, result.text(), y, e.out, sizes);
}

template <class T>
void typed(const EinsumEquation& e, DType type, const void* a, const void* b, void* y, const Sizes& sizes) {
  const T *x = static_cast<const T*>(a), *z = static_cast<const T*>(b);
  T* to = static_cast<T*>(y);
  if (e.binary) product(e, type, x, z, to, sizes);
  else rearrange(x, e.a, to, e.out, sizes);
}

}  // namespace

EinsumEquation::EinsumEquation(std::string_view text) {
  const std::size_t arrow = text.find("->"), comma = text.find(',');
  out = text.substr(arrow + 2);
  binary = comma != std::string_view::npos;
  a = text.substr(0, binary ? comma : arrow);
  if (binary) b = text.substr(comma + 1, arrow - comma - 1);
}

void einsum(const EinsumEquation& e, DType type, const void* a, const Shape& a_shape, const void* b,
            const Shape* b_shape, void* y, const Shape& out) {
  if (is_half(type)) {
    const std::int64_t n_a = a_shape.numel(), n_b = b_shape ? b_shape->numel() : 0;
    const Scratch room(4 * (n_a + n_b + out.numel()));
    float *x = room.as<float>(), *z = x + n_a, *c = z + n_b;
    convert(type, a, DType::f32, x, n_a);
    if (b_shape) convert(type, b, DType::f32, z, n_b);
    einsum(e, DType::f32, x, a_shape, z, b_shape, c, out);
    return convert(DType::f32, c, type, y, out.numel());
  }
  Sizes sizes;
  sizes.learn(e.a, a_shape);
  if (b_shape) sizes.learn(e.b, *b_shape);
  switch (type) {
    case DType::f32: return typed<float>(e, type, a, b, y, sizes);
    case DType::f64: return typed<double>(e, type, a, b, y, sizes);
    case DType::i32: return typed<std::uint32_t>(e, type, a, b, y, sizes);
    case DType::i64: return typed<std::uint64_t>(e, type, a, b, y, sizes);
    default: return;
  }
}

double einsum_flops(const EinsumEquation& e, const Shape& a, const Shape* b) {
  Sizes sizes;
  sizes.learn(e.a, a);
  if (!b) return static_cast<double>(a.numel());
  sizes.learn(e.b, *b);
  Labels all;
  for (std::string_view part : {e.a, e.b}) {
    for (char label : part) {
      if (!contains(all.text(), label)) all.add(label);
    }
  }
  return 2 * static_cast<double>(sizes.product(all.text()));
}

}  // namespace tapescope::kernels

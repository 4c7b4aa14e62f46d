// Ops that move elements and ops that slide windows, of many random geometries, against their definitions in
// plain loops, forward and backward.
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "engine/ops/ops.h"
#include "engine/ops/slices.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

using Place = std::vector<std::int64_t>;

class GeometryDice {
 public:
  explicit GeometryDice(unsigned seed) : random_(seed) {}
  // Of low to high, both included.
  std::int64_t of(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool coin() { return of(0, 1) == 1; }
  // Sixteenths, so that sums are exact in any order.
  Tensor numbers(const Shape& shape, DType dtype) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < shape.numel(); ++i) values.push_back(static_cast<double>(of(-32, 32)) / 16);
    return make_tensor(values, shape, dtype);
  }

 private:
  std::mt19937 random_;
};

std::int64_t offset_of(const Place& place, const Shape& shape) {
  std::int64_t offset = 0;
  for (int d = 0; d < shape.rank(); ++d) offset = offset * shape[d] + place[static_cast<std::size_t>(d)];
  return offset;
}
Place place_of(std::int64_t offset, const Shape& shape) {
  Place place(static_cast<std::size_t>(shape.rank()));
  for (int d = shape.rank(); d-- > 0; offset /= shape[d])
    place[static_cast<std::size_t>(d)] = offset % shape[d];
  return place;
}

using Moved = std::function<Tensor(const Tensor&)>;
// Where an element of the result comes from; nothing: it is 0 and has no gradient.
using From = std::function<std::optional<Place>(Place)>;

void check_moves(const Moved& call, const Shape& shape, DType dtype, const Shape& expected,
                 const From& from) {
  GeometryDice dice(5);
  const Tensor x = dice.numbers(shape, dtype), weights = dice.numbers(expected, dtype);
  const bool differentiable = is_floating(dtype);
  GradientTape tape;
  Tensor y;
  {
    const auto recording = tape.record();
    if (differentiable) tape.watch(x);
    y = call(x);
  }
  REQUIRE(y.shape() == expected);
  REQUIRE(y.dtype() == dtype);
  std::vector<double> gradient(static_cast<std::size_t>(x.numel()));
  for (std::int64_t i = 0; i < y.numel(); ++i) {
    const std::optional<Place> source = from(place_of(i, expected));
    const std::int64_t at = source ? offset_of(*source, shape) : 0;
    INFO("element " << i << ", from " << (source ? at : -1));
    REQUIRE(element_value(y, i) == (source ? element_value(x, at) : 0));
    if (source) gradient[static_cast<std::size_t>(at)] += element_value(weights, i);
  }
  if (!differentiable) return;
  const Tensor got = tape.gradient(y, x, {.output_gradients = {weights}});
  REQUIRE(got);
  CHECK(element_values(to_dense(got)) == gradient);
}

constexpr DType kEach[] = {DType::f32, DType::f64, DType::f16, DType::i32, DType::i64, DType::boolean};

Shape random_shape(GeometryDice& dice, int least, int most, std::int64_t low = 0) {
  Shape shape;
  for (std::int64_t rank = dice.of(least, most); rank > 0; --rank) shape.push_back(dice.of(low, 5));
  return shape;
}

struct Window {
  std::int64_t images, height, width, channels, out, groups, rows, columns;
  int stride_y, stride_x, dilation_y, dilation_x;
  ConvPadding padding;

  std::string text() const {
    return fmt::format(
        "images {} {}x{}x{}, {} out, {} groups, window {}x{}, strides {} {}, dilations {} {}, {}", images,
        height, width, channels, out, groups, rows, columns, stride_y, stride_x, dilation_y, dilation_x,
        padding == ConvPadding::same ? "same" : "valid");
  }
  // {outputs, margin before}
  static std::pair<std::int64_t, std::int64_t> fit(std::int64_t size, std::int64_t window,
                                                   std::int64_t stride, std::int64_t dilation,
                                                   ConvPadding padding) {
    const std::int64_t reach = (window - 1) * dilation + 1;
    if (padding == ConvPadding::valid) return {size < reach ? 0 : (size - reach) / stride + 1, 0};
    const std::int64_t count = (size + stride - 1) / stride;
    return {count, std::max<std::int64_t>(0, (count - 1) * stride + reach - size) / 2};
  }
  std::pair<std::int64_t, std::int64_t> down() const {
    return fit(height, rows, stride_y, dilation_y, padding);
  }
  std::pair<std::int64_t, std::int64_t> across() const {
    return fit(width, columns, stride_x, dilation_x, padding);
  }

  // body(image, output row, output column, window row, window column, row, column) for each place under the
  // window.
  template <class Body>
  void each(Body body) const {
    const auto [ys, top] = down();
    const auto [xs, left] = across();
    for (std::int64_t n = 0; n < images; ++n)
      for (std::int64_t oy = 0; oy < ys; ++oy)
        for (std::int64_t ox = 0; ox < xs; ++ox)
          for (std::int64_t ky = 0; ky < rows; ++ky)
            for (std::int64_t kx = 0; kx < columns; ++kx) {
              const std::int64_t y = oy * stride_y + ky * dilation_y - top,
                                 x = ox * stride_x + kx * dilation_x - left;
              if (y >= 0 && y < height && x >= 0 && x < width) body(n, oy, ox, ky, kx, y, x);
            }
  }
  Shape result(std::int64_t depth) const { return {images, down().first, across().first, depth}; }
  Shape image() const { return {images, height, width, channels}; }
};

Window random_window(GeometryDice& dice, bool dilated) {
  Window w{};
  do {
    w.images = dice.of(1, 3);
    w.height = dice.of(1, 9);
    w.width = dice.of(1, 9);
    w.groups = dice.of(1, 2);
    w.channels = w.groups * dice.of(1, 3);
    w.out = w.groups * dice.of(1, 5);
    w.rows = dice.of(1, 4);
    w.columns = dice.of(1, 4);
    w.stride_y = static_cast<int>(dice.of(1, 3));
    w.stride_x = static_cast<int>(dice.of(1, 3));
    w.dilation_y = dilated && w.stride_y == 1 && w.stride_x == 1 ? static_cast<int>(dice.of(1, 2)) : 1;
    w.dilation_x = dilated && w.stride_y == 1 && w.stride_x == 1 ? static_cast<int>(dice.of(1, 3)) : 1;
    w.padding = dice.coin() ? ConvPadding::same : ConvPadding::valid;
  } while (w.down().first <= 0 || w.across().first <= 0);
  return w;
}

void check_each(const Tensor& got, const std::vector<double>& expected, const char* what) {
  INFO(what);
  REQUIRE(got);
  REQUIRE(got.numel() == static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("element " << i);
    REQUIRE(element_value(got, static_cast<std::int64_t>(i)) ==
            Approx(expected[i]).epsilon(1e-6).margin(1e-6));
  }
}

struct Sums {
  std::vector<double> y, by_x, by_filter;
};

}  // namespace

TEST_CASE("every slice of a dimension is Python's, forward and backward", "[definitions]") {
  constexpr std::int64_t kSize = 4;
  for (std::int64_t stride : {-5, -3, -2, -1, 1, 2, 3, 5})
    for (std::int64_t begin = -6; begin <= 6; ++begin)
      for (std::int64_t end = -6; end <= 6; ++end)
        for (std::uint32_t masks = 0; masks < 4; ++masks) {
          const auto clamp = [&](std::int64_t i, bool open, bool first) {
            const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? kSize : kSize - 1;
            if (open) return first == (stride > 0) ? low : high;
            return std::clamp(i < 0 ? i + kSize : i, low, high);
          };
          std::vector<std::int64_t> taken;
          const std::int64_t stop = clamp(end, masks & 2, false);
          for (std::int64_t i = clamp(begin, masks & 1, true); stride > 0 ? i < stop : i > stop; i += stride)
            taken.push_back(i);
          const StridedSlice spec{.begin = {begin},
                                  .end = {end},
                                  .strides = {stride},
                                  .begin_mask = masks & 1,
                                  .end_mask = masks >> 1};
          INFO(begin << ":" << end << ":" << stride << ", masks " << masks);
          const Shape out{static_cast<std::int64_t>(taken.size()), 2};
          check_moves([&](const Tensor& x) { return strided_slice(x, spec); }, {kSize, 2}, DType::f32, out,
                      [&](Place p) {
                        return Place{taken[static_cast<std::size_t>(p[0])], p[1]};
                      });
        }
}

TEST_CASE("slices with new, dropped and skipped dimensions are Python's", "[definitions]") {
  GeometryDice dice(3);
  for (int round = 0; round < 400; ++round) {
    const Shape shape = random_shape(dice, 1, 4, 1);
    const DType dtype = kEach[round % std::size(kEach)];
    std::vector<std::int64_t> begin, end, strides;
    StridedSlice spec;
    Shape out;
    struct Entry {
      int dim;  // -1: a new one
      std::int64_t first, step;
      bool dropped;
    };
    std::vector<Entry> entries;
    const int skipped = static_cast<int>(dice.of(0, shape.rank())),
              first_skipped = static_cast<int>(dice.of(0, shape.rank() - skipped));
    const bool ellipsis = skipped > 0 || dice.coin();
    std::uint32_t bit = 1;
    const auto entry = [&](std::int64_t b, std::int64_t e, std::int64_t s) {
      begin.push_back(b);
      end.push_back(e);
      strides.push_back(s);
      bit <<= 1;
    };
    for (int d = 0; d <= shape.rank(); ++d) {
      if (dice.of(0, 3) == 0) {
        spec.new_mask |= bit;
        // A new dimension takes no index, whatever else is said of it.
        if (dice.coin()) spec.shrink_mask |= bit;
        entry(dice.of(-3, 3), dice.of(-3, 3), 1);
        entries.push_back({-1, 0, 1, false});
        out.push_back(1);
      }
      if (ellipsis && d == first_skipped) {
        spec.ellipsis_mask |= bit;
        entry(0, 0, 1);
        for (int k = 0; k < skipped; ++k, ++d) {
          entries.push_back({d, 0, 1, false});
          out.push_back(shape[d]);
        }
      }
      if (d >= shape.rank()) break;
      const std::int64_t size = shape[d];
      if (dice.of(0, 2) == 0) {
        spec.shrink_mask |= bit;
        const std::int64_t at = dice.of(-size, size - 1);
        entry(at, at + 1, 1);
        entries.push_back({d, at < 0 ? at + size : at, 1, true});
      } else {
        const bool back = dice.coin();
        const std::int64_t first = dice.of(0, size - 1), step = dice.of(1, 2);
        if (back) spec.end_mask |= bit;
        entry(first, back ? 0 : size, back ? -step : step);
        entries.push_back({d, first, back ? -step : step, false});
        out.push_back(back ? first / step + 1 : (size - first + step - 1) / step);
      }
    }
    spec.begin = Ints(begin);
    spec.end = Ints(end);
    spec.strides = Ints(strides);
    INFO("round " << round << ", " << shape.text());
    check_moves([&](const Tensor& x) { return strided_slice(x, spec); }, shape, dtype, out,
                [&](Place p) {
                  Place from(static_cast<std::size_t>(shape.rank()));
                  std::size_t o = 0;
                  for (const Entry& e : entries) {
                    const std::int64_t at = e.dropped ? 0 : p[o++];
                    if (e.dim >= 0) from[static_cast<std::size_t>(e.dim)] = e.first + at * e.step;
                  }
                  return from;
                });
  }
}

TEST_CASE("elements that are moved, repeated and joined come from where they are said to", "[definitions]") {
  GeometryDice dice(7);
  for (int round = 0; round < 600; ++round) {
    const DType dtype = kEach[round % std::size(kEach)];
    const Shape shape = random_shape(dice, 1, 4);
    const int rank = shape.rank(), axis = static_cast<int>(dice.of(0, rank - 1));
    const std::size_t a = static_cast<std::size_t>(axis);
    const int given_axis = dice.coin() ? axis : axis - rank;
    INFO("round " << round << ", " << shape.text() << " " << name_of(dtype) << ", axis " << given_axis);
    const auto with = [&](int d, std::int64_t size) {
      Shape other = shape;
      other[d] = size;
      return other;
    };
    // Transposed.
    std::vector<std::int64_t> order;
    for (int d = 0; d < rank; ++d) order.insert(order.begin() + dice.of(0, d), d);
    Shape turned;
    for (const std::int64_t d : order) turned.push_back(shape[static_cast<int>(d)]);
    check_moves([&](const Tensor& x) { return transpose(x, Ints(order)); }, shape, dtype, turned,
                [&](Place p) {
                  Place from(p.size());
                  for (std::size_t d = 0; d < p.size(); ++d) from[static_cast<std::size_t>(order[d])] = p[d];
                  return from;
                });
    check_moves([&](const Tensor& x) { return reverse(x, given_axis); }, shape, dtype, shape,
                [&](Place p) {
                  p[a] = shape[axis] - 1 - p[a];
                  return p;
                });
    const std::int64_t shift = dice.of(-7, 7);
    check_moves([&](const Tensor& x) { return roll(x, shift, given_axis); }, shape, dtype, shape,
                [&](Place p) {
                  p[a] = ((p[a] - shift) % shape[axis] + shape[axis]) % shape[axis];
                  return p;
                });
    const std::int64_t times = dice.of(0, 3);
    check_moves([&](const Tensor& x) { return repeat(x, times, given_axis); }, shape, dtype,
                with(axis, shape[axis] * times),
                [&](Place p) {
                  p[a] /= times;
                  return p;
                });
    std::vector<std::int64_t> tiles;
    Shape tiled = shape;
    for (int d = 0; d < rank; ++d) {
      tiles.push_back(dice.of(0, 3));
      tiled[d] *= tiles.back();
    }
    check_moves([&](const Tensor& x) { return tile(x, Ints(tiles)); }, shape, dtype, tiled,
                [&](Place p) {
                  for (int d = 0; d < rank; ++d) p[static_cast<std::size_t>(d)] %= shape[d];
                  return p;
                });
    // Joined with itself and another part between.
    const Tensor between = zeros(with(axis, dice.of(0, 2)), dtype);
    const std::int64_t gap = between.dim(axis);
    check_moves(
        [&](const Tensor& x) {
          return concat({x, between, x}, given_axis);
        },
        shape, dtype, with(axis, 2 * shape[axis] + gap),
        [&](Place p) -> std::optional<Place> {
          if (p[a] >= shape[axis] && p[a] < shape[axis] + gap) return std::nullopt;
          if (p[a] >= shape[axis]) p[a] -= shape[axis] + gap;
          return p;
        });
    const int beside = static_cast<int>(dice.of(0, rank));
    Shape stacked;
    for (int d = 0; d <= rank; ++d) {
      if (d == beside) stacked.push_back(3);
      if (d < rank) stacked.push_back(shape[d]);
    }
    check_moves(
        [&](const Tensor& x) {
          return stack({x, zeros_like(x), x}, beside);
        },
        shape, dtype, stacked,
        [&](Place p) -> std::optional<Place> {
          if (p[static_cast<std::size_t>(beside)] == 1) return std::nullopt;
          p.erase(p.begin() + beside);
          return p;
        });
    // One of the parts.
    const std::int64_t first = dice.of(0, shape[axis]), middle = dice.of(0, shape[axis] - first);
    const std::vector<std::int64_t> sizes{first, middle, shape[axis] - first - middle};
    check_moves([&](const Tensor& x) { return split(x, std::span(sizes), given_axis)[1]; }, shape, dtype,
                with(axis, middle),
                [&](Place p) {
                  p[a] += first;
                  return p;
                });
    if (shape[axis] > 0) {
      const std::int64_t one = dice.of(0, shape[axis] - 1);
      Shape without;
      for (int d = 0; d < rank; ++d)
        if (d != axis) without.push_back(shape[d]);
      check_moves([&](const Tensor& x) { return unstack(x, given_axis)[static_cast<std::size_t>(one)]; },
                  shape, dtype, without,
                  [&](Place p) {
                    p.insert(p.begin() + axis, one);
                    return p;
                  });
      // Taken by their places.
      std::vector<double> places;
      for (int i = 0; i < 6; ++i) places.push_back(static_cast<double>(dice.of(0, shape[axis] - 1)));
      const Tensor ids = make_tensor(places, Shape{2, 3}, dice.coin() ? DType::i32 : DType::i64);
      Shape gathered;
      for (int d = 0; d < rank; ++d) {
        if (d == axis) {
          gathered.push_back(2);
          gathered.push_back(3);
        } else {
          gathered.push_back(shape[d]);
        }
      }
      check_moves([&](const Tensor& x) { return gather(x, ids, given_axis); }, shape, dtype, gathered,
                  [&](Place p) {
                    const std::int64_t at =
                        static_cast<std::int64_t>(places[static_cast<std::size_t>(p[a] * 3 + p[a + 1])]);
                    p.erase(p.begin() + axis);
                    p[a] = at;
                    return p;
                  });
    }
    if (dtype == DType::boolean) continue;
    for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::symmetric}) {
      std::vector<Padding> margins;
      Shape padded = shape;
      const std::int64_t edge = mode == PadMode::reflect ? 1 : 0;
      for (int d = 0; d < rank; ++d) {
        const std::int64_t most = mode == PadMode::constant ? 3 : std::max<std::int64_t>(0, shape[d] - edge);
        margins.push_back({dice.of(0, most), dice.of(0, most)});
        padded[d] += margins.back().before + margins.back().after;
      }
      check_moves([&](const Tensor& x) { return pad(x, std::span<const Padding>(margins), mode); }, shape,
                  dtype, padded,
                  [&](Place p) -> std::optional<Place> {
                    for (int d = 0; d < rank; ++d) {
                      std::int64_t& at = p[static_cast<std::size_t>(d)];
                      at -= margins[static_cast<std::size_t>(d)].before;
                      if (at >= 0 && at < shape[d]) continue;
                      if (mode == PadMode::constant) return std::nullopt;
                      at = at < 0 ? -at - 1 + edge : 2 * shape[d] - 1 - at - edge;
                    }
                    return p;
                  });
    }
  }
}

TEST_CASE("convolutions of any window are sums of products, forward and backward", "[definitions]") {
  GeometryDice dice(11);
  for (int round = 0; round < 240; ++round) {
    const Window w = random_window(dice, true);
    const bool depthwise = round % 3 == 2;
    const DType dtype = round % 2 ? DType::f64 : DType::f32;
    INFO(w.text() << (depthwise ? ", depthwise" : "") << " " << name_of(dtype));
    const std::int64_t in = depthwise ? 1 : w.channels / w.groups, multiplier = w.out / w.groups;
    const std::int64_t out = depthwise ? w.channels * multiplier : w.out;
    const Tensor x = dice.numbers(w.image(), dtype);
    const Tensor filter = dice.numbers(
        depthwise ? Shape{w.rows, w.columns, w.channels, multiplier} : Shape{w.rows, w.columns, in, out},
        dtype);
    const Shape result = w.result(out);
    const Tensor g = dice.numbers(result, dtype);
    Sums sums{std::vector<double>(static_cast<std::size_t>(result.numel())),
              std::vector<double>(static_cast<std::size_t>(x.numel())),
              std::vector<double>(static_cast<std::size_t>(filter.numel()))};
    w.each([&](std::int64_t n, std::int64_t oy, std::int64_t ox, std::int64_t ky, std::int64_t kx,
               std::int64_t y, std::int64_t c) {
      for (std::int64_t o = 0; o < out; ++o)
        for (std::int64_t i = 0; i < in; ++i) {
          const std::int64_t channel = depthwise ? o / multiplier : o / (out / w.groups) * in + i;
          const std::int64_t to = offset_of({n, oy, ox, o}, result),
                             from = offset_of({n, y, c, channel}, w.image());
          const std::int64_t tap = depthwise ? offset_of({ky, kx, channel, o % multiplier}, filter.shape())
                                             : offset_of({ky, kx, i, o}, filter.shape());
          sums.y[static_cast<std::size_t>(to)] += element_value(x, from) * element_value(filter, tap);
          sums.by_x[static_cast<std::size_t>(from)] += element_value(g, to) * element_value(filter, tap);
          sums.by_filter[static_cast<std::size_t>(tap)] += element_value(g, to) * element_value(x, from);
        }
    });
    const HeightWidth strides(w.stride_y, w.stride_x), dilations(w.dilation_y, w.dilation_x);
    GradientTape tape;
    Tensor y;
    {
      const auto recording = tape.record();
      tape.watch(x);
      tape.watch(filter);
      y = depthwise ? depthwise_conv2d(x, filter, strides, w.padding, dilations)
                    : conv2d(x, filter, strides, w.padding, dilations);
    }
    REQUIRE(y.shape() == result);
    check_each(y, sums.y, "result");
    const Traced sources[] = {x, filter};
    const auto gradients = tape.gradient(y, std::span<const Traced>(sources), {.output_gradients = {g}});
    check_each(gradients[0], sums.by_x, "gradient of the images");
    check_each(gradients[1], sums.by_filter, "gradient of the filter");
    if (depthwise || w.groups > 1 || w.dilation_y > 1 || w.dilation_x > 1) continue;
    check_each(conv2d_transpose(g, filter, w.image(), strides, w.padding), sums.by_x, "transposed");
  }
}

TEST_CASE("pools of any window take the largest and the mean, forward and backward", "[definitions]") {
  GeometryDice dice(13);
  for (int round = 0; round < 240; ++round) {
    const Window w = random_window(dice, false);
    const DType dtype = round % 2 ? DType::f64 : DType::f32;
    INFO(w.text() << " " << name_of(dtype));
    // Whole numbers of a small range: ties, which go to the first.
    Tensor x = dice.numbers(w.image(), dtype);
    if (round % 3 == 0) x = floor(x);
    const Shape result = w.result(w.channels);
    const Tensor g = dice.numbers(result, dtype);
    const auto size = static_cast<std::size_t>(result.numel()), images = static_cast<std::size_t>(x.numel());
    std::vector<double> largest(size, -std::numeric_limits<double>::infinity()), sum(size), count(size),
        by_largest(images), by_mean(images);
    std::vector<std::size_t> first(size);
    const auto each = [&](auto body) {
      w.each([&](std::int64_t n, std::int64_t oy, std::int64_t ox, std::int64_t, std::int64_t, std::int64_t y,
                 std::int64_t c) {
        for (std::int64_t channel = 0; channel < w.channels; ++channel)
          body(static_cast<std::size_t>(offset_of({n, oy, ox, channel}, result)),
               static_cast<std::size_t>(offset_of({n, y, c, channel}, w.image())));
      });
    };
    each([&](std::size_t to, std::size_t from) {
      const double value = element_value(x, static_cast<std::int64_t>(from));
      sum[to] += value;
      ++count[to];
      if (value > largest[to]) {
        largest[to] = value;
        first[to] = from;
      }
    });
    each([&](std::size_t to, std::size_t from) {
      by_mean[from] += element_value(g, static_cast<std::int64_t>(to)) / count[to];
    });
    std::vector<double> mean(size);
    for (std::size_t i = 0; i < size; ++i) {
      mean[i] = sum[i] / count[i];
      by_largest[first[i]] += element_value(g, static_cast<std::int64_t>(i));
    }
    const HeightWidth window(static_cast<int>(w.rows), static_cast<int>(w.columns)),
        strides(w.stride_y, w.stride_x);
    GradientTape tape({.persistent = true});
    Tensor of_largest, of_mean;
    {
      const auto recording = tape.record();
      tape.watch(x);
      of_largest = max_pool2d(x, window, strides, w.padding);
      of_mean = avg_pool2d(x, window, strides, w.padding);
    }
    REQUIRE(of_largest.shape() == result);
    REQUIRE(of_mean.shape() == result);
    check_each(of_largest, largest, "largest");
    check_each(of_mean, mean, "mean");
    check_each(tape.gradient(of_largest, x, {.output_gradients = {g}}), by_largest, "gradient of largest");
    check_each(tape.gradient(of_mean, x, {.output_gradients = {g}}), by_mean, "gradient of the mean");
  }
}

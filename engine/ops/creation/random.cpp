// Random tensors: each draw is a function of a key that its attributes hold.
#include "engine/kernels/random.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "engine/gate/arguments.h"
#include "engine/ops/creation.h"
#include "engine/ops/creation/rows.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/random_draws.h"
#include "engine/ops/random_key.h"

namespace tapescope {
namespace {

// i: seed and counter, low word first, then the dtype and the shape. f: low and high, or mean and deviation.
enum KeyInt { kSeedLow, kSeedHigh, kCounterLow, kCounterHigh, kDType, kShape };

std::uint64_t words(const Attrs& attrs, int low) {
  const auto word = [&](int at) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(attrs.i[static_cast<std::size_t>(at)]));
  };
  return word(low) | word(low + 1) << 32;
}

kernels::RandomStream stream_of(const Attrs& attrs) {
  return {words(attrs, kSeedLow), words(attrs, kCounterLow)};
}

void infer_random(InferContext& c) {
  Shape shape;
  for (int i = kShape; i < c.attrs.count; ++i) shape.push_back(c.attrs.i[static_cast<std::size_t>(i)]);
  c.out(static_cast<DType>(c.attrs.i[kDType]), shape);
}

using Fill = void (*)(kernels::RandomStream, DType, void*, std::int64_t, double, double);
template <Fill fill>
void random_kernel(KernelContext& c) {
  fill(stream_of(c.attrs), c.out_type().dtype, c.out<void>(), c.out_type().numel, c.attrs.f[0], c.attrs.f[1]);
}

void integers_kernel(KernelContext& c) {
  kernels::fill_integers(stream_of(c.attrs), c.out_type().dtype, c.out<void>(), c.out_type().numel,
                         static_cast<std::int64_t>(c.attrs.f[0]), static_cast<std::int64_t>(c.attrs.f[1]));
}

// Philox takes about 30 integer operations a number.
OpCost random_cost(std::span<const Type* const>, std::span<const Type* const> out, const Attrs&) {
  return {30 * static_cast<double>(out[0]->numel), static_cast<double>(out[0]->bytes)};
}

constexpr OpDef row(std::string_view name, void (*kernel)(KernelContext&), bool stateful,
                    std::string_view doc) {
  return {.name = name,
          .infer = infer_random,
          .kernel = kernel,
          .flags = stateful ? OpDef::kRandom | OpDef::kStateful : 0,
          .cost = random_cost,
          .no_gradient = NoGradient::not_differentiable,
          .doc = doc};
}

// TensorFlow's default seed, when none is set, is unpredictable; a debugger's runs had better repeat.
constinit std::atomic<std::uint64_t> g_seed{0};
constinit std::atomic<std::uint64_t> g_counter{0};
constinit thread_local RandomDraws* t_draws = nullptr;

Tensor draw(const OpDef& op, RandomKey key, const Shape& shape, double a, double b, DType dtype,
            const Location& at) {
  if (!is_floating(dtype) && &op != &kRandomUniformInt && &op != &kStatelessUniformInt) {
    refuse(op.name, fmt::format("draws floating numbers, not {}", name_of(dtype)), at);
  }
  Attrs attrs;
  attrs.count = kShape;
  set_random_key(attrs, key);
  attrs.i[kDType] = static_cast<int>(dtype);
  for (std::int64_t size : shape.dims()) attrs.push(in_32_bits(op.name, size, at));
  attrs.f[0] = a;
  attrs.f[1] = b;
  return apply(op, OpInputs(), attrs, at);
}

Tensor draw_uniform(const OpDef& real, const OpDef& whole, RandomKey key, const Shape& shape, double low,
                    double high, DType dtype, const Location& at) {
  if (!is_integer(dtype)) return draw(real, key, shape, low, high, dtype, at);
  if (!(low < high)) refuse(whole.name, fmt::format("there are no whole numbers in [{}, {})", low, high), at);
  return draw(whole, key, shape, low, high, dtype, at);
}

}  // namespace

constinit const OpDef kRandomUniform =
    row("RandomUniform", random_kernel<kernels::fill_uniform>, true, "Uniform in [f[0], f[1])");
constinit const OpDef kRandomUniformInt =
    row("RandomUniformInt", integers_kernel, true, "Whole numbers in [f[0], f[1])");
constinit const OpDef kRandomNormal = row("RandomStandardNormal", random_kernel<kernels::fill_normal>, true,
                                          "Normal with mean f[0] and deviation f[1]");
constinit const OpDef kTruncatedNormal = row("TruncatedNormal", random_kernel<kernels::fill_truncated_normal>,
                                             true, "Normal, redrawn until within two deviations");
constinit const OpDef kStatelessUniform =
    row("StatelessRandomUniformV2", random_kernel<kernels::fill_uniform>, false,
        "Uniform in [f[0], f[1]), a function of its key");
constinit const OpDef kStatelessUniformInt = row("StatelessRandomUniformIntV2", integers_kernel, false,
                                                 "Whole numbers in [f[0], f[1]), a function of its key");
constinit const OpDef kStatelessNormal =
    row("StatelessRandomNormalV2", random_kernel<kernels::fill_normal>, false,
        "Normal with mean f[0] and deviation f[1], a function of its key");
constinit const OpDef kStatelessTruncatedNormal =
    row("StatelessTruncatedNormalV2", random_kernel<kernels::fill_truncated_normal>, false,
        "Normal within two deviations, a function of its key");

void set_seed(std::uint64_t seed) {
  g_seed.store(seed, std::memory_order_relaxed);
  g_counter.store(0, std::memory_order_relaxed);
}

RandomKey next_random_key() {
  if (t_draws) return t_draws->next();
  return {g_seed.load(std::memory_order_relaxed), g_counter.fetch_add(1, std::memory_order_relaxed)};
}

RandomDraws::RandomDraws(std::vector<RandomKey>& keys, Use use)
    : keys_(keys), use_(use), outer_(std::exchange(t_draws, this)) {}
RandomDraws::~RandomDraws() { t_draws = outer_; }

RandomKey RandomDraws::next() {
  if (use_ == Use::replay && position_ < keys_.size()) return keys_[position_++];
  // What is drawn here comes from the block around, if there is one.
  t_draws = outer_;
  const RandomKey key = next_random_key();
  t_draws = this;
  if (use_ == Use::note) keys_.push_back(key);
  return key;
}

void set_random_key(Attrs& attrs, RandomKey key) {
  attrs.i[kSeedLow] = static_cast<std::int32_t>(key.seed);
  attrs.i[kSeedHigh] = static_cast<std::int32_t>(key.seed >> 32);
  attrs.i[kCounterLow] = static_cast<std::int32_t>(key.counter);
  attrs.i[kCounterHigh] = static_cast<std::int32_t>(key.counter >> 32);
}

void fresh_random_key(Attrs& attrs) { set_random_key(attrs, next_random_key()); }
std::uint64_t random_position() { return g_counter.load(std::memory_order_relaxed); }
void set_random_position(std::uint64_t position) { g_counter.store(position, std::memory_order_relaxed); }

namespace {

// Draws by numbers take them as attributes. Where one is a tensor the standard draw is scaled and shifted, so
// that gradients reach both: factor(a, b) and offset(a, b).
template <class Draw>
Tensor placed(const Arg& low, const Arg& high, bool by_width, DType dtype, const Location& at, Draw draw) {
  if (low.is_number() && high.is_number()) {
    if (is_integer(dtype)) {
      tapescope_inside::check_fits(low.number(), dtype, "random_uniform", at);
      tapescope_inside::check_fits(high.number(), dtype, "random_uniform", at);
    }
    return draw(low.number().real(), high.number().real());
  }
  if (is_integer(dtype))
    refuse("RandomUniformInt",
           "draws whole numbers between numbers; read the bounds, item(x), or draw floats", at);
  const Tensor& first = low.tensor(dtype);
  const Tensor& second = high.tensor(dtype);
  const Tensor factor = by_width ? subtract({second, at}, {first, at}) : second;
  return add({multiply({draw(0, 1), at}, {factor, at}), at}, {first, at});
}

}  // namespace

Tensor random_uniform(const Shape& shape, const Arg& low, const Arg& high, DType dtype, Location location) {
  return placed(low, high, true, dtype, location, [&](double a, double b) {
    return draw_uniform(kRandomUniform, kRandomUniformInt, next_random_key(), shape, a, b, dtype, location);
  });
}
Tensor random_normal(const Shape& shape, const Arg& mean, const Arg& stddev, DType dtype, Location location) {
  return placed(mean, stddev, false, dtype, location, [&](double a, double b) {
    return draw(kRandomNormal, next_random_key(), shape, a, b, dtype, location);
  });
}
Tensor truncated_normal(const Shape& shape, const Arg& mean, const Arg& stddev, DType dtype,
                        Location location) {
  return placed(mean, stddev, false, dtype, location, [&](double a, double b) {
    return draw(kTruncatedNormal, next_random_key(), shape, a, b, dtype, location);
  });
}
Tensor stateless_random_uniform(const Shape& shape, RandomKey key, double low, double high, DType dtype,
                                Location location) {
  return draw_uniform(kStatelessUniform, kStatelessUniformInt, key, shape, low, high, dtype, location);
}
Tensor stateless_random_normal(const Shape& shape, RandomKey key, double mean, double stddev, DType dtype,
                               Location location) {
  return draw(kStatelessNormal, key, shape, mean, stddev, dtype, location);
}
Tensor stateless_truncated_normal(const Shape& shape, RandomKey key, double mean, double stddev, DType dtype,
                                  Location location) {
  return draw(kStatelessTruncatedNormal, key, shape, mean, stddev, dtype, location);
}

}  // namespace tapescope

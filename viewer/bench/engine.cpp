// engine.*: what an op costs at the gate, on the tape, backwards, with events; the trained step; the GEMM.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "engine/core/pool.h"
#include "engine/events/session.h"
#include "engine/gate/state.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "samples/sample.h"
#include "viewer/bench/bench.h"
#include "viewer/debugger/running_sample.h"
#include "viewer/model/machine_roof.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kOps = 1000;  // 500 times x = x * a + b
constexpr int kRepeats = 200;

double nanoseconds(Clock::duration time) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

struct Chain {
  Variable x;
  Tensor a, b;
  explicit Chain(std::int64_t n)
      : x(make_full(Shape{n}, 0.5, DType::f32), {.name = "x"}),
        a(make_full(Shape{n}, 0.999, DType::f32)),
        b(make_full(Shape{n}, 0.001, DType::f32)) {}
  Tensor run() const {
    Tensor y = x.value();
    for (int i = 0; i < kOps / 2; ++i) y = y * a + b;
    return y;
  }
};

struct Samples {
  std::vector<double> forward, backward, plain;
};

// Forward with a tape, the gradient, and the same forward without any tape; per op.
Samples measure(const Chain& chain, int repeats) {
  Samples samples;
  for (int r = 0; r < repeats; ++r) {
    GradientTape tape;
    Tensor y;
    const auto begin = Clock::now();
    {
      auto recording = tape.record();
      y = chain.run();
    }
    const auto middle = Clock::now();
    const Tensor gradient = tape.gradient(y, chain.x);
    const auto end = Clock::now();
    samples.forward.push_back(nanoseconds(middle - begin) / kOps);
    samples.backward.push_back(nanoseconds(end - middle) / kOps);
    const auto plain = Clock::now();
    y = chain.run();
    samples.plain.push_back(nanoseconds(Clock::now() - plain) / kOps);
  }
  return samples;
}

// A session with a reader, such as the window.
class Reading {
 public:
  Reading() {
    session_.start();
    thread_ = std::thread([this] {
      while (!stop_.load(std::memory_order_relaxed)) {
        session_.drain([](std::uint32_t, std::span<const Record>) {});
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  ~Reading() {
    stop_ = true;
    thread_.join();
    session_.stop();
  }

 private:
  Session session_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// What `on` costs more than `off` an op: the two in turn, the median of the differences of neighbours.
std::vector<double> difference(int repeats, const std::function<double()>& off,
                               const std::function<double()>& on) {
  std::vector<double> costs;
  for (int r = 0; r < repeats; ++r) {
    const double without = off();
    costs.push_back(on() - without);
  }
  return costs;
}

double plain_op(const Chain& chain) {
  const auto begin = Clock::now();
  const Tensor y = chain.run();
  return nanoseconds(Clock::now() - begin) / kOps;
}

double recorded_op(const Chain& chain) {
  GradientTape tape;
  const auto begin = Clock::now();
  {
    auto recording = tape.record();
    const Tensor y = chain.run();
  }
  return nanoseconds(Clock::now() - begin) / kOps;
}

// The branch that is all that is left when nothing listens, against the same loop without it.
std::vector<double> off_branch() {
  std::vector<double> costs;
  constexpr int kLoop = 1'000'000;
  std::uint64_t sink = 0;
  for (int r = 0; r < 50; ++r) {
    const auto begin = Clock::now();
    for (int i = 0; i < kLoop; ++i) asm volatile("" : "+r"(sink));
    const auto middle = Clock::now();
    for (int i = 0; i < kLoop; ++i) {
      if (state().listen.load(std::memory_order_relaxed) & kListenEvents) [[unlikely]]
        ++sink;
      asm volatile("" : "+r"(sink));
    }
    const auto end = Clock::now();
    costs.push_back((nanoseconds(end - middle) - nanoseconds(middle - begin)) / kLoop);
  }
  return costs;
}

std::vector<double> gemm_gflops(std::int64_t m, std::int64_t k, std::int64_t n) {
  const Tensor a = make_full(Shape{m, k}, 0.5, DType::f32), b = make_full(Shape{k, n}, 0.25, DType::f32);
  std::vector<double> rates;
  const double flops = 2.0 * static_cast<double>(m * k * n);
  const int inner = std::max(1, static_cast<int>(2e7 / flops));
  for (int r = 0; r < 30; ++r) {
    const auto begin = Clock::now();
    for (int i = 0; i < inner; ++i) const Tensor c = matmul(a, b);
    rates.push_back(flops * inner / nanoseconds(Clock::now() - begin));
  }
  return rates;
}

// System memory taken so far, by the pool in blocks and by the heap in bytes.
struct SystemMemory {
  std::uint64_t blocks = pool_stats().system_allocations;
  std::size_t heap = mallinfo2().arena + mallinfo2().hblkhd;
};

void bench_step(std::vector<BenchResult>& rows, std::string_view name, const std::string& variant) {
  const SampleInfo& info = find_sample("mnist-mlp");
  SampleOptions options;
  options.variant = variant;
  options.steps = 400;
  RunningSample program(info, checked_options(info, options), 0);
  const auto step = [&] {
    const auto begin = Clock::now();
    program.run_step();
    const double time = nanoseconds(Clock::now() - begin) * 1e-3;
    program.accept_step(time);
    return time;
  };
  for (int i = 0; i < 60; ++i) step();
  std::vector<double> times;
  const SystemMemory before;
  for (int i = 0; i < 300; ++i) times.push_back(step());
  const SystemMemory after;
  rows.push_back(bench_row(std::string(name), times, "µs", NAN, "784-128-10, batch 64, Adam, one thread"));
  if (variant != "unoptimized") return;
  const double blocks = static_cast<double>(after.blocks - before.blocks) / 300;
  rows.push_back(
      bench_row("engine.allocations", {blocks}, "per step", 0,
                fmt::format("blocks the pool asked of the system; the heap grew by {} bytes in 300 steps",
                            after.heap - before.heap)));
}

}  // namespace

std::vector<BenchResult> run_engine_bench() {
  std::vector<BenchResult> rows;
  const Chain tiny(1), sixteen(16);
  measure(tiny, 20);  // warm
  const Samples one = measure(tiny, kRepeats);
  const Samples many = measure(sixteen, kRepeats);
  rows.push_back(bench_row("engine.op_forward", one.forward, "ns", 80, "n = 1, recorded, x = x * a + b"));
  rows.push_back(bench_row("engine.op_backward", one.backward, "ns", 120, "n = 1, a node of the same chain"));
  rows.push_back(bench_row("engine.op_forward_16", many.forward, "ns", 80, "n = 16"));
  rows.push_back(bench_row("engine.op_backward_16", many.backward, "ns", 120, "n = 16"));
  rows.push_back(bench_row("engine.op_plain", one.plain, "ns", 40, "n = 1, no tape, shadow records on"));
  rows.push_back(bench_row("engine.events_on",
                           difference(
                               kRepeats,
                               [&] {
                                 recorded_op(tiny);
                                 return recorded_op(tiny);
                               },
                               [&] {
                                 Reading reading;
                                 recorded_op(tiny);
                                 return recorded_op(tiny);
                               }),
                           "ns", 15, "added to a recorded op by a session that is read"));
  rows.push_back(bench_row("engine.events_off", off_branch(), "ns", 1, "the branch that remains"));
  rows.push_back(bench_row("engine.shadow",
                           difference(
                               kRepeats,
                               [&] {
                                 Mute mute;
                                 return plain_op(tiny);
                               },
                               [&] { return plain_op(tiny); }),
                           "ns", 5, "added to an op that no tape records"));
  bench_functions(rows);
  bench_step(rows, "engine.mlp_step.eager", "unoptimized");
  bench_step(rows, "engine.mlp_step.function", "optimized");
  for (BenchResult& row : run_graph_bench()) rows.push_back(std::move(row));
  const double peak = fma_peak_gflops();
  for (const auto& [name, m, k, n] : {std::tuple("engine.gemm_share", 256, 256, 256),
                                      std::tuple("engine.gemm_share.64x784x128", 64, 784, 128),
                                      std::tuple("engine.gemm_share.1024", 1024, 1024, 1024)}) {
    std::vector<double> shares = gemm_gflops(m, k, n);
    for (double& share : shares) share /= peak;
    rows.push_back(
        bench_row(name, shares, "of peak", 0.8,
                  fmt::format("{}x{}x{} float32, peak {:.1f} GFLOP/s of AVX2 on one core", m, k, n, peak)));
  }
  return rows;
}

}  // namespace tapescope

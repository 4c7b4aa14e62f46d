// engine.cached_call: what calling a traced function costs.
#include <chrono>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "viewer/bench/bench.h"

namespace tapescope {
namespace {

constexpr int kCalls = 2000, kRounds = 40;

// Nanoseconds a call of a function of one small op.
std::vector<double> call_times() {
  Function f("f", [](const Tensor& x) { return negative(x); }, {.arguments = {"x"}});
  const Tensor x = make_full(Shape{4}, 0.5, DType::f32);
  std::vector<double> times;
  for (int r = 0; r < kRounds; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) const Tensor y = f(x);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    times.push_back(time.count() / kCalls);
  }
  return times;
}

}  // namespace

void bench_functions(std::vector<BenchResult>& rows) {
  call_times();  // warm
  rows.push_back(
      bench_row("engine.cached_call", call_times(), "ns", 500, "a traced function of one op on four floats"));
}

}  // namespace tapescope

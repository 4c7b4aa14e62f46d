// Timing of the peers' benchmark: medians and minima as lines `workload,peer,threads,metric,value`.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace tapescope::bench {

inline double now_ns() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

// BENCH_SCALE stretches or shrinks every time budget, as in the peers' programs.
inline double time_scale() {
  const char* given = std::getenv("BENCH_SCALE");
  return given ? std::atof(given) : 1;
}

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : 0.5 * (v[v.size() / 2 - 1] + v[v.size() / 2]);
}

struct Place {
  std::string workload, peer;
  int threads;
};

inline void put(const Place& place, const std::string& metric, const std::vector<double>& ns, double scale) {
  const auto line = [&](const char* suffix, double value) {
    std::printf("%s,%s,%d,%s%s,%.6g\n", place.workload.c_str(), place.peer.c_str(), place.threads,
                metric.c_str(), suffix, value * scale);
  };
  line("", median(ns));
  line(".min", *std::min_element(ns.begin(), ns.end()));
  std::fflush(stdout);
}

// Times step(lap), which calls lap() after each named phase, until the budget is spent. Values are in ns
// times scale.
template <class Step>
void phases(const Place& place, const std::vector<std::string>& names, double scale, const std::string& unit,
            double budget_s, Step step) {
  std::vector<std::vector<double>> times(names.size() + 1);
  double last = 0;
  std::size_t at = 0;
  bool recording = false;
  const auto lap = [&] {
    const double now = now_ns();
    if (recording) times[at++].push_back(now - last);
    last = now;
  };
  constexpr int kWarmUp = 3, kLeast = 15, kMost = 4000;
  const double start = now_ns();
  for (int i = 0; i < kWarmUp; ++i) step(lap);
  const double one = (now_ns() - start) / kWarmUp;
  const int rounds = std::clamp(static_cast<int>(budget_s * time_scale() * 1e9 / one), kLeast, kMost);
  recording = true;
  for (int round = 0; round < rounds; ++round) {
    at = 0;
    const double begin = last = now_ns();
    step(lap);
    times.back().push_back(now_ns() - begin);
  }
  for (std::size_t i = 0; i < names.size(); ++i) put(place, names[i] + unit, times[i], scale);
  put(place, "step" + unit, times.back(), scale);
}

// Times one unit of work, in samples of at least 30 microseconds.
template <class Work>
void once(const Place& place, const std::string& metric, double scale, double budget_s, Work work) {
  work();
  const double start = now_ns();
  work();
  const double one = std::max(1.0, now_ns() - start);
  const int inner = std::max(1, static_cast<int>(30e3 / one));
  const int rounds = std::clamp(static_cast<int>(budget_s * time_scale() * 1e9 / (one * inner)), 5, 2000);
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const double begin = now_ns();
    for (int i = 0; i < inner; ++i) work();
    times.push_back((now_ns() - begin) / inner);
  }
  put(place, metric, times, scale);
}

}  // namespace tapescope::bench

// Benchmarks behind `tapescope bench`: each group measures its own room and returns rows.
#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace tapescope {

struct BenchResult {
  std::string name;          // "engine.op_forward"
  double value = 0;          // median
  double low = 0, high = 0;  // 10th and 90th percentile of the repetitions
  std::string unit;          // "ns"
  double target = 0;         // of design/engine.md or viewer.md; NaN when there is none
  std::string note;          // how it was measured, or why it is missing
};

std::vector<BenchResult> run_engine_bench();           // viewer/bench/engine.cpp: engine.*
void bench_functions(std::vector<BenchResult>& rows);  // viewer/bench/function.cpp: engine.cached_call
std::vector<BenchResult> run_graph_bench();  // viewer/bench/graph.cpp: engine.graph_*, a part of the engine's
std::vector<BenchResult> run_layout_bench();  // viewer/bench/layout.cpp: layout.*
std::vector<BenchResult> run_ingest_bench();  // viewer/bench/ingest.cpp: ingest.rate
std::vector<BenchResult> run_record_bench();  // viewer/bench/record.cpp: record.overhead
std::vector<BenchResult> run_frame_bench();   // viewer/bench/frame.cpp: frame.*
// viewer/bench/app.cpp: app.*. Starts Xvfb where there is no display.
std::vector<BenchResult> run_app_bench();
// viewer/bench/bridge.cpp: bridge.*, measured by the Python package. Throws Error (surroundings) where it
// cannot be.
std::vector<BenchResult> run_bridge_bench();
// Median, 10th and 90th percentile of repetitions; sorts its copy. An empty list gives NaN.
BenchResult bench_row(std::string name, std::vector<double> samples, std::string unit, double target,
                      std::string note = {});

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tapescope

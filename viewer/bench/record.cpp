// record.overhead: what TAPESCOPE_RECORD costs a training step, statistics of every gradient included.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/recording/process_recording.h"
#include "viewer/bench/bench.h"
#include "viewer/debugger/running_sample.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPairs = 30;       // of blocks, one recorded and one not, in turn
constexpr int kSteps = 40;       // of a block
constexpr int kUnmeasured = 10;  // before them: a recording begins with the names of everything

// A name for a file that goes away with this.
class ScratchFile {
 public:
  ScratchFile() : path_((std::filesystem::temp_directory_path() / "tapescope-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0)
      throw Error(ErrorKind::surroundings,
                  fmt::format("[bench] cannot make a file at {}; free some space or set TMPDIR", path_));
    close(file);
  }
  ~ScratchFile() { unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Median microseconds of the steps of a block.
double block(RunningSample& program, const std::string& recorded_to) {
  std::optional<record::ProcessRecording> recording;
  if (!recorded_to.empty()) recording.emplace(recorded_to);
  std::vector<double> times;
  for (int i = 0; i < kUnmeasured + kSteps; ++i) {
    const auto begin = Clock::now();
    program.run_step();
    const double spent = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    program.accept_step(spent);
    if (i >= kUnmeasured) times.push_back(spent);
  }
  std::nth_element(times.begin(), times.begin() + kSteps / 2, times.end());
  return times[kSteps / 2];
}

BenchResult overhead_row(const std::string& name, const std::string& variant) {
  const SampleInfo& info = find_sample("mnist-mlp");
  SampleOptions options;
  options.variant = variant;
  RunningSample program(info, checked_options(info, options), 0);
  const ScratchFile file;
  block(program, {});
  std::vector<double> shares, without;
  for (int pair = 0; pair < kPairs; ++pair) {
    // Whichever comes second finds the machine warmer.
    const bool first = pair % 2 == 0;
    const double one = block(program, first ? file.path() : std::string());
    const double other = block(program, first ? std::string() : file.path());
    shares.push_back(100 * (first ? one / other - 1 : other / one - 1));
    without.push_back(first ? other : one);
  }
  std::nth_element(without.begin(), without.begin() + kPairs / 2, without.end());
  constexpr double kTarget = 5;
  return bench_row(name, shares, "%", kTarget,
                   fmt::format("of a step of mnist-mlp, {}, {:.0f} us: recorded to a file with statistics of "
                               "every step, over the same program not "
                               "recorded; {} pairs of blocks of {} steps in turn, medians",
                               variant, without[kPairs / 2], kPairs, kSteps));
}

}  // namespace

std::vector<BenchResult> run_record_bench() {
  return {overhead_row("record.overhead", "unoptimized"),
          overhead_row("record.overhead.function", "optimized")};
}

}  // namespace tapescope

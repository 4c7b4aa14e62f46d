// What a recording holds besides records: the program, statistics, what the program answered.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/type.h"
#include "engine/events/session.h"
#include "engine/recording/bytes.h"
#include "engine/recording/definitions.h"

namespace tapescope::record {

// Facts about the program as texts. Known keys: name, variant, compare_with, seed, steps, threads, pid,
// started, tick_ns (nanoseconds of one tick), boot (which start of which machine ticks count from), values,
// host, rank, size, job (see job.h); "set NAME" for parameters. Others are kept and passed on.
using ProgramFacts = std::map<std::string, std::string>;

// A tensor by value; no type: None.
struct RecordedValue {
  const Type* type = nullptr;
  Bytes bytes;
};

// What a program answered, complete at its end: what records do not hold.
struct ProgramResults {
  std::uint32_t program = 0;  // as in step_begin
  std::vector<double> loss;   // per step
  std::vector<double> step_us;
  std::vector<std::pair<std::string, double>> metrics;
  std::vector<std::pair<std::string, RecordedValue>> outputs;
  std::vector<std::pair<std::string, RecordedValue>> gradients;  // of the last step
  std::vector<std::pair<std::string, std::string>> errors;       // where, message
  std::vector<std::pair<std::string, std::string>>
      notes;  // key, text: what only the writer's own reader knows
};

// What stands for the finite statistics of steps that all have those of the same sources.
struct StatisticsDigest {
  std::uint64_t steps = 0;    // that have any
  std::uint64_t sources = 0;  // hashed
};

// How a recording came to its end.
struct EndSummary {
  std::uint64_t events = 0;
  std::uint64_t lost_events = 0;
  std::uint64_t lost_statistics = 0;
  std::string reason;  // "finished", "interrupted", or an error's sentence
  // Where a reader may begin: byte offset of a key frame, and events before it.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> key_frames;
};

void write_facts(ByteWriter& out, const ProgramFacts& facts);
bool read_facts(std::span<const std::uint8_t> payload, ProgramFacts& facts);  // adds to `facts`

void write_statistics(ByteWriter& out, std::span<const StatsEntry> entries);
bool read_statistics(std::span<const std::uint8_t> payload, const Translator& translator,
                     std::vector<StatsEntry>& entries);
void write_statistics_digest(ByteWriter& out, const StatisticsDigest& digest);
bool read_statistics_digest(std::span<const std::uint8_t> payload, StatisticsDigest& digest);

void write_results(ByteWriter& out, const ProgramResults& results);
bool read_results(std::span<const std::uint8_t> payload, ProgramResults& results);

void write_end(ByteWriter& out, const EndSummary& end);
bool read_end(std::span<const std::uint8_t> payload, EndSummary& end);

}  // namespace tapescope::record

// Payloads of the chunks that hold no records; format.md describes them byte by byte.
#include "engine/recording/contents.h"

#include "engine/recording/printable.h"
#include "engine/recording/type_codec.h"

namespace tapescope::record {
namespace {

constexpr std::size_t kLeastStatistics = 5 + 4 * 8 + 4;  // bytes of an entry

void write_value(ByteWriter& out, const RecordedValue& value) {
  out.u8(value.type != nullptr);
  if (!value.type) return;
  write_type(out, *value.type);
  out.number(value.bytes.size());
  out.raw(value.bytes.data(), value.bytes.size());
}

bool read_value(ByteReader& in, RecordedValue& value) {
  if (in.u8() == 0) return !in.failed();
  value.type = read_type(in);
  const std::span<const std::uint8_t> bytes = in.raw(in.count(1));
  if (in.failed() || !value.type) return in.fail();
  if (value.type->bytes != static_cast<std::int64_t>(bytes.size())) return in.fail();
  value.bytes.assign(bytes.begin(), bytes.end());
  return true;
}

template <class T, class Write>
void write_pairs(ByteWriter& out, const std::vector<std::pair<std::string, T>>& pairs, Write&& write) {
  out.number(pairs.size());
  for (const auto& [name, value] : pairs) {
    out.text(name);
    write(value);
  }
}

template <class T, class Read>
bool read_pairs(ByteReader& in, std::vector<std::pair<std::string, T>>& pairs, Read&& read) {
  const std::size_t count = in.count(2);
  for (std::size_t i = 0; i < count && !in.failed(); ++i) {
    auto& [name, value] = pairs.emplace_back();
    name = printable(in.text());
    read(value);
  }
  return !in.failed();
}

void write_numbers(ByteWriter& out, const std::vector<double>& values) {
  out.number(values.size());
  for (const double value : values) out.f64(value);
}

void read_numbers(ByteReader& in, std::vector<double>& values) {
  values.resize(in.count(sizeof(double)));
  for (double& value : values) value = in.f64();
}

}  // namespace

void write_facts(ByteWriter& out, const ProgramFacts& facts) {
  out.number(facts.size());
  for (const auto& [key, value] : facts) {
    out.text(key);
    out.text(value);
  }
}

bool read_facts(std::span<const std::uint8_t> payload, ProgramFacts& facts) {
  ByteReader in(payload);
  const std::size_t count = in.count(2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view key = in.text(), value = in.text();
    if (in.failed()) return false;
    facts.insert_or_assign(printable(key), printable(value));
  }
  return !in.failed() && in.left() == 0;
}

void write_statistics(ByteWriter& out, std::span<const StatsEntry> entries) {
  out.number(entries.size());
  for (const StatsEntry& entry : entries) {
    const TensorStats& stats = entry.stats;
    out.number(entry.step);
    out.number(entry.source);
    out.number(entry.source_id);
    out.number(stats.tensor);
    // One more than the id, 0 without a type.
    out.number(stats.type ? stats.type->id + std::uint64_t{1} : 0);
    for (const double value : {stats.min, stats.max, stats.mean, stats.norm}) out.f64(value);
    for (const std::int64_t value : {stats.zeros, stats.nans, stats.infinities, stats.count}) {
      out.number(static_cast<std::uint64_t>(value));
    }
  }
}

bool read_statistics(std::span<const std::uint8_t> payload, const Translator& translator,
                     std::vector<StatsEntry>& entries) {
  ByteReader in(payload);
  const std::size_t count = in.count(kLeastStatistics);
  entries.resize(count);
  for (StatsEntry& entry : entries) {
    TensorStats& stats = entry.stats;
    entry.step = in.number();
    entry.source = translator.process_id(Table::name, static_cast<std::uint32_t>(in.number(0xffffffffu)));
    entry.source_id = in.number();
    stats.tensor = in.number();
    if (const std::uint64_t type = in.number(0xffffffffu)) {
      stats.type = type_with_id(translator.process_id(Table::type, static_cast<std::uint32_t>(type - 1)));
    }
    for (double* value : {&stats.min, &stats.max, &stats.mean, &stats.norm}) *value = in.f64();
    for (std::int64_t* value : {&stats.zeros, &stats.nans, &stats.infinities, &stats.count}) {
      *value = static_cast<std::int64_t>(in.number(std::uint64_t{1} << 62));
    }
  }
  return !in.failed() && in.left() == 0;
}

void write_statistics_digest(ByteWriter& out, const StatisticsDigest& digest) {
  out.number(digest.steps);
  out.u64(digest.sources);
}

bool read_statistics_digest(std::span<const std::uint8_t> payload, StatisticsDigest& digest) {
  ByteReader in(payload);
  digest.steps = in.number();
  digest.sources = in.u64();
  return !in.failed() && in.left() == 0;
}

void write_results(ByteWriter& out, const ProgramResults& results) {
  out.number(results.program);
  write_numbers(out, results.loss);
  write_numbers(out, results.step_us);
  write_pairs(out, results.metrics, [&](double value) { out.f64(value); });
  write_pairs(out, results.outputs, [&](const RecordedValue& value) { write_value(out, value); });
  write_pairs(out, results.gradients, [&](const RecordedValue& value) { write_value(out, value); });
  write_pairs(out, results.errors, [&](const std::string& value) { out.text(value); });
  write_pairs(out, results.notes, [&](const std::string& value) { out.text(value); });
}

bool read_results(std::span<const std::uint8_t> payload, ProgramResults& results) {
  ByteReader in(payload);
  results.program = static_cast<std::uint32_t>(in.number(0xffffffffu));
  read_numbers(in, results.loss);
  read_numbers(in, results.step_us);
  const auto value = [&](RecordedValue& to) { read_value(in, to); };
  const auto text = [&](std::string& to) { to = printable(in.text()); };
  read_pairs(in, results.metrics, [&](double& to) { to = in.f64(); });
  read_pairs(in, results.outputs, value);
  read_pairs(in, results.gradients, value);
  read_pairs(in, results.errors, text);
  read_pairs(in, results.notes, text);
  return !in.failed() && in.left() == 0;
}

void write_end(ByteWriter& out, const EndSummary& end) {
  out.number(end.events);
  out.number(end.lost_events);
  out.number(end.lost_statistics);
  out.text(end.reason);
  out.number(end.key_frames.size());
  for (const auto& [offset, events] : end.key_frames) {
    out.number(offset);
    out.number(events);
  }
}

bool read_end(std::span<const std::uint8_t> payload, EndSummary& end) {
  ByteReader in(payload);
  end.events = in.number();
  end.lost_events = in.number();
  end.lost_statistics = in.number();
  end.reason = printable(in.text());
  end.key_frames.resize(in.count(2));
  for (auto& [offset, events] : end.key_frames) {
    offset = in.number();
    events = in.number();
  }
  return !in.failed() && in.left() == 0;
}

}  // namespace tapescope::record

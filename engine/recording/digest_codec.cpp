// Steps that follow each other with the same sources are a run: the sources once, then their hashes by steps.
#include "engine/recording/digest_codec.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/events/records/digests.h"
#include "engine/events/records/replicas.h"

namespace tapescope::record {
namespace {

struct Run {
  std::uint64_t steps = 0;
  std::vector<ReplicaRecord> sources;  // without hashes
  std::vector<std::uint64_t> hashes;   // of a step after the other
};

bool has_both_hashes(const Record& record) {
  return record.is<ReplicaRecord>() && record.as<ReplicaRecord>().value == 2;
}

// The record of a step before which its replicas stand.
bool follows_replicas(const Record& record) { return record.is<StepCountsRecord>(); }

bool same_source(const ReplicaRecord& a, const ReplicaRecord& b) {
  return a.index == b.index && a.name == b.name && a.source == b.source;
}

void append(std::vector<Run>& runs, std::span<const ReplicaRecord> replicas) {
  if (runs.empty() || !std::ranges::equal(runs.back().sources, replicas, same_source))
    runs.push_back({.sources = {replicas.begin(), replicas.end()}});
  ++runs.back().steps;
  for (const ReplicaRecord& replica : replicas) runs.back().hashes.push_back(replica.hash);
}

void write(const Run& run, ByteWriter& out) {
  out.number(run.steps);
  out.number(run.sources.size());
  for (const ReplicaRecord& source : run.sources) {
    out.number(source.index);
    out.number(source.name);
    out.u64(source.source);
  }
  out.raw(run.hashes.data(), run.hashes.size() * sizeof(std::uint64_t));
}

// Of a run its sources and, as they lie in the payload, their hashes.
struct RunView {
  std::uint64_t steps = 0;
  std::vector<ReplicaRecord> sources;
  const std::uint8_t* hashes = nullptr;
};

bool read(ByteReader& in, RunView& run) {
  constexpr std::size_t kLeast = 1 + 1 + sizeof(std::uint64_t);
  run.steps = in.number(kMaxBlockRecords);
  run.sources.resize(in.count(kLeast));
  for (ReplicaRecord& source : run.sources) {
    source.value = 2;
    source.index = static_cast<std::uint16_t>(in.number(0xffff));
    source.name = static_cast<std::uint32_t>(in.number(0xffffffffu));
    source.source = in.u64();
  }
  const std::size_t of_a_step = run.sources.size() * sizeof(std::uint64_t);
  if (in.failed() || (of_a_step != 0 && run.steps > in.left() / of_a_step)) return in.fail();
  run.hashes = in.raw(static_cast<std::size_t>(run.steps) * of_a_step).data();
  return !in.failed();
}

}  // namespace

void encode_digest(const EventBlock& digest, ByteWriter& out) {
  EventBlock others;
  std::vector<Run> runs;
  std::vector<ReplicaRecord> replicas;
  for (const Record& record : digest.records) {
    if (has_both_hashes(record)) {
      replicas.push_back(record.as<ReplicaRecord>());
      continue;
    }
    others.records.push_back(record);
    if (!follows_replicas(record)) continue;
    append(runs, replicas);
    replicas.clear();
  }
  if (!digest.batches.empty())
    others.batches = {{digest.batches.front().thread, static_cast<std::uint32_t>(others.records.size())}};
  ByteWriter events;
  encode_events(others, events);
  out.number(events.size());
  out.raw(events.bytes().data(), events.size());
  out.number(runs.size());
  for (const Run& run : runs) write(run, out);
}

bool decode_digest(std::span<const std::uint8_t> bytes, EventBlock& digest, std::uint64_t& unknown) {
  ByteReader in(bytes);
  if (!decode_events(in.raw(in.count(1)), digest, unknown) || digest.batches.size() > 1) return false;
  std::vector<Record> records;
  records.reserve(digest.records.size() + in.left() / sizeof(std::uint64_t));
  auto next = digest.records.begin(), from = next;
  const std::size_t runs = in.count(2);
  RunView run;
  for (std::size_t i = 0; i < runs && read(in, run); ++i) {
    for (std::uint64_t step = 0; step < run.steps; ++step) {
      const auto counts = std::find_if(from, digest.records.end(), follows_replicas);
      if (counts == digest.records.end()) return false;
      records.insert(records.end(), next, counts);
      next = counts;
      from = counts + 1;
      for (ReplicaRecord source : run.sources) {
        std::memcpy(&source.hash, run.hashes, sizeof source.hash);
        run.hashes += sizeof source.hash;
        records.push_back(source);
      }
    }
  }
  if (in.failed() || in.left() != 0) return false;
  records.insert(records.end(), next, digest.records.end());
  digest.records = std::move(records);
  if (!digest.batches.empty())
    digest.batches.front().count = static_cast<std::uint32_t>(digest.records.size());
  return true;
}

}  // namespace tapescope::record

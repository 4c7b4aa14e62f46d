// Recordings without a name, one a part, copied chunk by chunk when the run is saved.
#include "viewer/debugger/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "engine/events/records/functions.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"
#include "engine/recording/reader.h"
#include "viewer/debugger/record_sink.h"

namespace tapescope {
namespace {

class SpoolSink final : public record::ByteSink {
 public:
  explicit SpoolSink(int file) : file_(file) {}
  std::string write(std::span<const std::uint8_t> bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count <= 0) return "the folder for temporary files is full; the run was saved up to there";
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
  }

 private:
  int file_;
};

// A file that no folder lists; -1 where none can be made.
int nameless_file() {
  std::error_code ignored;
  std::string path = (std::filesystem::temp_directory_path(ignored) / "tapescope-XXXXXX").string();
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) unlink(path.c_str());
  return file;
}

// What a record is of that later ones refer to, in whatever step; nothing where they do not.
std::optional<std::uint64_t> lasting_of(const Record& record) {
  if (record.is<VariableRecord>()) return record.as<VariableRecord>().handle;
  if (record.is<TrainableRecord>()) return record.as<TrainableRecord>().variable;
  if (record.is<FunctionMadeRecord>()) return record.as<FunctionMadeRecord>().function;
  return std::nullopt;
}

// Lasting records: 2 MiB.
constexpr std::size_t kMostLasting = 1u << 16;

template <class To>
void copy(const record::EventBlock& block, To& to) {
  std::size_t at = 0;
  for (const auto& batch : block.batches) {
    to.add(batch.thread, std::span(block.records).subspan(at, batch.count));
    at += batch.count;
  }
}

using Item = record::RecordingReader::Item;

}  // namespace

void Spool::Lasting::add(std::uint32_t thread, const Record& record) {
  const std::optional<std::uint64_t> of = lasting_of(record);
  if (!of) return;
  const auto [place, is_new] = places_.try_emplace({record.kind, *of}, size());
  if (is_new) block_.add(thread, std::span(&record, 1));
  else block_.records[place->second] = record;
  if (size() < kMostLasting) return;
  constexpr std::size_t kGone = kMostLasting / 2;
  block_ = block_.from(kGone);
  std::erase_if(places_, [](auto& entry) { return entry.second < kGone; });
  for (auto& entry : places_) entry.second -= kGone;
}

void Spool::Lasting::add(const Lasting& later) {
  std::size_t at = 0;
  for (const auto& batch : later.block_.batches) {
    for (std::uint32_t i = 0; i < batch.count; ++i) add(batch.thread, later.block_.records[at++]);
  }
}

void Spool::Lasting::clear() {
  block_.clear();
  places_.clear();
}

struct Spool::Part {
  explicit Part(int descriptor)
      : file(descriptor), recorder(std::make_unique<SpoolSink>(descriptor), record::ProgramFacts{}) {}
  ~Part() {
    finish();
    close(file);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  void add(std::uint32_t thread, std::span<const Record> more);
  void finish() {
    if (!std::exchange(finished, true)) recorder.finish({}, {}, {}, 0, 0);
  }
  // By its place in /proc: a second descriptor with its own position.
  record::RecordingReader open() const {
    return record::RecordingReader::open(fmt::format("/proc/self/fd/{}", file));
  }

  const int file;
  bool finished = false;
  std::uint64_t records = 0;
  Lasting lasting;
  record::Recorder recorder;
};

Spool::Spool(SpoolLimits limits) : limits_(limits) { begin(); }

Spool::~Spool() = default;

void Spool::begin() {
  parts_.clear();
  lasting_.clear();
  let_go_ = 0;
  failure_.clear();
  go_on();
}

void Spool::go_on() {
  const int file = nameless_file();
  if (file < 0) {
    failure_ =
        "there is no folder for temporary files to keep the run in; set TMPDIR to one that can be written to";
    return;
  }
  if (!parts_.empty()) parts_.back()->finish();
  parts_.push_back(std::make_unique<Part>(file));
  if (parts_.size() > 1 + limits_.latest) let_go_of_oldest();
}

void Spool::let_go_of_oldest() {
  const Part& oldest = *parts_[1];
  let_go_ += oldest.records + lasting_.size();
  lasting_.add(oldest.lasting);
  let_go_ -= lasting_.size();
  parts_.erase(parts_.begin() + 1);
}

void Spool::Part::add(std::uint32_t thread, std::span<const Record> more) {
  for (const Record& record : more) lasting.add(thread, record);
  records += more.size();
  recorder.add(thread, more);
}

void Spool::add(std::uint32_t thread, std::span<const Record> records) {
  std::lock_guard lock(mutex_);
  if (parts_.empty()) return;
  const std::uint64_t limit = parts_.size() == 1 ? limits_.first : limits_.part;
  const std::uint64_t bytes = parts_.back()->recorder.bytes();
  if (bytes >= limit) {
    const auto begins =
        std::find_if(records.begin(), records.end(), [](const Record& r) { return r.is<StepBeginRecord>(); });
    if (begins != records.end() || bytes >= 2 * limit) {
      const auto before = begins != records.end() ? static_cast<std::size_t>(begins - records.begin()) : 0;
      parts_.back()->add(thread, records.first(before));
      records = records.subspan(before);
      go_on();
    }
  }
  parts_.back()->add(thread, records);
}

void Spool::add_stats(std::span<const StatsEntry> entries) {
  std::lock_guard lock(mutex_);
  if (!parts_.empty()) parts_.back()->recorder.add_statistics(entries);
}

void Spool::clear() {
  std::lock_guard lock(mutex_);
  begin();
}

void Spool::flush() {
  std::lock_guard lock(mutex_);
  if (!parts_.empty()) parts_.back()->recorder.flush();
}

void Spool::replay(const RecordSink& sink) {
  std::lock_guard lock(mutex_);
  if (parts_.empty()) throw Error(ErrorKind::surroundings, failure_);
  hand_over(sink);
}

void Spool::hand_over(const RecordSink& sink) {
  parts_.back()->recorder.flush();
  for (const auto& part : parts_) {
    record::RecordingReader reader = part->open();
    for (Item item = reader.next(); item != Item::end; item = reader.next()) {
      if (item == Item::statistics && !sink.statistics(reader.statistics())) return;
      if (item == Item::events && !sink.events(reader.events())) return;
    }
    if (part != parts_.front() || let_go_ == 0) continue;
    record::EventBlock gap = lasting_.block();
    const Record lost = LostRecord{.records = let_go_};
    gap.add(0, std::span(&lost, 1));
    if (!sink.events(gap)) return;
  }
}

std::string Spool::save(const std::string& path, const record::ProgramFacts& facts,
                        const std::vector<record::ProgramResults>& results,
                        const std::vector<record::Bytes>& values, const std::string& ending,
                        std::uint64_t lost) {
  std::lock_guard lock(mutex_);
  if (parts_.empty()) throw Error(ErrorKind::surroundings, failure_);
  record::RecordingWriter writer(record::open_sink(path), facts);
  hand_over({.events =
                 [&](const record::EventBlock& block) {
                   copy(block, writer);
                   return true;
                 },
             .statistics =
                 [&](std::span<const StatsEntry> entries) {
                   writer.add_statistics(entries);
                   return true;
                 }});
  std::string missing = failure_;
  for (const auto& part : parts_) {
    if (missing.empty()) missing = part->recorder.failure();
  }
  for (const record::ProgramResults& program : results) writer.add_results(program);
  for (const record::Bytes& payload : values) writer.add_values(payload);
  writer.finish(ending, lost, 0);
  if (!writer.failure().empty()) throw Error(ErrorKind::surroundings, writer.failure());
  if (missing.empty() && let_go_ > 0) {
    missing = fmt::format(
        "the run is longer than what the window keeps: {} events between its beginning and its last part are "
        "missing",
        let_go_);
  }
  return missing;
}

}  // namespace tapescope

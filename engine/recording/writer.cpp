// Chunks in the order things came: definitions stand before the first record that uses them.
#include "engine/recording/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/core/error.h"
#include "engine/events/clock.h"
#include "engine/events/records/ops.h"

namespace tapescope::record {
namespace {

class FileSink final : public ByteSink {
 public:
  FileSink(int descriptor, std::string path, bool ours)
      : descriptor_(descriptor), path_(std::move(path)), ours_(ours) {}
  ~FileSink() override { leave_to_parent(); }
  void leave_to_parent() override {
    if (ours_ && descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  std::string write(std::span<const std::uint8_t> bytes) override {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count > 0) {
        done += static_cast<std::size_t>(count);
        continue;
      }
      if (count < 0 && errno == EINTR) continue;
      const std::string why = count < 0 ? std::strerror(errno) : "nothing more is taken";
      // What is there of the chunk would be read as damage. Pipes have nothing to take back.
      if (ours_ && ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) errno = 0;
      return fmt::format(
          "cannot go on recording to {} ({}); what was written until then opens, the run goes on", path_,
          why);
    }
    size_ += done;
    return {};
  }

 private:
  int descriptor_;
  std::string path_;
  bool ours_;
  std::uint64_t size_ = 0;
};

constexpr std::size_t kMaxStatistics = 4096;  // summaries of a chunk; some 60 bytes each

}  // namespace

std::unique_ptr<ByteSink> open_sink(const std::string& path) {
  if (path == "-") return std::make_unique<FileSink>(STDOUT_FILENO, "standard output", false);
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw Error(
        ErrorKind::surroundings,
        fmt::format("cannot record to {} ({}); give a path in a folder that exists and can be written to",
                    path, std::strerror(errno)));
  }
  return std::make_unique<FileSink>(descriptor, path, true);
}

RecordingWriter::RecordingWriter(std::unique_ptr<ByteSink> sink, ProgramFacts facts)
    : sink_(std::move(sink)) {
  const auto header = file_header();
  failure_ = sink_->write(header);
  if (failure_.empty()) bytes_ = header.size();
  add_facts(facts);
}

RecordingWriter::~RecordingWriter() {
  if (!finished_) flush();
}

void RecordingWriter::emit(ChunkKind kind, const Bytes& payload) {
  // Names of 16 MiB in one chunk are left out: unknown is better than unreadable.
  if (!failure_.empty() || payload.size() > kMaxChunkBytes) return;
  chunk_.clear();
  append_chunk(chunk_, kind, chunks_, payload);
  failure_ = sink_->write(chunk_);
  if (!failure_.empty()) return;
  ++chunks_;
  bytes_ += chunk_.size();
}

void RecordingWriter::define() {
  payload_.clear();
  if (definer_.take_new(payload_)) emit(ChunkKind::definitions, payload_.bytes());
}

void RecordingWriter::write_block() {
  if (block_.records.empty()) return;
  if (failure_.empty()) {
    if (bytes_ - key_frame_at_ > kKeyFrameBytes) {
      key_frame_at_ = bytes_;
      end_.key_frames.emplace_back(bytes_, events_ - block_.records.size());
      payload_.clear();
      definer_.write_all(payload_);
      emit(ChunkKind::definitions, payload_.bytes());
    }
    definer_.note(block_.records);
    define();
    payload_.clear();
    encode_events(block_, payload_);
    emit(ChunkKind::events, payload_.bytes());
  }
  if (!failure_.empty()) dropped_ += block_.records.size();
  block_.clear();
}

void RecordingWriter::add(std::uint32_t thread, std::span<const Record> records) {
  if (finished_) return;
  while (!records.empty()) {
    const std::size_t room = std::min(records.size(), kMaxBlockRecords - block_.records.size());
    std::size_t part = room;
    // An op stays with the records that belong to it: a reader may make a picture between two chunks.
    const auto continues = [](const Record& r) { return r.is<OperandsRecord>() || r.is<OutputRecord>(); };
    while (part > 0 && part < records.size() && continues(records[part])) --part;
    if (part == 0 && block_.records.empty()) part = room;
    block_.add(thread, records.first(part));
    events_ += part;
    records = records.subspan(part);
    if (!records.empty() || block_.records.size() == kMaxBlockRecords) flush();
  }
}

void RecordingWriter::add_statistics(std::span<const StatsEntry> entries) {
  if (finished_) return;
  statistics_.insert(statistics_.end(), entries.begin(), entries.end());
  if (statistics_.size() >= kMaxStatistics) flush();
}

void RecordingWriter::write_statistics_held() {
  if (statistics_.empty()) return;
  for (const StatsEntry& entry : statistics_) {
    definer_.note_name(entry.source);
    if (entry.stats.type) definer_.note_type(entry.stats.type->id);
  }
  define();
  payload_.clear();
  write_statistics(payload_, statistics_);
  emit(ChunkKind::statistics, payload_.bytes());
  statistics_.clear();
}

void RecordingWriter::add_results(const ProgramResults& results) {
  flush();
  payload_.clear();
  write_results(payload_, results);
  if (payload_.size() <= kMaxChunkBytes) {
    emit(ChunkKind::results, payload_.bytes());
    return;
  }
  // Values beyond a chunk's room are left out; a note says so.
  ProgramResults small = results;
  small.outputs.clear();
  small.gradients.clear();
  small.notes.emplace_back("left_out",
                           "the values it printed and its last gradients, which are larger than 16 MiB");
  payload_.clear();
  write_results(payload_, small);
  emit(ChunkKind::results, payload_.bytes());
}

void RecordingWriter::add_values(const Bytes& payload) {
  flush();
  emit(ChunkKind::values, payload);
}

void RecordingWriter::add_facts(const ProgramFacts& facts) {
  ProgramFacts written = facts;
  written["tick_ns"] = fmt::format("{}", nanoseconds_per_tick());
  payload_.clear();
  write_facts(payload_, written);
  emit(ChunkKind::program, payload_.bytes());
}

void RecordingWriter::flush() {
  write_block();
  write_statistics_held();
}

void RecordingWriter::leave_to_parent() {
  finished_ = true;
  sink_->leave_to_parent();
}

void RecordingWriter::finish(const std::string& reason, std::uint64_t lost_events,
                             std::uint64_t lost_statistics) {
  if (finished_) return;
  flush();
  end_.events = events_ - dropped_;
  end_.lost_events = lost_events + dropped_;
  end_.lost_statistics = lost_statistics;
  end_.reason = reason;
  payload_.clear();
  write_end(payload_, end_);
  emit(ChunkKind::end, payload_.bytes());
  finished_ = true;
}

}  // namespace tapescope::record

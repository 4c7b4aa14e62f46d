// Chunks in the order things came: definitions stand before the first record that uses them.
#include "engine/recording/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "engine/core/error.h"
#include "engine/events/clock.h"
#include "engine/events/records/ops.h"
#include "engine/recording/digest_codec.h"

namespace tapescope::record {
namespace {

// That a writer in a hurry waits for a reader that takes nothing, and between two looks.
constexpr int kPatienceMilliseconds = 1000, kLookMilliseconds = 20;

// While it lives, a pipe that closed and a file that may grow no more are errors of the calling thread's
// writes, and no signals, which end a program.
class WithoutWriteSignals {
 public:
  WithoutWriteSignals() {
    sigset_t pending;
    sigpending(&pending);
    sigemptyset(&ours_);
    // One that waits already is the program's.
    for (const int number : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&pending, number) == 0) sigaddset(&ours_, number);
    }
    pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  ~WithoutWriteSignals() {
    constexpr timespec kNow{};
    while (sigtimedwait(&ours_, nullptr, &kNow) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutWriteSignals(const WithoutWriteSignals&) = delete;
  WithoutWriteSignals& operator=(const WithoutWriteSignals&) = delete;

 private:
  sigset_t ours_, before_;
};

enum class SinkKind : std::uint8_t { file, pipe, standard_output };

class FileSink final : public ByteSink {
 public:
  FileSink(int descriptor, std::string path, SinkKind kind)
      : descriptor_(descriptor), path_(std::move(path)), kind_(kind) {}
  ~FileSink() override { leave_to_parent(); }
  void leave_to_parent() override {
    if (kind_ != SinkKind::standard_output && descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  void hurry() override { hurries_ = true; }
  std::string file() const override { return kind_ == SinkKind::file ? path_ : std::string(); }
  std::string write(std::span<const std::uint8_t> bytes) override {
    const WithoutWriteSignals without_signals;
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count > 0) {
        done += static_cast<std::size_t>(count);
        continue;
      }
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN && there_is_room()) continue;
      const std::string why = count < 0 && errno != EAGAIN ? std::strerror(errno) : "nothing more is taken";
      // What is there of the chunk would be read as damage. Pipes have nothing to take back.
      if (kind_ == SinkKind::file && ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) errno = 0;
      return fmt::format(
          "cannot go on recording to {} ({}); what was written until then opens, the run goes on", path_,
          why);
    }
    size_ += done;
    return {};
  }

 private:
  // Waits for it; false where the reader takes nothing and the program is about to end.
  bool there_is_room() const {
    for (int waited = 0; !hurries_ || waited < kPatienceMilliseconds; waited += kLookMilliseconds) {
      pollfd pipe{descriptor_, POLLOUT, 0};
      if (poll(&pipe, 1, kLookMilliseconds) > 0) return true;
      if (!hurries_) waited = 0;
    }
    errno = EAGAIN;
    return false;
  }

  int descriptor_;
  std::string path_;
  SinkKind kind_;
  std::atomic<bool> hurries_{false};
  std::uint64_t size_ = 0;
};

constexpr std::size_t kMaxStatistics = 4096;  // summaries of a chunk; some 60 bytes each
constexpr int kMostOfOneName = 100;

[[noreturn]] void cannot_record(const std::string& path, const char* why, const char* remedy) {
  throw Error(ErrorKind::surroundings, fmt::format("cannot record to {} ({}); {}", path, why, remedy));
}

// "mine-2.tape"
std::string numbered(const std::string& path, int number) {
  const std::size_t name = path.rfind('/') + 1, dot = path.rfind('.');
  const std::size_t at = dot == std::string::npos || dot <= name ? path.size() : dot;
  return fmt::format("{}-{}{}", path.substr(0, at), number, path.substr(at));
}

}  // namespace

std::unique_ptr<ByteSink> open_sink(const std::string& path) {
  if (path == "-")
    return std::make_unique<FileSink>(STDOUT_FILENO, "standard output", SinkKind::standard_output);
  for (int number = 1; number <= kMostOfOneName; ++number) {
    const std::string name = number == 1 ? path : numbered(path, number);
    // Cut short only once it is known to be ours. A pipe without a reader would block.
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor < 0 && errno == ENXIO)
      cannot_record(name, "nothing reads this pipe", "start its reader first");
    struct stat kind {};
    if (descriptor < 0 || fstat(descriptor, &kind) != 0)
      cannot_record(name, std::strerror(errno), "give a path in a folder that exists and can be written to");
    if (!S_ISREG(kind.st_mode)) return std::make_unique<FileSink>(descriptor, name, SinkKind::pipe);
    // Where there are no locks, as on some network folders, two programs of one name are not distinguished.
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(descriptor);
      continue;
    }
    if (number > 1)
      fmt::print(stderr, "tapescope: another program is recording to {}; this one is recorded to {}\n", path,
                 name);
    unlink(tail_path(name).c_str());  // of a program that was killed
    if (ftruncate(descriptor, 0) != 0) {
      const int error = errno;
      close(descriptor);
      cannot_record(name, std::strerror(error), "give another path");
    }
    return std::make_unique<FileSink>(descriptor, name, SinkKind::file);
  }
  cannot_record(path, "a hundred programs do", "give each its name, with %p for the process");
}

RecordingWriter::RecordingWriter(std::unique_ptr<ByteSink> sink, ProgramFacts facts)
    : sink_(std::move(sink)) {
  const auto header = file_header();
  failure_ = sink_->write(header);
  if (failure_.empty()) bytes_ = header.size();
  if (facts.contains("rank") && !sink_->file().empty()) digests_.emplace();
  add_facts(facts);
}

RecordingWriter::~RecordingWriter() {
  if (finished_) return;
  try {
    flush();
  } catch (const std::exception&) {
    return;  // no memory is left
  }
  if (tail_) tail_->remove();
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
    note_held();
    define();
    payload_.clear();
    encode_events(block_, payload_);
    emit(ChunkKind::events, payload_.bytes());
  }
  if (!failure_.empty()) dropped_ += block_.records.size();
  block_.clear();
  noted_records_ = tail_records_ = 0;
}

void RecordingWriter::add(std::uint32_t thread, std::span<const Record> records) {
  if (finished_) return;
  while (digests_ && !records.empty()) {
    const std::size_t part = digests_->add(thread, records);
    hold(thread, records.first(part));
    records = records.subspan(part);
    if (digests_->ended()) end_group();
  }
  hold(thread, records);
}

// A digest without contents ends a group, too: it stands for nothing.
void RecordingWriter::end_group() {
  flush();
  payload_.clear();
  const std::optional<EventBlock> digest = digests_->take();
  if (digest) encode_digest(*digest, payload_);
  emit(ChunkKind::digest, payload_.bytes());
  const std::optional<StatisticsDigest> statistics = statistics_digests_.take();
  if (!digest || !statistics) return;
  payload_.clear();
  write_statistics_digest(payload_, *statistics);
  emit(ChunkKind::statistics_digest, payload_.bytes());
}

void RecordingWriter::hold(std::uint32_t thread, std::span<const Record> records) {
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
  note_held();
  define();
  payload_.clear();
  write_statistics(payload_, statistics_);
  emit(ChunkKind::statistics, payload_.bytes());
  if (digests_) statistics_digests_.add(statistics_);
  statistics_.clear();
  noted_statistics_ = tail_statistics_ = 0;
}

void RecordingWriter::note_held() {
  definer_.note(std::span(block_.records).subspan(noted_records_));
  noted_records_ = block_.records.size();
  for (; noted_statistics_ < statistics_.size(); ++noted_statistics_) {
    const StatsEntry& entry = statistics_[noted_statistics_];
    definer_.note_name(entry.source);
    if (entry.stats.type) definer_.note_type(entry.stats.type->id);
  }
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
  tail_chunks_ = 0;
  if (tail_) tail_->restart();
}

void RecordingWriter::save_tail() {
  if (finished_ || !failure_.empty()) return;
  if (std::exchange(wants_tail_, false) && !sink_->file().empty()) tail_ = TailFile::make(sink_->file());
  if (!tail_) return;
  note_held();
  // Rare once a program has done its first step; a tail has no definitions.
  if (definer_.has_new()) return flush();
  chunk_.clear();
  if (tail_records_ < block_.records.size()) {
    payload_.clear();
    encode_events(block_.from(tail_records_), payload_);
    append_chunk(chunk_, ChunkKind::events, chunks_ + tail_chunks_++, payload_.bytes(), false);
    tail_records_ = block_.records.size();
  }
  if (tail_statistics_ < statistics_.size()) {
    payload_.clear();
    write_statistics(payload_, std::span(statistics_).subspan(tail_statistics_));
    append_chunk(chunk_, ChunkKind::statistics, chunks_ + tail_chunks_++, payload_.bytes(), false);
    tail_statistics_ = statistics_.size();
  }
  if (chunk_.empty() || tail_->append(chunk_)) return;
  tail_->remove();
  tail_.reset();
}

void RecordingWriter::leave_to_parent() {
  finished_ = true;
  sink_->leave_to_parent();
  if (tail_) tail_->leave_to_parent();
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
  if (tail_) tail_->remove();
}

}  // namespace tapescope::record

// A recording without a name, copied chunk by chunk when it is saved.
#include "viewer/debugger/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/recording/reader.h"

namespace tapescope {
namespace {

// Some hundred million events; a window left alone for a night must not fill the disk.
constexpr std::uint64_t kMostBytes = 1u << 30;

class SpoolSink final : public record::ByteSink {
 public:
  explicit SpoolSink(int file) : file_(file) {}
  std::string write(std::span<const std::uint8_t> bytes) override {
    if (size_ + bytes.size() > kMostBytes)
      return "the run is longer than what the window keeps; its first GiB was saved";
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count <= 0) return "the folder for temporary files is full; the run was saved up to there";
      size_ += static_cast<std::uint64_t>(count);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
  }

 private:
  int file_;
  std::uint64_t size_ = 0;
};

}  // namespace

Spool::Spool() { begin(); }

Spool::~Spool() {
  recorder_.reset();
  if (file_ >= 0) close(file_);
}

void Spool::begin() {
  recorder_.reset();
  if (file_ >= 0) close(file_);
  std::error_code ignored;
  std::string path = (std::filesystem::temp_directory_path(ignored) / "tapescope-XXXXXX").string();
  file_ = mkostemp(path.data(), O_CLOEXEC);
  if (file_ < 0) {
    failure_ =
        "there is no folder for temporary files to keep the run in; set TMPDIR to one that can be written to";
    return;
  }
  unlink(path.c_str());
  failure_.clear();
  recorder_ = std::make_unique<record::Recorder>(std::make_unique<SpoolSink>(file_), record::ProgramFacts{});
}

void Spool::add(std::uint32_t thread, std::span<const Record> records) {
  std::lock_guard lock(mutex_);
  if (recorder_) recorder_->add(thread, records);
}

void Spool::add_stats(std::span<const StatsEntry> entries) {
  std::lock_guard lock(mutex_);
  if (recorder_) recorder_->add_statistics(entries);
}

void Spool::clear() {
  std::lock_guard lock(mutex_);
  begin();
}

std::string Spool::save(const std::string& path, const record::ProgramFacts& facts,
                        const std::vector<record::ProgramResults>& results,
                        const std::vector<record::Bytes>& values, const std::string& ending,
                        std::uint64_t lost) {
  std::lock_guard lock(mutex_);
  if (!recorder_) throw Error(ErrorKind::surroundings, failure_);
  recorder_->flush();
  record::RecordingWriter writer(record::open_sink(path), facts);
  // By its place in /proc: a second descriptor with its own position.
  record::RecordingReader reader = record::RecordingReader::open(fmt::format("/proc/self/fd/{}", file_));
  using Item = record::RecordingReader::Item;
  for (Item item = reader.next(); item != Item::end; item = reader.next()) {
    if (item == Item::statistics) writer.add_statistics(reader.statistics());
    if (item != Item::events) continue;
    std::size_t at = 0;
    for (const auto& batch : reader.events().batches) {
      writer.add(batch.thread, std::span(reader.events().records).subspan(at, batch.count));
      at += batch.count;
    }
  }
  for (const record::ProgramResults& program : results) writer.add_results(program);
  for (const record::Bytes& payload : values) writer.add_values(payload);
  writer.finish(ending, lost, 0);
  if (!writer.failure().empty()) throw Error(ErrorKind::surroundings, writer.failure());
  return recorder_->failure();
}

}  // namespace tapescope

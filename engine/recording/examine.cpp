// A scan that looks for the next chunk where one is damaged.
#include "engine/recording/examine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/core/error.h"
#include "engine/events/records/steps.h"
#include "engine/recording/columns.h"
#include "engine/recording/definitions.h"
#include "engine/recording/digest_codec.h"
#include "engine/recording/no_recording.h"
#include "engine/recording/step_values.h"
#include "engine/recording/tail.h"
#include "engine/recording/unpack_budget.h"
#include "engine/recording/writer.h"

namespace tapescope::record {
namespace {

constexpr std::size_t kSearched = 1u << 20;  // bytes at a time
constexpr std::string_view kMagic = "TSCK";

[[noreturn]] void refuse_file(const std::string& path, std::string_view why, std::string_view remedy) {
  throw Error(ErrorKind::surroundings, fmt::format("{} {}; {}", path, why, remedy));
}

class ScannedFile {
 public:
  explicit ScannedFile(const std::string& path)
      : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat kind {};
    if (file_ >= 0 && fstat(file_, &kind) == 0 && S_ISREG(kind.st_mode)) {
      size_ = static_cast<std::uint64_t>(kind.st_size);
    } else if (file_ >= 0) {
      close(std::exchange(file_, -1));
      errno = EINVAL;
    }
  }
  ~ScannedFile() {
    if (file_ >= 0) close(file_);
  }
  ScannedFile(const ScannedFile&) = delete;
  ScannedFile& operator=(const ScannedFile&) = delete;

  explicit operator bool() const { return file_ >= 0; }
  std::uint64_t size() const { return size_; }
  // Up to `count` bytes from there, fewer at the end; good until the next call.
  std::span<const std::uint8_t> read(std::uint64_t at, std::size_t count) {
    bytes_.resize(count);
    std::size_t done = 0;
    while (done < count) {
      const ssize_t got = pread(file_, bytes_.data() + done, count - done, static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return std::span(bytes_).first(done);
  }

 private:
  int file_;
  std::uint64_t size_ = 0;
  Bytes bytes_;
};

class Scan {
 public:
  Scan(Examination& found, const ChunkVisitor& visit) : found_(found), visit_(visit) {}

  void file(ScannedFile& file) {
    std::uint64_t at = kFileHeaderSize;
    while (at < file.size()) {
      if (const std::uint64_t end = chunk(file, at, std::nullopt)) {
        at = end;
        continue;
      }
      const std::uint64_t next = next_chunk(file, at + 1);
      found_.gaps.push_back({at, next - at, next == file.size()});
      at = next;
    }
  }

  // Chunks that follow by their numbers; what does not is of an earlier tail.
  void tail(ScannedFile& file) {
    for (std::uint64_t at = 0; at < file.size();) {
      at = chunk(file, at, last_number_ + 1);
      if (at == 0) return;
      ++found_.tail_chunks;
    }
  }

 private:
  // Where the sound chunk at `at` ends; 0 where there is none. Takes it in.
  std::uint64_t chunk(ScannedFile& file, std::uint64_t at, std::optional<std::uint64_t> number) {
    const auto header = unpack(file, at);
    if (!header || (number && header->number != *number) || !take(static_cast<ChunkKind>(header->kind)))
      return 0;
    last_number_ = header->number;
    Examination::Kind& kind = found_.kinds[header->kind];
    ++kind.chunks;
    kind.bytes += kChunkHeaderSize + header->stored_size;
    if (visit_) visit_(static_cast<ChunkKind>(header->kind), raw_);
    return at + kChunkHeaderSize + header->stored_size;
  }

  std::optional<ChunkHeader> unpack(ScannedFile& file, std::uint64_t at) {
    const auto head = file.read(at, kChunkHeaderSize);
    if (head.size() < kChunkHeaderSize) return std::nullopt;
    const std::optional<ChunkHeader> header = parse_chunk_header(head);
    if (!header || at + kChunkHeaderSize + header->stored_size > file.size()) return std::nullopt;
    const auto stored = file.read(at + kChunkHeaderSize, header->stored_size);
    if (stored.size() < header->stored_size || !unpack_chunk(*header, stored, raw_)) return std::nullopt;
    return header;
  }

  std::uint64_t next_chunk(ScannedFile& file, std::uint64_t at) {
    while (at < file.size()) {
      const auto part = file.read(at, kSearched + kMagic.size());
      const auto found = std::search(part.begin(), part.end(), kMagic.begin(), kMagic.end());
      if (found == part.end()) {
        at += kSearched;
        continue;
      }
      at += static_cast<std::uint64_t>(found - part.begin());
      if (unpack(file, at)) return at;
      ++at;
    }
    return file.size();
  }

  // Whether the unpacked contents are sound.
  bool take(ChunkKind kind) {
    switch (kind) {
      case ChunkKind::program: {
        ProgramFacts facts = found_.facts;
        if (!read_facts(raw_, facts)) return false;
        found_.facts = std::move(facts);
        return true;
      }
      case ChunkKind::definitions: {
        const std::uint64_t before = translator_.kept();
        const bool sound = translator_.define(raw_, budget_.left(found_.bytes));
        budget_.kept(translator_.kept() - before);
        return sound;
      }
      case ChunkKind::events: return take_events();
      case ChunkKind::statistics: {
        std::vector<StatsEntry> entries;
        return read_statistics(raw_, translator_, entries);
      }
      case ChunkKind::results: {
        ProgramResults results;
        return read_results(raw_, results);
      }
      case ChunkKind::values: {
        ByteReader in(raw_);
        StepFrames frames;
        return read_step_values(in, frames.head);
      }
      case ChunkKind::end: {
        EndSummary end;
        if (!read_end(raw_, end)) return false;
        if (!found_.ending) found_.ending = ending_of_reason(end.reason);
        found_.end = std::move(end);
        return true;
      }
      case ChunkKind::digest: {
        EventBlock block;
        std::uint64_t unknown = 0;
        return raw_.empty() || decode_digest(raw_, block, unknown);
      }
      case ChunkKind::statistics_digest: {
        StatisticsDigest digest;
        return read_statistics_digest(raw_, digest);
      }
      default: return true;  // of a newer minor version
    }
  }

  bool take_events() {
    EventBlock block;
    std::uint64_t unknown = 0;
    if (!decode_events(raw_, block, unknown)) return false;
    found_.events += block.records.size();
    found_.unknown_events += unknown;
    translator_.translate(block.records);
    found_.ending.reset();  // as readers do: the program lived on
    for (const Record& record : block.records) {
      if (record.is<StepEndRecord>() && record.as<StepEndRecord>().abandoned == 0) ++found_.steps;
      if (record.is<LostRecord>()) found_.lost_events += record.as<LostRecord>().records;
      if (record.is<ProgramEndRecord>()) found_.ending = ending_of(record.as<ProgramEndRecord>());
    }
    return true;
  }

  Examination& found_;
  const ChunkVisitor& visit_;
  Bytes raw_;
  Translator translator_;
  UnpackBudget budget_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
};

}  // namespace

std::uint64_t Examination::damaged_bytes() const {
  std::uint64_t sum = header_damaged ? kFileHeaderSize : 0;
  for (const Gap& gap : gaps) sum += gap.bytes;
  return sum;
}

Examination examine(const std::string& path, const ChunkVisitor& visit) {
  ScannedFile file(path);
  if (!file)
    refuse_file(path, fmt::format("cannot be read ({})", std::strerror(errno)), "give a file that is there");
  Examination found;
  found.bytes = file.size();
  const auto header = file.read(0, kFileHeaderSize);
  const FileHeaderState state = header.size() < kFileHeaderSize ? FileHeaderState::no_recording
                                                                : check_file_header(header, found.version);
  if (state == FileHeaderState::newer_major)
    refuse_file(path, fmt::format("is of version {} of the format", found.version.major),
                "use a newer Tapescope");
  if (state == FileHeaderState::no_recording)
    throw Error(ErrorKind::surroundings, no_recording(path, header));
  if (state == FileHeaderState::damaged) {
    found.header_damaged = true;
    found.version = {kMajor, kMinor};
  }
  Scan scan(found, visit);
  scan.file(file);
  if (!found.end) {
    ScannedFile tail(tail_path(path));
    if (tail) scan.tail(tail);
  }
  return found;
}

Examination recover(const std::string& path, const std::string& out) {
  std::error_code none;
  if (std::filesystem::equivalent(path, out, none))
    refuse_file(out, "is the recording itself", "give another file after -o");
  // Before anything is written: what is refused leaves no file behind.
  const FileVersion version = examine(path).version;
  const std::unique_ptr<ByteSink> sink = open_sink(out);
  std::string failure;
  const auto write = [&](std::span<const std::uint8_t> bytes) {
    if (failure.empty()) failure = sink->write(bytes);
  };
  Bytes chunk;
  std::uint64_t number = 0;
  const auto add = [&](ChunkKind kind, std::span<const std::uint8_t> contents) {
    chunk.clear();
    append_chunk(chunk, kind, number++, contents);
    write(chunk);
  };
  write(file_header(version.minor));
  Examination found = examine(path, [&](ChunkKind kind, std::span<const std::uint8_t> contents) {
    if (kind != ChunkKind::end) add(kind, contents);
  });
  ByteWriter payload;
  if (const std::uint64_t damaged = found.damaged_bytes(); damaged > 0) {
    write_facts(payload, {{"recovered", fmt::format("{} bytes of {} were damaged or cut off and are left out",
                                                    damaged, found.bytes)}});
    add(ChunkKind::program, payload.bytes());
    payload.clear();
  }
  EndSummary end = found.end.value_or(EndSummary{});
  // What a writer counted and what is here now.
  const std::uint64_t missing = found.end && end.events > found.events ? end.events - found.events : 0;
  end.lost_events = std::max(end.lost_events, found.lost_events) + missing;
  end.events = found.events;
  end.key_frames.clear();
  if (!found.end) end.reason = reason_of(found.ending.value_or(Ending{.how = ProgramEnd::unknown}));
  write_end(payload, end);
  add(ChunkKind::end, payload.bytes());
  if (!failure.empty()) throw Error(ErrorKind::surroundings, failure);
  return found;
}

}  // namespace tapescope::record

// Chunk after chunk: fetch, check, unpack, translate.
#include "engine/recording/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "engine/core/error.h"
#include "engine/events/clock.h"
#include "engine/events/records/table.h"
#include "engine/recording/digest_codec.h"
#include "engine/recording/digested.h"
#include "engine/recording/no_recording.h"
#include "engine/recording/tail.h"

namespace tapescope::record {
namespace {

// At a time: a file that is followed is looked at many times a second, and room for it is cleared each time.
constexpr std::size_t kReadBytes = 1u << 16;

// Where ticks are this close to ours they are ours: two processes of one machine measure the same counter.
constexpr double kSameClock = 1e-3;

// At the end of a recording that its digests stand for: as many as a viewer keeps, and fewer of each rank of
// a job that is so large that its recordings would have millions of ops to look at.
constexpr std::uint64_t kLastWholeSteps = 64, kLastWholeStepsOfMany = 16;
constexpr std::uint64_t kManyRanks = 16;

std::uint64_t last_whole_steps(const ProgramFacts& facts) {
  const auto fact = facts.find("size");
  if (fact == facts.end()) return kLastWholeSteps;
  std::uint64_t ranks = 0;
  std::from_chars(fact->second.data(), fact->second.data() + fact->second.size(), ranks);
  return ranks < kManyRanks ? kLastWholeSteps : kLastWholeStepsOfMany;
}

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorKind::surroundings, sentence); }

}  // namespace

RecordingReader RecordingReader::open(const std::string& path, ReaderOptions options) {
  if (path == "-") return RecordingReader(dup(STDIN_FILENO), "standard input", options);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) refuse(fmt::format("cannot read {} ({}); check the path", path, std::strerror(errno)));
  return RecordingReader(descriptor, path, options);
}

RecordingReader::RecordingReader(int descriptor, std::string name, ReaderOptions options)
    : descriptor_(descriptor), name_(std::move(name)), options_(options) {}

RecordingReader::~RecordingReader() {
  if (descriptor_ >= 0) close(descriptor_);
}

RecordingReader::RecordingReader(RecordingReader&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      options_(other.options_),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_),
      have_header_(other.have_header_),
      version_(other.version_),
      position_(other.position_) {}  // nothing was read yet

RecordingReader::Fetch RecordingReader::fetch(std::size_t size) {
  while (end_ - begin_ < size) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
    }
    // Grows with what arrives, not with what a header promises. Where most is passed over no more is read
    // than this and the next header.
    const std::size_t most =
        digested_.empty() ? kReadBytes : std::min(kReadBytes, size - (end_ - begin_) + kChunkHeaderSize);
    if (buffer_.size() < end_ + most) buffer_.resize(end_ + most);
    const ssize_t count = read(descriptor_, buffer_.data() + end_, most);
    const int error = errno;
    end_ += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    if (count > 0) continue;
    if (count < 0 && error == EINTR) continue;
    if (count < 0 && (error == EAGAIN || error == EWOULDBLOCK)) return Fetch::waiting;
    if (count < 0 && !have_header_ && end_ == 0)
      refuse(fmt::format("cannot read {} ({})", name_, std::strerror(error)));
    return count == 0 && options_.follow ? Fetch::waiting : Fetch::end;
  }
  return Fetch::there;
}

RecordingReader::Item RecordingReader::stop(std::string why) {
  loss_ = std::move(why);
  ended_ = true;
  // Some MiB, of which a window that shows a job would have as many as there are ranks.
  raw_ = {};
  block_ = {};
  statistics_ = {};
  return Item::end;
}

RecordingReader::Item RecordingReader::stop_at_damage() {
  damaged_ = true;
  if (is_too_large()) {
    return stop(fmt::format(
        "{} is refused from byte {} on: it unpacks to more than any program writes into as few bytes; "
        "everything up to there is shown",
        name_, position_));
  }
  return stop(fmt::format("{} is damaged at byte {}; everything up to there is shown", name_, position_));
}

bool RecordingReader::is_too_large() const { return !budget_.holds(position_ + header_.stored_size); }

std::string RecordingReader::loss_if_over() const {
  const std::size_t left = end_ - begin_;
  if (left > 0 || have_chunk_) {
    return fmt::format("{} is cut off {} bytes after its last whole chunk; everything up to there is shown",
                       name_, left + (have_chunk_ ? kChunkHeaderSize : 0));
  }
  if (!finished_) {
    return fmt::format(
        "{} has no last chunk: the program was killed or still runs; everything up to there is shown", name_);
  }
  if (unknown_ > 0) {
    return fmt::format("{} holds {} records of kinds that only a newer Tapescope knows; they are left out",
                       name_, unknown_);
  }
  return loss_;
}

RecordingReader::Item RecordingReader::cut_off() { return stop(in_tail_ ? loss_ : loss_if_over()); }

// What was held back when the program was killed, numbered as if it followed.
bool RecordingReader::go_on_in_tail() {
  if (in_tail_ || finished_ || options_.follow || !options_.tail) return false;
  const int tail = ::open(tail_path(name_).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (tail < 0) return false;
  loss_ = loss_if_over();
  close(std::exchange(descriptor_, tail));
  in_tail_ = true;
  tail_begins_ = position_;
  begin_ = end_ = 0;
  have_chunk_ = false;
  return true;
}

bool RecordingReader::check_header() {
  if (have_header_) return true;
  const Fetch there = fetch(kFileHeaderSize);
  if (there == Fetch::waiting) return false;
  if (there == Fetch::end) refuse(no_recording(name_, {}));
  switch (check_file_header(fetched(kFileHeaderSize), version_)) {
    case FileHeaderState::good: break;
    case FileHeaderState::no_recording: refuse(no_recording(name_, fetched(kFileHeaderSize)));
    case FileHeaderState::damaged:
      refuse(fmt::format("{} is damaged in its first {} bytes, nothing of it can be read", name_,
                         kFileHeaderSize));
    case FileHeaderState::newer_major:
      refuse(fmt::format(
          "{} is of version {} of the format, this Tapescope reads up to {}; open it with a newer one", name_,
          version_.major, kMajor));
  }
  have_header_ = true;
  begin_ += kFileHeaderSize;
  position_ = kFileHeaderSize;
  return true;
}

RecordingReader::Item RecordingReader::next() {
  if (ended_) return Item::end;
  if (!check_header()) return Item::waiting;
  while (true) {
    if (!have_chunk_) {
      const Fetch there = fetch(kChunkHeaderSize);
      if (there == Fetch::waiting) {
        // Nothing follows the last chunk of a file.
        return finished_ && options_.follow ? cut_off() : Item::waiting;
      }
      if (there == Fetch::end && go_on_in_tail()) continue;
      if (there == Fetch::end) return cut_off();
      const std::optional<ChunkHeader> header = parse_chunk_header(fetched(kChunkHeaderSize));
      const bool follows = header && header->number == next_number_;
      if (!follows && in_tail_) return cut_off();  // of an earlier tail
      if (!follows) return stop_at_damage();
      header_ = *header;
      have_chunk_ = true;
      begin_ += kChunkHeaderSize;
    }
    const bool is_digest = header_.kind == static_cast<std::uint8_t>(ChunkKind::digest);
    look_for_digests();
    if (is_digested() && !is_digest) {
      pass_over();
      continue;
    }
    const Fetch there = fetch(header_.stored_size);
    if (there == Fetch::waiting) return Item::waiting;
    if (there == Fetch::end && go_on_in_tail()) continue;
    if (there == Fetch::end) return cut_off();
    const std::span<const std::uint8_t> stored = fetched(header_.stored_size);
    const bool idle = is_digest && !is_digested();
    const bool unpacked = idle ? is_intact(header_, stored) : unpack_chunk(header_, stored, raw_);
    // Values stay packed.
    if (unpacked && !idle && header_.kind != static_cast<std::uint8_t>(ChunkKind::values))
      budget_.unpacked(raw_.size());
    const Item item = !unpacked ? Item::end : idle ? Item::waiting : take();
    if (item == Item::end || is_too_large()) return in_tail_ ? cut_off() : stop_at_damage();
    begin_ += header_.stored_size;
    end_chunk();
    if (item != Item::waiting) return item;  // definitions stay in the reader
  }
}

// Before the first events: the program's facts came by then.
void RecordingReader::look_for_digests() {
  if (!options_.digests || looked_for_digests_ || version_.minor < kMinorOfKinds) return;
  if (header_.kind != static_cast<std::uint8_t>(ChunkKind::events)) return;
  looked_for_digests_ = true;
  digested_ = digested_chunks(descriptor_, last_whole_steps(facts_));
}

// A digest that counts, or what such a one stands for.
bool RecordingReader::is_digested() const {
  return header_.number < digested_.size() && digested_[header_.number];
}

// The file has all of it, as a later chunk was found.
void RecordingReader::pass_over() {
  const std::size_t held = std::min<std::size_t>(end_ - begin_, header_.stored_size);
  begin_ += held;
  lseek(descriptor_, static_cast<off_t>(header_.stored_size - held), SEEK_CUR);
  end_chunk();
}

void RecordingReader::end_chunk() {
  position_ += kChunkHeaderSize + header_.stored_size;
  ++next_number_;
  have_chunk_ = false;
}

// The unpacked chunk's contents; `end` where they are damaged, `waiting` where there is nothing to return.
RecordingReader::Item RecordingReader::take() {
  switch (static_cast<ChunkKind>(header_.kind)) {
    case ChunkKind::program:
      budget_.kept(raw_.size());
      if (!read_facts(raw_, facts_)) return Item::end;
      fit_ticks();
      return Item::facts;
    case ChunkKind::definitions:
      if (!options_.translate) return Item::waiting;
      return define() ? Item::waiting : Item::end;
    case ChunkKind::digest:
    case ChunkKind::events: {
      const bool is_digest = header_.kind == static_cast<std::uint8_t>(ChunkKind::digest);
      if (!(is_digest ? decode_digest : decode_events)(raw_, block_, unknown_)) return Item::end;
      if (!is_digest) events_read_ += block_.records.size();
      if (version_.minor < kMinorOfKinds) older_.renew(block_);
      if (options_.translate) translator_.translate(block_.records);
      if (tick_scale_ != 1) scale_ticks();
      find_ending();
      return Item::events;
    }
    case ChunkKind::statistics:
      return read_statistics(raw_, translator_, statistics_) ? Item::statistics : Item::end;
    case ChunkKind::results:
      budget_.kept(raw_.size());
      results_ = ProgramResults{};
      return read_results(raw_, results_) ? Item::results : Item::end;
    case ChunkKind::values: {
      ByteReader in(raw_);
      if (!read_step_values(in, values_.head)) return Item::end;
      const std::span<const std::uint8_t> stored = fetched(header_.stored_size);
      values_.chunk = header_;
      values_.stored.assign(stored.begin(), stored.end());
      return Item::values;
    }
    case ChunkKind::end:
      if (!read_end(raw_, summary_)) return Item::end;
      finished_ = true;
      if (!ending_) ending_ = ending_of_reason(summary_.reason);
      return Item::finished;
    default: return Item::other;
  }
}

bool RecordingReader::define() {
  const std::uint64_t before = translator_.kept();
  const bool sound = translator_.define(raw_, budget_.left(position_ + header_.stored_size));
  budget_.kept(translator_.kept() - before);
  return sound;
}

// A program that records go on after survived what it had noted.
void RecordingReader::find_ending() {
  ending_.reset();
  for (const Record& record : block_.records) {
    if (record.is<ProgramEndRecord>()) ending_ = ending_of(record.as<ProgramEndRecord>());
  }
}

void RecordingReader::fit_ticks() {
  const auto fact = facts_.find("tick_ns");
  if (fact == facts_.end() || events_read_ > 0) return;
  const std::string& text = fact->second;
  double theirs = 0;
  std::from_chars(text.data(), text.data() + text.size(), theirs);
  // A clock slower than a second a tick or faster than any is no clock.
  if (!(theirs > 1e-6 && theirs < 1e9)) return;
  const double scale = theirs / nanoseconds_per_tick();
  tick_scale_ = std::abs(scale - 1) < kSameClock ? 1 : scale;
}

// From a machine with another clock: times since the first one come out right, to half a tick.
void RecordingReader::scale_ticks() {
  const auto scaled = [&](std::uint64_t ticks) {
    if (ticks == 0) return ticks;
    if (first_ticks_ == 0) first_ticks_ = ticks;
    const double since = static_cast<double>(static_cast<std::int64_t>(ticks - first_ticks_)) * tick_scale_;
    // Beyond this a double is no whole number of ticks any more, and no recording is as long.
    constexpr double kMost = 9e15;
    return first_ticks_ + static_cast<std::uint64_t>(std::llround(std::clamp(since, -kMost, kMost)));
  };
  for (Record& record : block_.records) {
    const auto& roles = shape_of(record.kind).roles;
    const auto scale = [&](FieldRole low, FieldRole high, std::uint64_t& field) {
      if (low == FieldRole::ticks) field = scaled(field);
      if (low == FieldRole::span)
        field =
            static_cast<std::uint64_t>(std::round(std::min(static_cast<double>(field) * tick_scale_, 9e18)));
      if (high != FieldRole::span) return;
      const double spent = static_cast<double>(field >> 32) * tick_scale_;
      field = (field & 0xffffffffu) | static_cast<std::uint64_t>(std::round(std::min(spent, 4294967295.0)))
                                          << 32;
    };
    scale(roles[2], roles[3], record.x);
    scale(roles[4], roles[5], record.y);
    scale(roles[6], roles[7], record.z);
  }
}

}  // namespace tapescope::record

// The end that a killed program could not write.
#include "engine/recording/mend.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "engine/core/error.h"
#include "engine/events/records/steps.h"
#include "engine/recording/reader.h"
#include "engine/recording/tail.h"

namespace tapescope::record {
namespace {

struct Contents {
  std::uint64_t end = 0;   // of the last whole chunk of the file
  std::uint64_t tail = 0;  // bytes of whole chunks in its tail that follow
  std::uint64_t chunks = 0, events = 0, lost = 0;
  bool complete = false;
};

Contents contents_of(const std::string& path) {
  RecordingReader reader = RecordingReader::open(path, {.translate = false});
  Contents found;
  for (RecordingReader::Item item = reader.next(); item != RecordingReader::Item::end; item = reader.next()) {
    if (item != RecordingReader::Item::events) continue;
    for (const Record& record : reader.events().records) {
      if (record.is<LostRecord>()) found.lost += record.as<LostRecord>().records;
    }
  }
  found.tail = reader.position_in_tail();
  found.end = reader.position() - found.tail;
  found.chunks = reader.chunks_read();
  found.events = reader.events_read();
  found.complete = reader.has_end() || reader.damaged();
  return found;
}

Bytes tail_of(const std::string& path, std::uint64_t size) {
  Bytes bytes(size);
  std::ifstream file(tail_path(path), std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

[[noreturn]] void cannot(const std::string& path) {
  throw Error(ErrorKind::surroundings,
              fmt::format("cannot write the end of {} ({}); check its rights and the disk", path,
                          std::strerror(errno)));
}

}  // namespace

bool append_end(const std::string& path, const Ending& ending) {
  const Contents before = contents_of(path);
  if (before.complete) return false;
  Bytes tail = tail_of(path, before.tail);
  // Without texts, which would need definitions: an exception has noted itself.
  EventBlock block;
  const Record last = ProgramEndRecord{.how = ending.how, .code = static_cast<std::uint32_t>(ending.code)};
  block.add(0, std::span(&last, 1));
  ByteWriter payload;
  encode_events(block, payload);
  append_chunk(tail, ChunkKind::events, before.chunks, payload.bytes());
  payload.clear();
  write_end(payload, {.events = before.events + 1, .lost_events = before.lost, .reason = reason_of(ending)});
  append_chunk(tail, ChunkKind::end, before.chunks + 1, payload.bytes());

  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) cannot(path);
  const auto at = static_cast<off_t>(before.end);
  const bool written = ftruncate(file, at) == 0 &&
                       pwrite(file, tail.data(), tail.size(), at) == static_cast<ssize_t>(tail.size());
  const int error = errno;
  close(file);
  errno = error;
  if (!written) cannot(path);
  unlink(tail_path(path).c_str());
  return true;
}

}  // namespace tapescope::record

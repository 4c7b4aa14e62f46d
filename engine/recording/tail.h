// The tail of a recording: what was not written to it yet, in a file beside it. The kernel keeps it when the
// program is killed.
//
// Written some times between two chunks of the recording and begun again after each. It holds chunks as the
// recording does, not packed, numbered as if they followed; one with another number is of an earlier tail.
// Readers go on in it where a recording has no last chunk.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tapescope::record {

// "mine.tape.tail"
std::string tail_path(const std::string& recording);

class TailFile {
 public:
  // Null where it cannot be made: a recording does without.
  static std::unique_ptr<TailFile> make(const std::string& recording);
  ~TailFile();
  TailFile(const TailFile&) = delete;
  TailFile& operator=(const TailFile&) = delete;

  // What is there is in the recording now.
  void restart() { size_ = 0; }
  // Whole chunks. False where they cannot be written: nothing more will be.
  bool append(std::span<const std::uint8_t> chunks);
  // The recording is whole.
  void remove();
  // In a child that was forked: closes what is the parent's.
  void leave_to_parent();

 private:
  TailFile(int file, std::string path) : file_(file), path_(std::move(path)) {}

  int file_;
  std::string path_;
  std::uint64_t size_ = 0;
};

}  // namespace tapescope::record

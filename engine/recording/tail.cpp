// By pwrite, not by a map: a mapped file on a full disk kills who writes to it.
#include "engine/recording/tail.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <utility>

#include "engine/recording/container.h"

namespace tapescope::record {

std::string tail_path(const std::string& recording) { return recording + ".tail"; }

std::unique_ptr<TailFile> TailFile::make(const std::string& recording) {
  std::string path = tail_path(recording);
  // Never through a link that another user may have put there.
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  return std::unique_ptr<TailFile>(file < 0 ? nullptr : new TailFile(file, std::move(path)));
}

TailFile::~TailFile() { leave_to_parent(); }

bool TailFile::append(std::span<const std::uint8_t> chunks) {
  // No chunk of an earlier tail stands behind these: its header would be overwritten, or is zero.
  static constexpr std::uint8_t kNoHeader[kChunkHeaderSize] = {};
  const iovec parts[] = {{const_cast<std::uint8_t*>(chunks.data()), chunks.size()},
                         {const_cast<std::uint8_t*>(kNoHeader), sizeof kNoHeader}};
  const auto wanted = static_cast<ssize_t>(chunks.size() + sizeof kNoHeader);
  if (file_ < 0 || pwritev(file_, parts, 2, static_cast<off_t>(size_)) != wanted) return false;
  size_ += chunks.size();
  return true;
}

void TailFile::remove() {
  if (file_ >= 0) unlink(path_.c_str());
  leave_to_parent();
}

void TailFile::leave_to_parent() {
  if (file_ >= 0) close(std::exchange(file_, -1));
}

}  // namespace tapescope::record

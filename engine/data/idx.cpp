// Reading IDX: magic 0, 0, type, rank; then the sizes, big-endian; then the bytes.
#include "engine/data/idx.h"

#include <zlib.h>

#include <cstring>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/data/files.h"

namespace tapescope {
namespace {

constexpr std::uint8_t kTypeOfBytes = 8;
// More than any data set of this kind has; a damaged header must not ask for all memory.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;

constexpr std::string_view kIdxRemedy = "get the file again or give another folder with --data";

[[noreturn]] void damaged(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::surroundings, fmt::format("{} {}; {}", path, what, kIdxRemedy));
}

// Hands out the file's content in order, unpacking as it goes.
class Source {
 public:
  Source(const std::string& path, std::vector<std::uint8_t> file) : path_(path), file_(std::move(file)) {
    packed_ = file_.size() >= 2 && file_[0] == 0x1f && file_[1] == 0x8b;
    stream_.next_in = file_.data();
    stream_.avail_in = static_cast<uInt>(file_.size());
    constexpr int kLargestWindow = 15, kGzip = 16;
    if (packed_ && inflateInit2(&stream_, kLargestWindow + kGzip) != Z_OK) {
      throw Error(ErrorKind::surroundings, fmt::format("{} cannot be unpacked: zlib does not start", path_));
    }
  }
  ~Source() {
    if (packed_) inflateEnd(&stream_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Up to `count` bytes; fewer only at the end of the content.
  std::size_t read(std::uint8_t* to, std::size_t count) {
    if (!packed_) {
      const std::size_t got = std::min<std::size_t>(count, stream_.avail_in);
      if (got > 0) std::memcpy(to, stream_.next_in, got);
      stream_.next_in += got;
      stream_.avail_in -= static_cast<uInt>(got);
      return got;
    }
    stream_.next_out = to;
    stream_.avail_out = static_cast<uInt>(count);
    while (stream_.avail_out > 0 && !ended_) {
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        end_member();
      } else if (result == Z_BUF_ERROR ||
                 (result == Z_OK && stream_.avail_in == 0 && stream_.avail_out > 0)) {
        damaged(path_, "is cut off: its gzip data ends early");
      } else if (result != Z_OK) {
        damaged(path_, fmt::format("is damaged: {}",
                                   stream_.msg ? stream_.msg : "its gzip data cannot be unpacked"));
      }
    }
    return count - stream_.avail_out;
  }

 private:
  // A gzip file may be several packed pieces one after the other.
  void end_member() {
    if (stream_.avail_in == 0) {
      ended_ = true;
    } else if (stream_.avail_in < 2 || stream_.next_in[0] != 0x1f || stream_.next_in[1] != 0x8b) {
      damaged(path_, fmt::format("is damaged: {} bytes follow the end of its gzip data", stream_.avail_in));
    } else {
      inflateReset(&stream_);
    }
  }

  const std::string& path_;
  std::vector<std::uint8_t> file_;
  z_stream stream_{};
  bool packed_ = false, ended_ = false;
};

std::uint64_t read_header(Source& source, const std::string& path, int rank, IdxArray& array) {
  std::uint8_t magic[4];
  if (source.read(magic, 4) < 4) damaged(path, "is cut off: it has no header");
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != kTypeOfBytes || magic[3] != rank) {
    damaged(
        path,
        fmt::format("is no IDX file of bytes with {} dimensions: it begins with {:02x} {:02x} {:02x} {:02x}, "
                    "expected 00 00 08 {:02x}",
                    rank, magic[0], magic[1], magic[2], magic[3], rank));
  }
  std::uint64_t total = 1;
  for (int i = 0; i < rank; ++i) {
    std::uint8_t size[4];
    if (source.read(size, 4) < 4) damaged(path, "is cut off: its header ends early");
    const auto dim = static_cast<std::uint64_t>(size[0]) << 24 | static_cast<std::uint64_t>(size[1]) << 16 |
                     static_cast<std::uint64_t>(size[2]) << 8 | size[3];
    array.dims.push_back(static_cast<std::int64_t>(dim));
    if (dim == 0) damaged(path, fmt::format("is damaged: its header gives dimension {} the size 0", i));
    total *= dim;
    if (total > kMostBytes) damaged(path, "is damaged: its header asks for more than 2 GiB");
  }
  return total;
}

}  // namespace

IdxArray read_idx(const std::string& path, int rank) {
  Source source(path, read_file(path, kIdxRemedy));
  IdxArray array;
  const std::uint64_t total = read_header(source, path, rank, array);
  // Memory grows with what is there, not with what the header promises.
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 22;
  while (array.bytes.size() < total) {
    const std::size_t before = array.bytes.size();
    const auto wanted = static_cast<std::size_t>(std::min(kPiece, total - before));
    array.bytes.resize(before + wanted);
    const std::size_t got = source.read(array.bytes.data() + before, wanted);
    if (got < wanted) {
      damaged(path,
              fmt::format("is cut off: its header promises {} bytes, {} are there", total, before + got));
    }
  }
  std::uint8_t more;
  if (source.read(&more, 1) > 0) {
    damaged(path, fmt::format("is damaged: it goes on after the {} bytes that its header promises", total));
  }
  return array;
}

}  // namespace tapescope

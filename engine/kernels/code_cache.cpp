// A file per key: a head, the key, the object. It is written beside its place and renamed, so no reader meets
// half of one.
#include "engine/kernels/code_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/core/hash.h"

namespace tapescope::kernels {
namespace {

constexpr std::string_view kSuffix = ".loop";
constexpr std::uint64_t kMostBytes = 16 << 20;  // of a file: the longest loops take some 100 KiB

struct Head {
  char magic[8] = {'t', 'a', 'p', 'e', 'l', 'o', 'o', 'p'};
  std::uint64_t key_bytes = 0, object_bytes = 0;
  std::uint64_t hash = 0;  // of key and object
};

bool may_write_otherwise(const struct stat& is) { return is.st_uid != geteuid() || (is.st_mode & 022) != 0; }

using File = std::unique_ptr<std::FILE, decltype([](std::FILE* file) { std::fclose(file); })>;

// The whole file where it is a file of this user's; else empty.
std::string read_own_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return {};
  const File file(fdopen(descriptor, "rb"));
  struct stat is {};
  if (!file || fstat(descriptor, &is) != 0 || !S_ISREG(is.st_mode) || may_write_otherwise(is)) return {};
  if (static_cast<std::uint64_t>(is.st_size) > kMostBytes) return {};
  std::string bytes(static_cast<std::size_t>(is.st_size), '\0');
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return {};
  return bytes;
}

bool write_file(const std::string& path, std::initializer_list<std::string_view> parts) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return false;
  File file(fdopen(descriptor, "wb"));
  if (!file) return false;
  for (const std::string_view part : parts) std::fwrite(part.data(), 1, part.size(), file.get());
  return std::fflush(file.get()) == 0 && std::ferror(file.get()) == 0;
}

// Removes the files that were written first, until the rest is at most `most_bytes`.
void shrink(const std::string& folder, std::uint64_t most_bytes) {
  struct Kept {
    std::filesystem::file_time_type written;
    std::filesystem::path path;
    std::uint64_t bytes;
  };
  std::error_code wrong;
  std::vector<Kept> kept;
  std::uint64_t total = 0;
  for (std::filesystem::directory_iterator next(folder, wrong), end; !wrong && next != end;
       next.increment(wrong)) {
    if (next->path().extension() != kSuffix) continue;
    std::error_code gone;  // another process removes files too
    Kept file{next->last_write_time(gone), next->path(), next->file_size(gone)};
    if (gone) continue;
    total += file.bytes;
    kept.push_back(std::move(file));
  }
  std::ranges::sort(kept, {}, &Kept::written);
  for (std::size_t i = 0; i < kept.size() && total > most_bytes; ++i) {
    std::filesystem::remove(kept[i].path, wrong);
    total -= kept[i].bytes;
  }
}

}  // namespace

CodeCache::CodeCache(std::string folder) : folder_(std::move(folder)) {
  const auto refuse = [&](std::string_view why) {
    throw Error(ErrorKind::surroundings,
                fmt::format("machine code is not kept in '{}' (TAPESCOPE_CODE_CACHE): {}", folder_, why));
  };
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST)
    refuse(fmt::format("it cannot be made ({})", std::strerror(errno)));
  struct stat is {};
  if (stat(folder_.c_str(), &is) != 0) refuse(std::strerror(errno));
  if (!S_ISDIR(is.st_mode)) refuse("it is no folder");
  if (is.st_uid != geteuid()) refuse(fmt::format("it belongs to user {}", is.st_uid));
  if (may_write_otherwise(is)) refuse("others can write to it; run 'chmod go-w' on it");
}

std::string CodeCache::path_of(std::string_view key) const {
  return fmt::format("{}/{:016x}{}", folder_, hash_of(key), kSuffix);
}

std::string CodeCache::find(std::string_view key) const {
  std::string bytes = read_own_file(path_of(key));
  Head head;
  if (bytes.size() < sizeof head || std::memcmp(bytes.data(), head.magic, sizeof head.magic) != 0) return {};
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::string_view rest = std::string_view(bytes).substr(sizeof head);
  if (head.key_bytes != key.size() || head.object_bytes != rest.size() - std::min(rest.size(), key.size()) ||
      !rest.starts_with(key) || head.hash != hash_of(rest))
    return {};
  return bytes.substr(sizeof head + key.size());
}

void CodeCache::keep(std::string_view key, std::string_view object, std::uint64_t most_bytes) const {
  const Head head{.key_bytes = key.size(), .object_bytes = object.size(),
                  .hash = hash_of(object, hash_of(key))};
  const std::string path = path_of(key), beside = fmt::format("{}/{}{}", folder_, getpid(), kSuffix);
  const std::string_view head_bytes(reinterpret_cast<const char*>(&head), sizeof head);
  if (!write_file(beside, {head_bytes, key, object}) || std::rename(beside.c_str(), path.c_str()) != 0) {
    std::remove(beside.c_str());
    return;
  }
  shrink(folder_, most_bytes);
}

const CodeCache* CodeCache::of_environment() {
  static const std::unique_ptr<const CodeCache> cache = []() -> std::unique_ptr<const CodeCache> {
    const char* folder = std::getenv("TAPESCOPE_CODE_CACHE");
    if (!folder || !*folder) return nullptr;
    try {
      return std::make_unique<const CodeCache>(folder);
    } catch (const Error& error) {
      fmt::print(stderr, "tapescope: {}\n", error.what());
      return nullptr;
    }
  }();
  return cache.get();
}

}  // namespace tapescope::kernels

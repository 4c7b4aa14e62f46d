// Finding and reading the MNIST files.
#include "engine/data/mnist.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/data/idx.h"

namespace tapescope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                  "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};
constexpr std::int64_t kSide = 28;
constexpr const char* kMnistRemedy =
    "give a folder with the four MNIST files by --data or TAPESCOPE_MNIST, or none to use the digits that "
    "come "
    "with Tapescope";

[[noreturn]] void unusable(const std::string& what) {
  throw Error(ErrorKind::surroundings, fmt::format("{}; {}", what, kMnistRemedy));
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::optional<std::string> file_in(const std::string& folder, const char* name) {
  std::error_code ignored;
  for (const char* ending : {"", ".gz"}) {
    const fs::path path = fs::path(folder) / (std::string(name) + ending);
    if (fs::exists(path, ignored)) return path.string();
  }
  return std::nullopt;
}

std::string users_folder() {
  const std::string data = environment("XDG_DATA_HOME"), home = environment("HOME");
  if (!data.empty()) return data + "/tapescope/mnist";
  return home.empty() ? "" : home + "/.local/share/tapescope/mnist";
}

std::string required(const std::string& folder, const char* name) {
  const std::optional<std::string> path = file_in(folder, name);
  if (!path) unusable(fmt::format("{} has neither {} nor {}.gz", folder, name, name));
  return *path;
}

// Identifies a file that was read before.
struct FileMark {
  std::string path;
  std::uintmax_t size = 0;
  fs::file_time_type written;
  bool operator==(const FileMark&) const = default;
};

FileMark mark_of(const std::string& path) {
  std::error_code ignored;
  return {path, fs::file_size(path, ignored), fs::last_write_time(path, ignored)};
}

DigitSet read_set(const std::string& folder, const char* images_name, const char* labels_name) {
  const std::string images_path = required(folder, images_name), labels_path = required(folder, labels_name);
  IdxArray images = read_idx(images_path, 3), labels = read_idx(labels_path, 1);
  if (images.dims[1] != kSide || images.dims[2] != kSide) {
    unusable(fmt::format("{} holds images of {} x {} pixels, expected {} x {}", images_path, images.dims[1],
                         images.dims[2], kSide, kSide));
  }
  if (images.dims[0] != labels.dims[0]) {
    unusable(fmt::format("{} holds {} images but {} holds {} labels, expected one label for each image",
                         images_path, images.dims[0], labels_path, labels.dims[0]));
  }
  const auto wrong =
      std::find_if(labels.bytes.begin(), labels.bytes.end(), [](std::uint8_t label) { return label > 9; });
  if (wrong != labels.bytes.end()) {
    unusable(fmt::format("{} is damaged: label {} is {}, expected 0 to 9", labels_path,
                         wrong - labels.bytes.begin(), *wrong));
  }
  return {std::make_shared<const std::vector<std::uint8_t>>(std::move(images.bytes)),
          std::make_shared<const std::vector<std::uint8_t>>(std::move(labels.bytes)), images.dims[0]};
}

}  // namespace

MnistFolder find_mnist(const std::string& given, const std::string& generated) {
  if (!given.empty()) return {given};
  if (const std::string folder = environment("TAPESCOPE_MNIST"); !folder.empty()) return {folder};
  if (const std::string folder = users_folder(); !folder.empty()) {
    // A folder with some of the files is meant to be used: what is missing is then an error, not overlooked.
    const auto is_there = [&](const char* name) { return file_in(folder, name).has_value(); };
    if (std::any_of(std::begin(kFiles), std::end(kFiles), is_there)) return {folder};
  }
  return {generated, true};
}

Mnist load_mnist(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    unusable(fmt::format("{} {}", folder, fs::exists(folder, error) ? "is no folder" : "does not exist"));
  }
  // The two programs of a comparison share the digits, and a second run finds them read.
  static std::mutex mutex;
  static std::optional<std::pair<std::vector<FileMark>, Mnist>> last;
  const std::lock_guard lock(mutex);
  std::vector<FileMark> marks;
  for (const char* name : kFiles) marks.push_back(mark_of(required(folder, name)));
  if (!last || last->first != marks) {
    last.reset();  // before reading: two sets need not fit into memory
    last.emplace(marks,
                 Mnist{read_set(folder, kFiles[0], kFiles[1]), read_set(folder, kFiles[2], kFiles[3])});
  }
  return last->second;
}

}  // namespace tapescope

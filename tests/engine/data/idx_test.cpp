// IDX files: good ones are read, damaged ones are refused with one sentence that names the file and the
// remedy.
#include "engine/data/idx.h"

#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "engine/core/error.h"
#include "engine/data/mnist.h"
#include "tests/support/catch.h"

using namespace tapescope;
namespace fs = std::filesystem;

namespace {

// A separate folder that goes away with the test.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("tapescope_idx_" + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
  fs::path path;
};

std::string idx_text(const std::vector<std::uint32_t>& dims, const std::string& content, int type = 8) {
  std::string text{'\0', '\0', static_cast<char>(type), static_cast<char>(dims.size())};
  for (std::uint32_t dim : dims) {
    for (int shift : {24, 16, 8, 0}) text += static_cast<char>(dim >> shift);
  }
  return text + content;
}

std::string packed(const std::string& text) {
  std::string out(text.size() + 200, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string message_of(const std::string& path, int rank) {
  try {
    read_idx(path, rank);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::surroundings);
    return error.what();
  }
  return "";
}

void check_refused(const std::string& path, int rank, const std::string& why) {
  const std::string message = message_of(path, rank);
  INFO(message);
  CHECK(message.find(path) != std::string::npos);
  CHECK(message.find(why) != std::string::npos);
  CHECK(message.find("--data") != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

std::string random_content(std::size_t count) {
  std::string content;
  std::uint32_t x = 1;
  for (std::size_t i = 0; i < count; ++i) content += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  return content;
}

}  // namespace

TEST_CASE("idx: plain and packed files give their bytes") {
  const Folder folder;
  const std::string content = random_content(60), text = idx_text({3, 4, 5}, content);
  write(folder.file("plain"), text);
  write(folder.file("packed"), packed(text));
  write(folder.file("pieces"), packed(text.substr(0, 20)) + packed(text.substr(20)));
  for (const char* name : {"plain", "packed", "pieces"}) {
    const IdxArray array = read_idx(folder.file(name), 3);
    CHECK(array.dims == std::vector<std::int64_t>{3, 4, 5});
    CHECK(std::string(array.bytes.begin(), array.bytes.end()) == content);
  }
}

TEST_CASE("idx: a file cut off anywhere is refused") {
  const Folder folder;
  const std::string text = idx_text({3, 4, 5}, random_content(60)), small = packed(text);
  for (std::size_t length = 0; length < text.size(); ++length) {
    write(folder.file("f"), text.substr(0, length));
    check_refused(folder.file("f"), 3, "is cut off");
  }
  for (std::size_t length = 0; length < small.size(); ++length) {
    write(folder.file("f"), small.substr(0, length));
    INFO(length);
    CHECK_FALSE(message_of(folder.file("f"), 3).empty());
  }
}

TEST_CASE("idx: a packed file with any byte changed is refused or gives the same content") {
  const Folder folder;
  const std::string text = idx_text({3, 4, 5}, random_content(60)), small = packed(text);
  for (std::size_t i = 0; i < small.size(); ++i) {
    std::string changed = small;
    changed[i] = static_cast<char>(changed[i] ^ 0x5a);
    write(folder.file("f"), changed);
    INFO("byte " << i);
    if (!message_of(folder.file("f"), 3).empty()) continue;
    // Parts of the gzip header and the last bits of its data mean nothing for the content.
    const IdxArray array = read_idx(folder.file("f"), 3);
    CHECK(idx_text({3, 4, 5}, std::string(array.bytes.begin(), array.bytes.end())) == text);
  }
}

TEST_CASE("idx: wrong headers and endings are distinguished") {
  const Folder folder;
  const std::string path = folder.file("f");
  write(path, idx_text({60}, random_content(60)));
  check_refused(path, 3, "no IDX file of bytes with 3 dimensions");
  write(path, idx_text({15}, random_content(60), 13));
  check_refused(path, 1, "begins with 00 00 0d 01, expected 00 00 08 01");
  write(path, "<!DOCTYPE html><html>not found</html>");
  check_refused(path, 1, "no IDX file");
  write(path, idx_text({59}, random_content(60)));
  check_refused(path, 1, "goes on after the 59 bytes");
  write(path, packed(idx_text({59}, random_content(60))));
  check_refused(path, 1, "goes on after the 59 bytes");
  write(path, packed(idx_text({60}, random_content(60))) + "garbage");
  check_refused(path, 1, "7 bytes follow the end of its gzip data");
  write(path, idx_text({0}, ""));
  check_refused(path, 1, "size 0");
  write(path, idx_text({0xffffffff, 0xffffffff, 0xffffffff}, "x"));
  check_refused(path, 3, "more than 2 GiB");
  write(path, idx_text({0x7fffffff}, "x"));
  check_refused(path, 1, "promises 2147483647 bytes, 1 are there");
  check_refused(folder.file("absent"), 1, "cannot be opened: No such file");
  check_refused(folder.path.string(), 1, "cannot be");
}

namespace {

void write_digits(const Folder& folder, std::uint32_t images, std::uint32_t labels, char label = 7) {
  for (const char* name : {"train", "t10k"}) {
    write(folder.file(std::string(name) + "-images-idx3-ubyte"),
          idx_text({images, 28, 28}, random_content(images * 784)));
    write(folder.file(std::string(name) + "-labels-idx1-ubyte.gz"),
          packed(idx_text({labels}, std::string(labels, label))));
  }
}

std::string load_error(const std::string& folder) {
  try {
    load_mnist(folder);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::surroundings);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("mnist: reads the four files, plain or packed") {
  const Folder folder;
  write_digits(folder, 5, 5);
  const Mnist mnist = load_mnist(folder.path.string());
  CHECK(mnist.train.count == 5);
  CHECK(mnist.train.images().all().shape() == Shape{5, 28, 28});
  CHECK(element(mnist.test.one_hot_labels().all(), 7) == 1);
}

TEST_CASE("mnist: what is missing or does not fit together is an error that names it") {
  const Folder folder;
  CHECK(load_error(folder.file("nowhere")).find("does not exist") != std::string::npos);
  write_digits(folder, 5, 5);
  fs::remove(folder.file("t10k-labels-idx1-ubyte.gz"));
  CHECK(load_error(folder.path.string()).find("neither t10k-labels-idx1-ubyte nor") != std::string::npos);
  write_digits(folder, 5, 4);
  CHECK(load_error(folder.path.string()).find("one label for each image") != std::string::npos);
  write_digits(folder, 5, 5, 10);
  CHECK(load_error(folder.path.string()).find("label 0 is 10") != std::string::npos);
  write_digits(folder, 5, 5);
  write(folder.file("train-images-idx3-ubyte"), idx_text({5, 14, 14}, random_content(5 * 196)));
  CHECK(load_error(folder.path.string()).find("14 x 14") != std::string::npos);
}

TEST_CASE(
    "mnist: a folder given comes before the variable, that before the user's, that before our own digits") {
  const Folder folder;
  const std::string user = folder.file("tapescope/mnist");
  ::setenv("XDG_DATA_HOME", folder.path.c_str(), 1);
  ::unsetenv("TAPESCOPE_MNIST");
  CHECK(find_mnist("", "own").path == "own");
  CHECK(find_mnist("", "own").generated);
  fs::create_directories(user);
  CHECK(find_mnist("", "own").generated);  // an empty folder holds no data
  write(user + "/train-labels-idx1-ubyte", "x");
  CHECK(find_mnist("", "own").path == user);
  ::setenv("TAPESCOPE_MNIST", "variable", 1);
  CHECK(find_mnist("", "own").path == "variable");
  CHECK(find_mnist("given", "own").path == "given");
  CHECK_FALSE(find_mnist("given", "own").generated);
  ::unsetenv("TAPESCOPE_MNIST");
  ::unsetenv("XDG_DATA_HOME");
}

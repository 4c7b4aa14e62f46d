// CSV and NPY files: what they give, and what is said of those that cannot be read.
#include "engine/data/tables.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// A file that is gone again at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("tapescope_table_" + std::to_string(getpid()) + "_" + std::to_string(count++)))
                .string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

CsvTable csv(const std::string& content, const CsvOptions& options = {}) {
  return read_csv(TemporaryFile(content).path(), options);
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& order = "False") {
  const std::string text =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  const std::string length{static_cast<char>(text.size()), 0};
  return std::string("\x93NUMPY\x01\x00", 8) + length + text + data;
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(T)};
}

Tensor read(const std::string& content) { return read_npy(TemporaryFile(content).path(), 1000); }

// What is said of it, without the path.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::surroundings);
    const std::string text = error.what();
    return text.substr(text.find_first_of(" :", text.find("tapescope_table_")));
  }
  return "";
}

}  // namespace

TEST_CASE("csv: numbers in lines, with or without names") {
  const CsvTable table = csv("\xEF\xBB\xBF\"x, y\",z\r\n1,-2.5\r\n\r\n +3 ,4e2\n");
  CHECK(table.columns == std::vector<std::string>{"x, y", "z"});
  CHECK(table.values.shape() == Shape{2, 2});
  CHECK(elements(table.values) == std::vector<double>{1, -2.5, 3, 400});
  CHECK(elements(table.select({"z"})) == std::vector<double>{-2.5, 400});
  CHECK_THROWS_WITH(table.select({"a"}), contains_text("expected one of x, y, z"));
  const CsvTable plain = csv("1;2\n3;4", {.header = false, .separator = ';', .dtype = DType::f64});
  CHECK(plain.values.dtype() == DType::f64);
  CHECK(plain.columns == std::vector<std::string>{"0", "1"});
}

TEST_CASE("csv: an error names line and column") {
  CHECK_THAT(refusal([] { csv("a,b\n1,2\n3,oops\n"); }),
             contains_text(":3 column 2 ('b') holds 'oops', expected a number"));
  CHECK_THAT(refusal([] { csv("a,b\n1\n"); }), contains_text(":2 has 1 fields, expected 2"));
  CHECK_THAT(refusal([] { csv("a,b\n1,2", {.header = false}); }), contains_text("header = true"));
  CHECK_THAT(refusal([] { csv("a,b\n1,\n"); }), contains_text("holds ''"));
  CHECK_THAT(refusal([] { csv("a,b\n"); }), contains_text("no line of numbers"));
  CHECK_THROWS_WITH(read_csv("no such file"), contains_text("cannot be opened"));
}

TEST_CASE("npy: arrays of every type that is read") {
  const Tensor floats = read(npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6.5f})));
  CHECK(floats.shape() == Shape{2, 3});
  CHECK(floats.dtype() == DType::f32);
  CHECK(element(floats, 5) == 6.5);
  CHECK(read(npy("<f8", "()", bytes_of<double>({2.5}))).rank() == 0);
  CHECK(elements(read(npy("<i8", "(2,)", bytes_of<std::int64_t>({-1, 7})))) == std::vector<double>{-1, 7});
  const Tensor bytes = read(npy("|u1", "(3,)", "\x01\x02\xff"));
  CHECK(bytes.dtype() == DType::i32);
  CHECK(elements(bytes) == std::vector<double>{1, 2, 255});
  CHECK(read(npy("|b1", "(1,)", "\x01")).dtype() == DType::boolean);
  CHECK(read(npy("<i4", "(0, 4)", "")).shape() == Shape{0, 4});
}

TEST_CASE("npy: what is damaged or of another kind is distinguished, wherever it is cut") {
  const std::string whole = npy("<f4", "(2,)", bytes_of<float>({1, 2}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_FALSE(refusal([&] { read(whole.substr(0, length)); }).empty());
  }
  CHECK_THAT(refusal([&] { read(whole + "x"); }), contains_text("promises 8 bytes of elements, 9 are there"));
  CHECK_THAT(refusal([] { read(npy("<f4", "(1, 1)", bytes_of<float>({1}), "True")); }),
             contains_text("ascontiguousarray"));
  CHECK_THAT(refusal([] { read(npy(">f4", "(1,)", bytes_of<float>({1}))); }), contains_text("'>f4'"));
  CHECK_THAT(refusal([] { read(npy("<f4", "(99999999999999999999,)", "")); }),
             contains_text("more than 1000"));
  CHECK_THAT(refusal([] { read(npy("<f4", "(999, 999)", "")); }), contains_text("more than 1000"));
  CHECK_THAT(refusal([] { read("PK\x03\x04 and more"); }), contains_text("is no NPY file"));
}

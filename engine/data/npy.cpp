// NPY files: "\x93NUMPY", version, length of the header, a Python dictionary as text, then the elements.
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "engine/data/files.h"
#include "engine/data/tables.h"

namespace tapescope {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

class NpyReader {
 public:
  NpyReader(const std::string& path, std::int64_t limit)
      : path_(path),
        limit_(limit),
        bytes_(read_file(path, "give the path of a file that numpy.save wrote")) {}

  Tensor read() {
    const std::string_view header = take_header();
    const std::string_view type = quoted(header, "'descr'");
    const std::string_view order = value(header, "'fortran_order'");
    if (order.starts_with("True")) {
      refuse("holds its elements column by column; save numpy.ascontiguousarray(a) instead");
    }
    if (!order.starts_with("False"))
      refuse("has a header without fortran_order; save it again with numpy.save");
    const Shape shape = shape_of(header);
    const bool bytes_only = type == "|u1";
    const std::optional<DType> dtype = bytes_only ? DType::i32 : dtype_of(type);
    if (!dtype) {
      refuse(fmt::format(
          "holds elements of type '{}', expected '<f2', '<f4', '<f8', '<i4', '<i8', '|u1' or '|b1'; "
          "convert it with a.astype('<f4')",
          type));
    }
    const auto count = static_cast<std::uint64_t>(shape.numel());
    const std::uint64_t wanted = count * (bytes_only ? 1 : size_of(*dtype)), there = bytes_.size() - at_;
    if (wanted != there) {
      refuse(fmt::format("is damaged: its header promises {} bytes of elements, {} are there; save it again",
                         wanted, there));
    }
    const std::uint8_t* from = bytes_.data() + at_;
    if (!bytes_only) return make_from_bytes(*dtype, shape, from);
    return make_tensor(std::vector<double>(from, from + count), shape, DType::i32);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::surroundings, fmt::format("{} {}", path_, what));
  }

  std::string_view take_header() {
    const std::string_view all(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    if (!all.starts_with(kMagic) || all.size() < 10) {
      refuse("is no NPY file: it does not begin with \\x93NUMPY; save the array with numpy.save");
    }
    const int version = bytes_[6];
    if (version < 1 || version > 3) refuse(fmt::format("is of NPY version {}, expected 1 to 3", version));
    const std::size_t width = version == 1 ? 2 : 4, start = 8 + width;
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < width && 8 + i < bytes_.size(); ++i) {
      length |= static_cast<std::uint64_t>(bytes_[8 + i]) << (8 * i);
    }
    if (start > bytes_.size() || length > bytes_.size() - start) refuse("is cut off: its header ends early");
    at_ = start + length;
    return all.substr(start, length);
  }

  // What follows "key:".
  std::string_view value(std::string_view header, std::string_view key) const {
    std::size_t place = header.find(key);
    if (place != header.npos) place = header.find(':', place + key.size());
    if (place == header.npos)
      refuse(fmt::format("has a header without {}; save it again with numpy.save", key));
    place = header.find_first_not_of(' ', place + 1);
    return place == header.npos ? std::string_view() : header.substr(place);
  }

  std::string_view quoted(std::string_view header, std::string_view key) const {
    std::string_view text = value(header, key);
    const std::size_t end = text.size() > 1 ? text.find('\'', 1) : text.npos;
    if (!text.starts_with('\'') || end == text.npos) {
      refuse("holds records or objects, expected plain numbers; save one array of numbers");
    }
    return text.substr(1, end - 1);
  }

  Shape shape_of(std::string_view header) const {
    std::string_view text = value(header, "'shape'");
    if (!text.starts_with('(') || text.find(')') == text.npos)
      refuse("has a header without a shape; save it again");
    text = text.substr(1, text.find(')') - 1);
    Shape shape;
    std::int64_t total = 1;
    while (true) {
      const std::size_t digit = text.find_first_of("0123456789");
      if (digit == text.npos) return shape;
      text.remove_prefix(digit);
      std::int64_t size = 0;
      while (!text.empty() && text[0] >= '0' && text[0] <= '9' && size <= limit_) {
        size = size * 10 + (text[0] - '0');
        text.remove_prefix(1);
      }
      if (shape.rank() == kMaxRank) refuse(fmt::format("has more than {} dimensions", kMaxRank));
      if (size > limit_ || (size > 0 && total > limit_ / size)) {
        refuse(fmt::format("is damaged: its header asks for more than {} elements", limit_));
      }
      total *= size;
      shape.push_back(size);
    }
  }

  static std::optional<DType> dtype_of(std::string_view type) {
    if (type == "<f2") return DType::f16;
    if (type == "<f4") return DType::f32;
    if (type == "<f8") return DType::f64;
    if (type == "<i4") return DType::i32;
    if (type == "<i8") return DType::i64;
    if (type == "|b1") return DType::boolean;
    return std::nullopt;
  }

  const std::string& path_;
  std::int64_t limit_;
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

Tensor read_npy(const std::string& path, std::int64_t limit) { return NpyReader(path, limit).read(); }

}  // namespace tapescope

// Little-endian numbers, variable-length numbers and texts, written to and read from bytes that may be
// damaged.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tapescope::record {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

using Bytes = std::vector<std::uint8_t>;

class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(value); }
  void u32(std::uint32_t value) { raw(&value, sizeof value); }
  void u64(std::uint64_t value) { raw(&value, sizeof value); }
  void f64(double value) { raw(&value, sizeof value); }
  // Seven bits a byte, lowest first; the top bit says that more follow.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  // Its length in bytes, then UTF-8.
  void text(std::string_view value) {
    number(value.size());
    raw(value.data(), value.size());
  }
  void raw(const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }

  const Bytes& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

 private:
  Bytes bytes_;
};

// Reads as ByteWriter writes. Past the end, or at a number that cannot be, it fails: then everything reads as
// 0.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool failed() const { return failed_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  // Marks what is read as damaged; returns false, to be passed on.
  bool fail() {
    failed_ = true;
    at_ = end_;
    return false;
  }

  std::uint8_t u8() { return fixed<std::uint8_t>(); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  double f64() { return fixed<double>(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) break;
      const std::uint8_t byte = *at_++;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  // A number of at most `limit`.
  std::uint64_t number(std::uint64_t limit) {
    const std::uint64_t value = number();
    if (value <= limit) return value;
    fail();
    return 0;
  }
  // A count of things that take at least `least` bytes each: what does not fit in what is left is damage.
  std::size_t count(std::size_t least) {
    const std::uint64_t value = number();
    if (value <= left() / least) return static_cast<std::size_t>(value);
    fail();
    return 0;
  }
  std::string_view text() {
    const std::span<const std::uint8_t> bytes = raw(count(1));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::span<const std::uint8_t> raw(std::size_t size) {
    if (size > left()) {
      fail();
      return {};
    }
    const std::uint8_t* begin = at_;
    at_ += size;
    return {begin, size};
  }

 private:
  template <class T>
  T fixed() {
    T value{};
    if (left() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool failed_ = false;
};

}  // namespace tapescope::record

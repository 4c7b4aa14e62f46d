// Values: a number, a bool or a nested list of them, as a program writes them: constant({{1, 2}, {3, 4}}).
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

namespace tapescope_inside {

// What C++ calls a number: it keeps its kind, so that 2 stays whole and 2.0 does not, and int64 all its
// digits.
class Number {
 public:
  enum class Kind : std::uint8_t { boolean, whole, real };

  constexpr Number() = default;
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  constexpr Number(T number) {
    if constexpr (std::floating_point<T>) {
      *this = real_of(static_cast<double>(number));
    } else if (std::unsigned_integral<T> && sizeof(T) == sizeof(std::int64_t) &&
               static_cast<std::uint64_t>(number) > static_cast<std::uint64_t>(kLargest)) {
      *this = real_of(static_cast<double>(number));
    } else {
      kind_ = std::same_as<T, bool> ? Kind::boolean : Kind::whole;
      whole_ = static_cast<std::int64_t>(number);
    }
  }

  constexpr Kind kind() const { return kind_; }
  constexpr bool is_real() const { return kind_ == Kind::real; }
  constexpr double real() const { return is_real() ? real_ : static_cast<double>(whole_); }
  // Of a bool or a whole number.
  constexpr std::int64_t whole() const { return whole_; }

 private:
  static constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  static constexpr Number real_of(double value) {
    Number number;
    number.kind_ = Kind::real;
    number.real_ = value;
    return number;
  }
  union {
    std::int64_t whole_ = 0;
    double real_;
  };
  Kind kind_ = Kind::whole;
};

}  // namespace tapescope_inside

// Lives as long as the call it is written in.
class Values {
 public:
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  constexpr Values(T number) : number_(number) {}
  constexpr Values(std::initializer_list<Values> items)
      : items_(std::data(items)), count_(items.size()), is_list_(true) {}

  constexpr bool is_list() const { return is_list_; }
  constexpr const tapescope_inside::Number& number() const { return number_; }
  constexpr std::span<const Values> items() const { return {items_, count_}; }

 private:
  tapescope_inside::Number number_;
  const Values* items_ = nullptr;
  std::size_t count_ = 0;
  bool is_list_ = false;
};

}  // namespace tapescope

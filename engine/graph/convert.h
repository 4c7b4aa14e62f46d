// C++ types to and from Values: what a Function's callable may take and return.
#pragma once
#include <concepts>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/public.h"
#include "engine/graph/value.h"

namespace tapescope TAPESCOPE_PUBLIC {

// The signature of a call operator: `R (C::*)(A...) const` is R(A...).
template <class Member>
struct CallSignature;
template <class C, class R, class... A>
struct CallSignature<R (C::*)(A...)> {
  using type = R(A...);
};
template <class C, class R, class... A>
struct CallSignature<R (C::*)(A...) const> {
  using type = R(A...);
};
template <class C, class R, class... A>
struct CallSignature<R (C::*)(A...) noexcept> {
  using type = R(A...);
};
template <class C, class R, class... A>
struct CallSignature<R (C::*)(A...) const noexcept> {
  using type = R(A...);
};
template <class R, class... A>
struct CallSignature<R (*)(A...)> {
  using type = R(A...);
};

template <class T>
struct ValueOf {
  static_assert(
      std::is_base_of_v<Identity, T>,
      "a function's argument is a tensor, variable, number, string, object derived from Identity or in a "
      "shared_ptr, or a vector, pair, tuple or map of those");
  static Value to(T& object) { return Value::object(object); }
  static T& from(const Value& value) { return *const_cast<T*>(static_cast<const T*>(value.address())); }
};

template <>
struct ValueOf<Value> {
  static Value to(const Value& value) { return value; }
  static const Value& from(const Value& value) { return value; }
};
template <>
struct ValueOf<Tensor> {
  static Value to(const Tensor& value) { return value; }
  static const Tensor& from(const Value& value) { return value.tensor(); }
};
// What is a tensor with more to it, such as a comparison's result.
template <std::derived_from<Tensor> T>
struct ValueOf<T> {
  static Value to(const Tensor& value) { return value; }
  static T from(const Value& value) { return T(value.tensor()); }
};
template <>
struct ValueOf<Variable> {
  static Value to(const Variable& value) { return value; }
  static const Variable& from(const Value& value) { return value.variable(); }
};
template <>
struct ValueOf<std::string> {
  static Value to(const std::string& value) { return value; }
  static const std::string& from(const Value& value) { return value.text(); }
};
template <class T>
requires std::is_arithmetic_v<T>
struct ValueOf<T> {
  static Value to(T value) { return value; }
  static T from(const Value& value) {
    return std::is_floating_point_v<T> ? static_cast<T>(value.real()) : static_cast<T>(value.integer());
  }
};
template <class T>
struct ValueOf<std::shared_ptr<T>> {
  static Value to(const std::shared_ptr<T>& value) { return Value::object(value); }
  static std::shared_ptr<T> from(const Value& value) {
    return std::static_pointer_cast<T>(std::const_pointer_cast<void>(value.owner()));
  }
};
template <class T>
struct ValueOf<std::vector<T>> {
  static Value to(const std::vector<T>& values) {
    std::vector<Value> items;
    for (const T& value : values) items.push_back(ValueOf<T>::to(value));
    return Value::list(std::move(items));
  }
  static std::vector<T> from(const Value& value) {
    std::vector<T> items;
    for (const Value& item : value.items()) items.push_back(ValueOf<T>::from(item));
    return items;
  }
};
template <class T>
struct ValueOf<std::map<std::string, T>> {
  static Value to(const std::map<std::string, T>& values) {
    std::vector<std::pair<std::string, Value>> entries;
    for (const auto& [key, value] : values) entries.emplace_back(key, ValueOf<T>::to(value));
    return Value::map(std::move(entries));
  }
  static std::map<std::string, T> from(const Value& value) {
    std::map<std::string, T> entries;
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      entries.emplace(value.keys()[i], ValueOf<T>::from(value.items()[i]));
    }
    return entries;
  }
};
template <class... T>
struct ValueOf<std::tuple<T...>> {
  static Value to(const std::tuple<T...>& values) {
    return std::apply([](const T&... each) { return Value::tuple({ValueOf<T>::to(each)...}); }, values);
  }
  static std::tuple<T...> from(const Value& value) { return take(value, std::index_sequence_for<T...>()); }

 private:
  template <std::size_t... I>
  static std::tuple<T...> take(const Value& value, std::index_sequence<I...>) {
    return {ValueOf<T>::from(value.items()[I])...};
  }
};
template <class A, class B>
struct ValueOf<std::pair<A, B>> {
  static Value to(const std::pair<A, B>& pair) {
    return Value::tuple({ValueOf<A>::to(pair.first), ValueOf<B>::to(pair.second)});
  }
  static std::pair<A, B> from(const Value& value) {
    return {ValueOf<A>::from(value.items()[0]), ValueOf<B>::from(value.items()[1])};
  }
};

template <class T, class Given>
Value to_value(Given&& given) {
  return ValueOf<std::remove_cvref_t<T>>::to(given);
}
template <class T>
decltype(auto) from_value(const Value& value) {
  return ValueOf<std::remove_cvref_t<T>>::from(value);
}

}  // namespace tapescope

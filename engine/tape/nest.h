// Targets and sources of gradients: tensors and variables, and structures of them.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/public.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

// A target or source: a tensor or a variable (which stands for its handle).
class Traced {
 public:
  Traced(const Tensor& tensor) : tensor_(tensor) {}
  Traced(const Variable& variable) : tensor_(variable.handle()), variable_(variable) {}
  const Tensor& tensor() const { return tensor_; }
  const Variable& variable() const { return variable_; }
  // The name it was given, else a readable one.
  std::string name() const;
  // The name it was given; 0 if none. Interned names are kept for good, so generated ones are not interned.
  NameId given_name() const;
  // Type of a gradient for it: a variable's is its value's.
  const Type& type() const { return variable_ ? variable_.type() : tensor_.type(); }

 private:
  Tensor tensor_;
  Variable variable_;
};

namespace tapescope_inside {

// How a type is taken apart and put together again; what is no structure is a tensor or a variable.
template <class T>
struct Nest {
  static_assert(std::is_convertible_v<const T&, Traced>,
                "targets and sources are tensors and variables, or vectors, pairs, tuples and maps of them");
  using Gradients = Tensor;
  static void flatten(const T& leaf, std::vector<Traced>& out) { out.emplace_back(leaf); }
  static Tensor pack(const T&, std::vector<Tensor>::iterator& next) { return std::move(*next++); }
};

template <class T>
struct Nest<std::vector<T>> {
  using Gradients = std::vector<typename Nest<T>::Gradients>;
  static void flatten(const std::vector<T>& items, std::vector<Traced>& out) {
    for (const T& item : items) Nest<T>::flatten(item, out);
  }
  static Gradients pack(const std::vector<T>& items, std::vector<Tensor>::iterator& next) {
    Gradients gradients;
    for (const T& item : items) gradients.push_back(Nest<T>::pack(item, next));
    return gradients;
  }
};

template <class Key, class T>
struct Nest<std::map<Key, T>> {
  using Gradients = std::map<Key, typename Nest<T>::Gradients>;
  static void flatten(const std::map<Key, T>& items, std::vector<Traced>& out) {
    for (const auto& [key, item] : items) Nest<T>::flatten(item, out);
  }
  static Gradients pack(const std::map<Key, T>& items, std::vector<Tensor>::iterator& next) {
    Gradients gradients;
    for (const auto& [key, item] : items) gradients.emplace(key, Nest<T>::pack(item, next));
    return gradients;
  }
};

template <class... T>
struct Nest<std::tuple<T...>> {
  using Gradients = std::tuple<typename Nest<T>::Gradients...>;
  static void flatten(const std::tuple<T...>& items, std::vector<Traced>& out) {
    std::apply([&](const T&... item) { (Nest<T>::flatten(item, out), ...); }, items);
  }
  static Gradients pack(const std::tuple<T...>& items, std::vector<Tensor>::iterator& next) {
    // Braces, so that the items are taken in order.
    return std::apply([&](const T&... item) { return Gradients{Nest<T>::pack(item, next)...}; }, items);
  }
};

template <class A, class B>
struct Nest<std::pair<A, B>> {
  using Gradients = std::pair<typename Nest<A>::Gradients, typename Nest<B>::Gradients>;
  static void flatten(const std::pair<A, B>& items, std::vector<Traced>& out) {
    Nest<A>::flatten(items.first, out);
    Nest<B>::flatten(items.second, out);
  }
  static Gradients pack(const std::pair<A, B>& items, std::vector<Tensor>::iterator& next) {
    return Gradients{Nest<A>::pack(items.first, next), Nest<B>::pack(items.second, next)};
  }
};

template <class T>
struct IsStructure : std::false_type {};
template <class T>
struct IsStructure<std::vector<T>> : std::true_type {};
template <class Key, class T>
struct IsStructure<std::map<Key, T>> : std::true_type {};
template <class... T>
struct IsStructure<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct IsStructure<std::pair<A, B>> : std::true_type {};

// Vectors, maps, pairs and tuples: what gradient() and watch() take apart.
template <class T>
concept Structure = IsStructure<T>::value;
template <class T>
concept StructureOrTraced = Structure<T> || std::is_convertible_v<const T&, Traced>;

}  // namespace tapescope_inside

}  // namespace tapescope

// Gradients of targets and sources of any structure: vectors, pairs, tuples and maps of tensors and
// variables, one inside of another. The answer has the structure of the sources (TensorFlow's nests; a map
// goes by its keys in order).
#pragma once
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/tape/tape.h"

namespace tapescope {

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

// GradientTape::gradient() of a structure: options.output_gradients has one for each target, in the same
// order.
template <class Targets, class Sources>
typename Nest<Sources>::Gradients gradient_of(GradientTape& tape, const Targets& targets,
                                              const Sources& sources, const GradientOptions& options = {},
                                              Location location = Location::current()) {
  std::vector<Traced> flat_targets, flat_sources;
  Nest<Targets>::flatten(targets, flat_targets);
  Nest<Sources>::flatten(sources, flat_sources);
  std::vector<Tensor> gradients =
      tape.gradient(std::span<const Traced>(flat_targets), flat_sources, options, location);
  auto next = gradients.begin();
  return Nest<Sources>::pack(sources, next);
}

}  // namespace tapescope

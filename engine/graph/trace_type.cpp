// Reading, comparing and relaxing the types of arguments.
#include "engine/graph/trace_type.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/events/records/functions.h"

namespace tapescope {
namespace {

using Kind = Value::Kind;

bool same_apart_from_shape(const TraceType& a, const TraceType& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::tensor: return a.dtype == b.dtype;
    case Kind::variable:
      return a.dtype == b.dtype && a.trainable == b.trainable && a.integer == b.integer && a.dims == b.dims;
    case Kind::integer:
    case Kind::boolean:
    case Kind::object: return a.integer == b.integer;
    // Two that are not numbers are the same argument.
    case Kind::real: return std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real);
    case Kind::text: return a.text == b.text;
    case Kind::list:
    case Kind::tuple: return a.items.size() == b.items.size();
    case Kind::map: return a.keys == b.keys;
    case Kind::none:
    case Kind::spec: return true;
  }
  return false;
}

bool shape_accepts(const TraceType& wide, const TraceType& narrow) {
  if (!wide.ranked) return true;
  if (!narrow.ranked || wide.dims.size() != narrow.dims.size()) return false;
  for (std::size_t i = 0; i < wide.dims.size(); ++i) {
    if (wide.dims[i] != TensorSpec::kAny && wide.dims[i] != narrow.dims[i]) return false;
  }
  return true;
}

std::size_t index_among(std::vector<TensorId>& variables, TensorId id) {
  const auto known = std::find(variables.begin(), variables.end(), id);
  const auto index = static_cast<std::size_t>(known - variables.begin());
  if (known == variables.end()) variables.push_back(id);
  return index;
}

}  // namespace

bool TraceType::operator==(const TraceType& other) const {
  return same_apart_from_shape(*this, other) && ranked == other.ranked && dims == other.dims &&
         items == other.items;
}

bool TraceType::accepts(const TraceType& other) const {
  if (!same_apart_from_shape(*this, other)) return false;
  if (kind == Kind::tensor) return shape_accepts(*this, other);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].accepts(other.items[i])) return false;
  }
  return true;
}

std::optional<TraceType> TraceType::relaxed_with(const TraceType& other) const {
  if (!same_apart_from_shape(*this, other)) return std::nullopt;
  TraceType both = *this;
  if (kind == Kind::tensor) {
    both.ranked = ranked && other.ranked && dims.size() == other.dims.size();
    if (!both.ranked) both.dims.clear();
    for (std::size_t i = 0; i < both.dims.size(); ++i) {
      if (dims[i] != other.dims[i]) both.dims[i] = TensorSpec::kAny;
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto item = items[i].relaxed_with(other.items[i]);
    if (!item) return std::nullopt;
    both.items[i] = std::move(*item);
  }
  return both;
}

bool TraceType::is_concrete() const {
  if (kind == Kind::tensor)
    return ranked && std::find(dims.begin(), dims.end(), TensorSpec::kAny) == dims.end();
  return std::all_of(items.begin(), items.end(), [](const TraceType& item) { return item.is_concrete(); });
}

std::string TraceType::words() const {
  switch (kind) {
    case Kind::none: return "None";
    case Kind::tensor:
    case Kind::spec: {
      if (!ranked) return "[any rank]";
      std::vector<std::string> sizes;
      for (const std::int64_t dim : dims)
        sizes.push_back(dim == TensorSpec::kAny ? "None" : fmt::format("{}", dim));
      return fmt::format("[{}]", fmt::join(sizes, ", "));
    }
    case Kind::variable: {
      return fmt::format("{}[{}]{}", name_of(dtype), fmt::join(dims, ", "),
                         trainable ? "" : " not trainable");
    }
    case Kind::integer: return fmt::format("{}", integer);
    case Kind::boolean: return integer ? "true" : "false";
    case Kind::real: {
      std::string number = fmt::format("{}", real);
      if (number.find_first_not_of("-0123456789") == std::string::npos) number += ".0";
      return number;
    }
    case Kind::text: return "'" + text + "'";
    case Kind::object: return text;
    case Kind::list: return fmt::format("list of {}", items.size());
    case Kind::tuple: return fmt::format("tuple of {}", items.size());
    case Kind::map: return fmt::format("keys {}", fmt::join(keys, ", "));
  }
  return {};
}

ArgumentKind TraceType::record_kind() const {
  switch (kind) {
    case Kind::none: return ArgumentKind::none;
    case Kind::tensor:
    case Kind::spec: return ArgumentKind::tensor;
    case Kind::variable: return ArgumentKind::variable;
    case Kind::integer:
    case Kind::real:
    case Kind::boolean: return ArgumentKind::number;
    case Kind::text: return ArgumentKind::text;
    case Kind::object: return ArgumentKind::object;
    case Kind::list:
    case Kind::tuple: return ArgumentKind::list;
    case Kind::map: return ArgumentKind::map;
  }
  return ArgumentKind::none;
}

std::uint32_t TraceType::record_type() const {
  if (kind != Kind::tensor && kind != Kind::variable) return kNoArgumentType;
  Shape shape;
  for (const std::int64_t dim : dims) shape.push_back(dim == TensorSpec::kAny ? 1 : dim);
  return intern_type(dtype, shape)->id;
}

TraceType TypeReader::of_spec(const TensorSpec& spec) {
  TraceType type;
  type.kind = Kind::tensor;
  type.dtype = spec.dtype;
  type.ranked = spec.ranked;
  type.dims = spec.dims;
  return type;
}

TraceType TypeReader::type_of(const Value& value) {
  TraceType type;
  type.kind = value.kind();
  switch (value.kind()) {
    case Kind::none: break;
    case Kind::tensor:
      type.dtype = value.tensor().dtype();
      type.dims.assign(value.tensor().shape().dims().begin(), value.tensor().shape().dims().end());
      break;
    case Kind::spec: return of_spec(value.spec());
    case Kind::variable:
      type.dtype = value.variable().dtype();
      type.dims.assign(value.variable().shape().dims().begin(), value.variable().shape().dims().end());
      type.trainable = value.variable().trainable();
      type.integer = static_cast<std::int64_t>(index_among(variables_, value.variable().id()));
      break;
    case Kind::integer:
    case Kind::boolean: type.integer = value.integer(); break;
    case Kind::real: type.real = value.real(); break;
    case Kind::text: type.text = value.text(); break;
    case Kind::object: {
      type.integer = value.integer();
      type.owner = value.owner();
      const auto known = std::find_if(objects_.begin(), objects_.end(),
                                      [&](const auto& o) { return o.first == value.identity(); });
      if (known == objects_.end()) {
        const std::string stem = value.class_name() + "#";
        const auto same = std::count_if(objects_.begin(), objects_.end(),
                                        [&](const auto& o) { return o.second.starts_with(stem); });
        type.text = fmt::format("{}{}", stem, same + 1);
        objects_.emplace_back(value.identity(), type.text);
      } else {
        type.text = known->second;
      }
      break;
    }
    case Kind::list:
    case Kind::tuple:
    case Kind::map:
      type.keys = value.keys();
      for (const Value& item : value.items()) type.items.push_back(type_of(item));
      break;
  }
  return type;
}

void append_key(const Value& value, std::vector<TensorId>& variables, std::vector<std::uint64_t>& key) {
  const auto kind = static_cast<std::uint64_t>(value.kind());
  const auto text = [&](const std::string& chars) {
    key.push_back(chars.size());
    for (std::size_t i = 0; i < chars.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, chars.data() + i, std::min<std::size_t>(8, chars.size() - i));
      key.push_back(word);
    }
  };
  switch (value.kind()) {
    case Kind::none: key.push_back(kind); break;
    case Kind::tensor: key.push_back(kind | std::uint64_t{value.tensor().type().id} << 8); break;
    case Kind::variable:
      key.push_back(kind | std::uint64_t{value.variable().type().id} << 8 |
                    std::uint64_t{value.variable().trainable()} << 63);
      key.push_back(index_among(variables, value.variable().id()));
      break;
    case Kind::integer:
    case Kind::boolean:
    case Kind::object:
      key.push_back(kind);
      key.push_back(static_cast<std::uint64_t>(value.integer()));
      break;
    case Kind::real:
      key.push_back(kind);
      key.push_back(std::bit_cast<std::uint64_t>(value.real()));
      break;
    case Kind::text:
      key.push_back(kind);
      text(value.text());
      break;
    case Kind::spec:
      if (TypeReader::of_spec(value.spec()).is_concrete()) {
        // As a tensor of that type, which finds the trace that was made for the spec.
        const Type* type = intern_type(value.spec().dtype, Shape(std::span(value.spec().dims)));
        key.push_back(static_cast<std::uint64_t>(Kind::tensor) | std::uint64_t{type->id} << 8);
        break;
      }
      key.push_back(kind | static_cast<std::uint64_t>(value.spec().dtype) << 8 |
                    std::uint64_t{value.spec().ranked} << 16);
      key.push_back(value.spec().dims.size());
      for (const std::int64_t dim : value.spec().dims) key.push_back(static_cast<std::uint64_t>(dim));
      break;
    case Kind::list:
    case Kind::tuple:
    case Kind::map:
      key.push_back(kind | value.items().size() << 8);
      for (const std::string& name : value.keys()) text(name);
      for (const Value& item : value.items()) append_key(item, variables, key);
      break;
  }
}

}  // namespace tapescope

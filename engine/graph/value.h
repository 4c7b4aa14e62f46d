// Arguments and results of functions: tensors, variables, numbers, strings, objects, and lists, tuples and
// maps of them.
#pragma once
#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "engine/core/public.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Numbers its objects, so that a function can distinguish them: derive from it. A copy is another
// object.
class Identity {
 public:
  Identity() : number_(next()) {}
  Identity(const Identity&) : number_(next()) {}
  Identity& operator=(const Identity&) { return *this; }
  std::uint64_t identity() const { return number_; }

 private:
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  std::uint64_t number_;
};

// A tensor that is only described: sizes, -1 where any will do.
struct TensorSpec {
  static constexpr std::int64_t kAny = -1;
  std::vector<std::int64_t> dims{};
  DType dtype = DType::f32;
  std::string name{};
  bool ranked = true;  // false: of any rank
};

class Value {
 public:
  enum class Kind : std::uint8_t {
    none,
    tensor,
    variable,
    integer,
    real,
    boolean,
    text,
    object,
    list,
    tuple,
    map,
    spec
  };

  Value() = default;  // None
  Value(Tensor tensor) : kind_(tensor ? Kind::tensor : Kind::none), tensor_(std::move(tensor)) {}
  Value(Variable variable) : kind_(Kind::variable), variable_(std::move(variable)) {}
  Value(bool value) : kind_(Kind::boolean), integer_(value) {}
  template <std::integral T>
  Value(T value) : kind_(Kind::integer), integer_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  Value(T value) : kind_(Kind::real), real_(static_cast<double>(value)) {}
  Value(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
  Value(std::string_view text) : Value(std::string(text)) {}
  Value(const char* text) : Value(std::string(text)) {}
  Value(TensorSpec spec) : kind_(Kind::spec), spec_(std::make_shared<TensorSpec>(std::move(spec))) {}

  static Value list(std::vector<Value> items) { return Value(Kind::list, std::move(items)); }
  static Value tuple(std::vector<Value> items) { return Value(Kind::tuple, std::move(items)); }
  // Sorted by key, as a map is; the order given does not matter.
  static Value map(std::vector<std::pair<std::string, Value>> entries);
  // An object by identity; it must outlive the call.
  template <std::derived_from<Identity> T>
  static Value object(T& object) {
    return Value(&object, object.identity(), typeid(object).name(), nullptr);
  }
  // An object by identity, kept as long as a trace knows it.
  template <class T>
  static Value object(const std::shared_ptr<T>& object) {
    return Value(object.get(), reinterpret_cast<std::uint64_t>(object.get()), typeid(T).name(), object);
  }

  // Where a tensor will be.
  static Value placeholder() {
    Value value;
    value.kind_ = Kind::tensor;
    return value;
  }

  Kind kind() const { return kind_; }
  const Tensor& tensor() const { return tensor_; }
  const Variable& variable() const { return variable_; }
  std::int64_t integer() const { return integer_; }
  double real() const { return kind_ == Kind::real ? real_ : static_cast<double>(integer_); }
  const std::string& text() const { return text_; }
  const TensorSpec& spec() const { return *spec_; }
  const void* address() const { return object_; }
  std::uint64_t identity() const { return static_cast<std::uint64_t>(integer_); }
  // The class of an object, "Config".
  std::string class_name() const;
  const std::shared_ptr<const void>& owner() const { return owner_; }
  const std::vector<Value>& items() const { return items_; }
  std::vector<Value>& items() { return items_; }
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  Value(Kind kind, std::vector<Value> items) : kind_(kind), items_(std::move(items)) {}
  Value(const void* object, std::uint64_t identity, const char* type, std::shared_ptr<const void> owner)
      : kind_(Kind::object),
        integer_(static_cast<std::int64_t>(identity)),
        object_(object),
        type_(type),
        owner_(std::move(owner)) {}

  Kind kind_ = Kind::none;
  Tensor tensor_;
  Variable variable_;
  std::int64_t integer_ = 0;
  double real_ = 0;
  std::string text_;
  std::shared_ptr<const TensorSpec> spec_;
  const void* object_ = nullptr;
  const char* type_ = nullptr;
  std::shared_ptr<const void> owner_;
  std::vector<Value> items_;
  std::vector<std::string> keys_;
};

}  // namespace tapescope

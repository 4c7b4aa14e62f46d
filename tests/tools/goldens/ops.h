// The ops of the goldens by the names the files use, and their attributes.
#pragma once
#include <optional>

#include "engine/ops/ops.h"
#include "tests/tools/goldens/driver.h"

namespace tapescope::goldens {

// The attributes of a case, as our functions take them. Each throws when one is missing or of another form.
class Attributes {
 public:
  explicit Attributes(const Json& test)
      : attrs_(test.value("attrs", Json::object())), dtype_(test.value("dtype", "float64")) {}

  bool has(const char* key) const { return attrs_.contains(key) && !attrs_[key].is_null(); }
  int integer(const char* key) const { return attrs_.at(key).get<int>(); }
  int integer(const char* key, int otherwise) const { return has(key) ? integer(key) : otherwise; }
  double number(const char* key) const { return attrs_.at(key).get<double>(); }
  double number(const char* key, double otherwise) const { return has(key) ? number(key) : otherwise; }
  bool flag(const char* key) const { return has(key) && attrs_.at(key).get<bool>(); }
  std::string text(const char* key, std::string_view otherwise = "") const {
    return has(key) ? attrs_.at(key).get<std::string>() : std::string(otherwise);
  }
  // null: all of them; a number: one; a list: those.
  Axes axes(const char* key) const;
  std::vector<std::int64_t> list(const char* key) const {
    return attrs_.at(key).get<std::vector<std::int64_t>>();
  }
  std::vector<bool> flags(const char* key) const { return attrs_.at(key).get<std::vector<bool>>(); }
  bool is_list(const char* key) const { return has(key) && attrs_[key].is_array(); }
  Ints ints(const char* key) const { return Ints(list(key)); }
  Shape shape(const char* key) const { return Shape(list(key)); }
  // One number for height and width, or [height, width], or [1, height, width, 1].
  HeightWidth pair(const char* key, int otherwise) const;
  ConvPadding padding() const;
  std::vector<Padding> margins() const;
  // The dtype of the case.
  DType dtype() const { return dtype_named(dtype_); }

 private:
  Json attrs_;
  std::string dtype_;
};

using Tensorspan = std::span<const Tensor>;
using Run = Tensors (*)(Tensorspan inputs, const Attributes& attrs);
struct NamedRun {
  std::string_view name;
  Run run;
};

// The families.
std::span<const NamedRun> elementwise_runs();
std::span<const NamedRun> array_runs();
std::span<const NamedRun> network_runs();
std::span<const NamedRun> loss_runs();
std::span<const NamedRun> program_runs();  // by the id of the program

// What the case computes, with its attributes bound; nothing when the op is not known.
std::optional<Function> function_of(const Json& test);

}  // namespace tapescope::goldens

// Tensor values as text, nested as NumPy writes them.
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "engine/core/slices.h"
#include "engine/core/tensor.h"

namespace tapescope {
namespace {

// The shortest text that reads back as the same value of the tensor's own type.
std::string element_text(const Tensor& tensor, std::int64_t i) {
  const double value = element_value(tensor, i);
  switch (tensor.dtype()) {
    case DType::boolean: return value != 0 ? "true" : "false";
    case DType::i64: return fmt::format("{}", tensor.data<std::int64_t>()[i]);
    case DType::i32: return fmt::format("{}", tensor.data<std::int32_t>()[i]);
    case DType::f64: return std::isnan(value) ? "nan" : fmt::format("{}", value);
    case DType::f16:
      return std::isnan(value) ? "nan" : fmt::format("{:.5g}", value);  // 5 digits distinguish any two halves
    case DType::bf16: return std::isnan(value) ? "nan" : fmt::format("{:.4g}", value);
    default: return std::isnan(value) ? "nan" : fmt::format("{}", static_cast<float>(value));
  }
}

struct Writer {
  const Tensor& tensor;
  std::int64_t limit;
  std::int64_t next = 0;
  std::string text;

  // Returns false once the limit is reached: what is open is closed, nothing more is begun.
  bool write(int axis) {
    if (axis == tensor.rank()) {
      text += element_text(tensor, next++);
      return true;
    }
    text += '[';
    bool complete = true;
    for (std::int64_t i = 0; i < tensor.dim(axis) && complete; ++i) {
      if (i > 0) text += ", ";
      if (next == limit && tensor.numel() > limit) {
        text += "…";
        complete = false;
      } else {
        complete = write(axis + 1);
      }
    }
    text += ']';
    return complete;
  }
};

}  // namespace

std::string values_text(const Tensor& tensor, std::int64_t limit) {
  if (!tensor) return "None";
  if (tensor.dtype() == DType::resource) return "<resource>";
  Writer writer{tensor, limit, 0, {}};
  writer.write(0);
  return writer.text;
}

std::ostream& operator<<(std::ostream& to, const Tensor& tensor) {
  if (!tensor) return to << "None";
  const bool kept = tensor.raw() || slices_of(tensor.impl());  // a symbol has no values
  return to << (kept ? values_text(tensor) + " " : std::string("symbolic ")) << tensor.type().text();
}

}  // namespace tapescope

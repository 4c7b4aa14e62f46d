// Steps and metrics as a structured NumPy array (format version 1.0 of numpy.lib.format); tensors as arrays
// and as text.
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include <fmt/format.h>

#include "viewer/export/files.h"

namespace tapescope {
namespace {

void put(std::string& out, const void* value, std::size_t size) {
  out.append(static_cast<const char*>(value), size);
}

// A field's name inside Python's quotes, another than those that were `taken`.
std::string field_name(std::string_view name, std::set<std::string>& taken) {
  std::string quoted;
  for (const char c : name) {
    if (c == '\'' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) >= ' ') quoted += c;
  }
  while (!taken.insert(quoted).second) quoted += '_';
  return quoted;
}

// All before the data: magic, version, length, and the header as Python writes it.
std::string beginning(const std::string& descr, const std::string& shape) {
  static_assert(std::endian::native == std::endian::little, "'<' says so");
  std::string header = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  // Magic, version and length are ten bytes; the data begins at a multiple of 64.
  constexpr std::size_t kBefore = 10, kAlign = 64;
  header.append(kAlign - (kBefore + header.size() + 1) % kAlign, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  const auto length = static_cast<std::uint16_t>(header.size());
  if (length != header.size()) {
    throw Error(ErrorKind::surroundings,
                "the program reported more metrics than an .npy header has room for; export sqlite instead");
  }
  put(out, &length, sizeof length);
  return out + header;
}

const char* descr_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return "'<f8'";
    case DType::f16: return "'<f2'";
    case DType::i32: return "'<i4'";
    case DType::i64: return "'<i8'";
    case DType::boolean: return "'|b1'";
    default: return "'<f4'";
  }
}

}  // namespace

std::string steps_npy(const Snapshot& snapshot) {
  std::string fields = "[('step', '<u8')";
  std::set<std::string> taken{"step"};
  for (const char* name : {"step_us", "forward_us", "backward_us", "update_us"})
    fields += fmt::format(", ('{}', '<f8')", field_name(name, taken));
  for (const MetricSeries& metric : snapshot.metrics)
    fields += fmt::format(", ('{}', '<f8')", field_name(metric.name, taken));
  std::string out = beginning(fields + "]", fmt::format("{},", snapshot.steps.size()));
  std::vector<std::size_t> at(snapshot.metrics.size());
  for (std::size_t i = 0; i < snapshot.steps.size(); ++i) {
    const StepSummary& step = snapshot.steps[i];
    put(out, &step.step, sizeof step.step);
    for (const double value : {step.step_us, step.forward_us, step.backward_us, step.update_us})
      put(out, &value, sizeof value);
    for (std::size_t m = 0; m < at.size(); ++m) {
      const auto& points = snapshot.metrics[m].points;
      while (at[m] < points.size() && points[at[m]].step < step.step) ++at[m];
      const double value =
          at[m] < points.size() && points[at[m]].step == step.step ? points[at[m]].value : NAN;
      put(out, &value, sizeof value);
    }
  }
  return out;
}

std::string tensor_npy(const Tensor& tensor) {
  std::string shape;
  for (int axis = 0; axis < tensor.rank(); ++axis)
    shape += fmt::format("{}{}", tensor.dim(axis), axis == 0 || axis + 1 < tensor.rank() ? "," : "");
  std::string out = beginning(descr_of(tensor.dtype()), shape);
  if (tensor.dtype() != DType::bf16) {
    put(out, tensor.raw(), static_cast<std::size_t>(tensor.bytes()));
    return out;
  }
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const auto value = static_cast<float>(element_value(tensor, i));
    put(out, &value, sizeof value);
  }
  return out;
}

std::string tensor_csv(const Tensor& tensor) {
  const std::int64_t columns = tensor.rank() > 0 ? tensor.dim(-1) : 1,
                     rows = columns > 0 ? tensor.numel() / columns : 0;
  const bool indexed = tensor.rank() > 2;
  std::string out;
  if (indexed) {
    for (int axis = 0; axis + 1 < tensor.rank(); ++axis) out += fmt::format("axis{},", axis);
    for (std::int64_t k = 0; k < columns; ++k) out += fmt::format("{}{}", k, k + 1 < columns ? "," : "\n");
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    if (indexed) {
      std::int64_t stride = rows, left = row;
      for (int axis = 0; axis + 1 < tensor.rank(); ++axis) {
        stride /= tensor.dim(axis);
        out += fmt::format("{},", left / stride);
        left %= stride;
      }
    }
    for (std::int64_t k = 0; k < columns; ++k)
      out += fmt::format("{:.9g}{}", element_value(tensor, row * columns + k), k + 1 < columns ? "," : "\n");
  }
  return out;
}

}  // namespace tapescope

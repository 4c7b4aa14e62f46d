// Reading tensors as the files write them; what counts as equal.
#include "tests/tools/goldens/case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "engine/ops/slices.h"

namespace tapescope::goldens {
namespace {

struct Tolerance {
  double absolute, relative;
};

// README.md beside the cases.
Tolerance tolerance(DType type, bool series) {
  switch (type) {
    case DType::f64: return {1e-12, series ? 1e-8 : 1e-10};
    case DType::f32: return {1e-5, 1e-5};
    case DType::f16: return {1e-3, 2e-3};
    case DType::bf16: return {8e-3, 1.6e-2};
    default: return {0, 0};
  }
}

double smallest_normal(DType type) {
  if (type == DType::f64) return std::numeric_limits<double>::min();
  return type == DType::f16 ? 0x1p-14 : 0x1p-126;
}

double read_number(const Json& number) {
  if (number.is_boolean()) return number.get<bool>() ? 1 : 0;
  if (!number.is_string()) return number.get<double>();
  const std::string text = number.get<std::string>();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  fail(ErrorKind::value, "goldens", fmt::format("'{}' is no number", text));
}

}  // namespace

Tensor read_tensor(const Json& written) {
  Shape shape;
  for (const Json& size : written.at("shape")) shape.push_back(size.get<std::int64_t>());
  std::vector<double> values;
  for (const Json& number : written.at("data")) values.push_back(read_number(number));
  return make_tensor(values, shape, dtype_named(written.at("dtype").get<std::string>()));
}

Tensors read_tensors(const Json& list) {
  Tensors tensors;
  for (const Json& written : list) tensors.push_back(read_tensor(written));
  return tensors;
}

namespace {

// IndexedSlices as the files write them, with all their rows.
Tensor all_rows(const Json& rows, const Type& dense) {
  return to_dense(
      indexed_slices(read_tensor(rows.at("values")), read_tensor(rows.at("indices")), dense.shape));
}

}  // namespace

Comparison::Comparison(std::string_view op, bool keeps_rows) : keeps_rows_(keeps_rows) {
  constexpr std::array<std::string_view, 6> kSeries{"lgamma",         "digamma",      "erf",
                                                    "matrix_inverse", "matrix_solve", "cholesky"};
  series_ = std::find(kSeries.begin(), kSeries.end(), op) != kSeries.end();
}

bool Comparison::close(double expected, double got, DType type) const {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got) || !is_floating(type)) return expected == got;
  // Which values vanish is no matter of tolerance; what is left over when large values cancel is.
  const double larger = std::max(std::fabs(expected), std::fabs(got));
  if ((expected == 0) != (got == 0) && larger < smallest_normal(type)) return false;
  const Tolerance allowed = tolerance(type, series_);
  return std::fabs(expected - got) <= allowed.absolute + allowed.relative * std::fabs(expected);
}

void Comparison::values(const std::string& field, const Tensor& expected, const Tensor& got) {
  if (&expected.type() != &got.type()) {
    return differs(field, fmt::format("expected {}, got {}", expected.type().text(), got.type().text()));
  }
  std::int64_t first = -1, count = 0;
  for (std::int64_t i = 0; i < expected.numel(); ++i) {
    if (close(element(expected, i), element(got, i), expected.dtype())) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return;
  differs(field, fmt::format("index {}, expected {:.17g}, got {:.17g}{}", first, element(expected, first),
                             element(got, first), count > 1 ? fmt::format(", and {} more", count - 1) : ""));
}

void Comparison::tensor(const std::string& field, const Json& expected, const Tensor& got) {
  if (expected.is_null()) {
    if (got) differs(field, fmt::format("expected None, got {}", got.type().text()));
    return;
  }
  const bool sparse = expected.contains("indexed_slices");
  if (!got)
    return differs(field, fmt::format("expected {}, got None",
                                      sparse ? "IndexedSlices" : read_tensor(expected).type().text()));
  if (sparse && !keeps_rows_)
    return values(field, all_rows(expected["indexed_slices"], got.type()), to_dense(got));
  if (sparse != is_indexed_slices(got)) {
    return differs(field, sparse ? "expected IndexedSlices, got a dense tensor"
                                 : "expected a dense tensor, got IndexedSlices");
  }
  if (!sparse) return values(field, read_tensor(expected), got);
  const Json& rows = expected["indexed_slices"];
  const IndexedSlices slices(got);
  values(field + ".values", read_tensor(rows.at("values")), slices.values());
  values(field + ".indices", read_tensor(rows.at("indices")), slices.indices());
  if (rows.at("dense_shape").is_null()) return;
  const auto sizes = rows["dense_shape"].at("data").get<std::vector<std::int64_t>>();
  if (Shape(sizes) != slices.dense_shape()) {
    differs(field + ".dense_shape",
            fmt::format("expected {}, got {}", Shape(sizes).text(), slices.dense_shape().text()));
  }
}

void Comparison::tensors(const std::string& field, const Json& expected, std::span<const Tensor> got) {
  if (expected.size() != got.size()) {
    return differs(field, fmt::format("expected {} tensors, got {}", expected.size(), got.size()));
  }
  for (std::size_t i = 0; i < got.size(); ++i) tensor(fmt::format("{}[{}]", field, i), expected[i], got[i]);
}

void Comparison::bits(const std::string& field, std::span<const Tensor> expected,
                      std::span<const Tensor> got) {
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
    if (!expected[i] || !got[i] || &expected[i].type() != &got[i].type())
      continue;  // reported by the comparison with the values
    const std::int64_t each = expected[i].numel() ? expected[i].bytes() / expected[i].numel() : 0;
    for (std::int64_t e = 0; e < expected[i].numel(); ++e) {
      const auto at = [&](const Tensor& t) { return static_cast<const char*>(t.raw()) + e * each; };
      if (std::memcmp(at(expected[i]), at(got[i]), static_cast<std::size_t>(each)) == 0) continue;
      if (std::isnan(element(expected[i], e)) && std::isnan(element(got[i], e))) continue;
      differs(fmt::format("{}[{}]", field, i),
              fmt::format("element {} is {:.17g}, eager execution gives {:.17g}", e, element(got[i], e),
                          element(expected[i], e)));
      break;
    }
  }
}

}  // namespace tapescope::goldens

// Steps and metrics as a structured NumPy array (format version 1.0 of numpy.lib.format).
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "viewer/app/export_files.h"

namespace tapescope {
namespace {

void put(std::string& out, const void* value, std::size_t size) { out.append(static_cast<const char*>(value), size); }

// A field's name inside Python's quotes.
std::string field_name(std::string_view name) {
  std::string quoted;
  for (const char c : name) {
    if (c == '\'' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) >= ' ') quoted += c;
  }
  return quoted;
}

}  // namespace

std::string steps_npy(const Snapshot& snapshot) {
  static_assert(std::endian::native == std::endian::little, "'<' says so");
  std::string fields = "[('step', '<u8')";
  for (const char* name : {"step_us", "forward_us", "backward_us", "update_us"}) fields += fmt::format(", ('{}', '<f8')", name);
  for (const MetricSeries& metric : snapshot.metrics) fields += fmt::format(", ('{}', '<f8')", field_name(metric.name));
  std::string header = fmt::format("{{'descr': {}], 'fortran_order': False, 'shape': ({},), }}", fields, snapshot.steps.size());
  // Magic, version and length are ten bytes; the data begins at a multiple of 64.
  constexpr std::size_t kBefore = 10, kAlign = 64;
  header.append(kAlign - (kBefore + header.size() + 1) % kAlign, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  const auto length = static_cast<std::uint16_t>(header.size());
  if (length != header.size()) {
    throw Error(ErrorKind::surroundings, "the program told more metrics than an .npy header has room for; export sqlite instead");
  }
  put(out, &length, sizeof length);
  out += header;
  std::vector<std::size_t> at(snapshot.metrics.size());
  for (std::size_t i = 0; i < snapshot.steps.size(); ++i) {
    const StepSummary& step = snapshot.steps[i];
    put(out, &step.step, sizeof step.step);
    for (const double value : {step.step_us, step.forward_us, step.backward_us, step.update_us}) put(out, &value, sizeof value);
    for (std::size_t m = 0; m < at.size(); ++m) {
      const auto& points = snapshot.metrics[m].points;
      while (at[m] < points.size() && points[at[m]].step < step.step) ++at[m];
      const double value = at[m] < points.size() && points[at[m]].step == step.step ? points[at[m]].value : NAN;
      put(out, &value, sizeof value);
    }
  }
  return out;
}

}  // namespace tapescope

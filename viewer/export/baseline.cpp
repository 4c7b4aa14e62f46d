// Reads what a document holds, whatever else is in it.
#include "viewer/export/baseline.h"

#include <fmt/format.h>

#include "viewer/export/report_json.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

// Null where there is none: `[]` and value() throw for what is no object.
const Json* part(const Json& of, const char* name) {
  const auto found = of.is_object() ? of.find(name) : of.end();
  return found == of.end() ? nullptr : &*found;
}
double number(const Json& of, const char* name) {
  const Json* const value = part(of, name);
  return value && value->is_number() ? value->get<double>() : 0;
}
std::optional<std::int64_t> count(const Json& of, const char* name) {
  const Json* const value = part(of, name);
  return value && value->is_number_integer() ? std::optional(value->get<std::int64_t>()) : std::nullopt;
}

}  // namespace

std::optional<Baseline> read_baseline(const std::string& json) {
  const Json document = Json::parse(json, nullptr, false);
  const Json *const time = part(document, "time"), *const sample = part(document, "sample");
  if (!time || !sample || !sample->is_string()) return std::nullopt;
  Baseline then;
  then.sample = sample->get<std::string>();
  if (const Json* const variant = part(document, "variant"); variant && variant->is_string())
    then.variant = variant->get<std::string>();
  if (const Json* const step = part(*time, "step")) {
    then.median = number(*step, "median");
    then.p90 = number(*step, "p90");
  }
  if (const Json* const tape = part(document, "tape")) {
    then.recorded = count(*tape, "recorded");
    then.backward_ops = count(*tape, "backward_ops");
    then.saved_bytes = count(*tape, "saved_bytes");
  }
  return then;
}

std::vector<std::string> regressions(const RunReport& report, const Baseline& then) {
  std::vector<std::string> found;
  // A quarter slower, and slower than nine in ten steps of then: less is noise on a shared machine.
  constexpr double kSlower = 1.25;
  if (then.median > 0 && report.step.median > kSlower * then.median && report.step.median > then.p90) {
    found.push_back(fmt::format("a step takes {}, the baseline {}", format_us(report.step.median),
                                format_us(then.median)));
  }
  const auto grew = [&](std::int64_t now, const std::optional<std::int64_t>& before, std::string_view what) {
    if (before && now > *before) found.push_back(fmt::format("{} went from {} to {}", what, *before, now));
  };
  grew(report.tape.recorded, then.recorded, "ops recorded");
  grew(report.tape.backward_ops, then.backward_ops, "ops backward");
  grew(report.tape.saved_bytes, then.saved_bytes, "bytes saved for backward");
  return found;
}

}  // namespace tapescope

// What a step reports.
#include <algorithm>

#include "engine/core/slices.h"
#include "engine/program.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

// Reports show all rows of a gradient that is kept as some; no op of the program makes them.
Tensor shown(const Tensor& value) {
  return slices_of(value.impl()) ? make_tensor(element_values(value), value.shape(), value.dtype()) : value;
}

}  // namespace

void StepContext::loss(const Tensor& value) {
  if (!value) fail(ErrorKind::value, "loss", "the loss is None; give the tensor that the step computed");
  loss_value = element_value(value, 0);
  note_scalar("loss", *loss_value, step);
}

void StepContext::metric(std::string_view name, double value) {
  metrics.insert_or_assign(std::string(name), value);
  note_scalar(name, value, step);
}

void StepContext::output(std::string_view name, const Tensor& value) {
  const auto same =
      std::find_if(outputs.begin(), outputs.end(), [&](const SampleOutput& o) { return o.name == name; });
  if (same != outputs.end()) same->value = shown(value);
  else outputs.push_back({std::string(name), shown(value)});
}

void StepContext::error(const Error& error, Location location) {
  errors.push_back({location_text(location), error.what()});
  note_message(error.what(), 2, location);
}

// Written over in place: a runner that keeps the context allocates nothing here.
void StepContext::report_gradients(std::span<const Traced> sources, std::span<const Tensor> values) {
  gradients.resize(std::min(sources.size(), values.size()));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Variable& variable = sources[i].variable();
    if (variable) gradients[i].name.assign(variable.name());
    else gradients[i].name = sources[i].name();
    gradients[i].value = shown(values[i]);
    gradients[i].source = sources[i].tensor().id();
  }
}

}  // namespace tapescope

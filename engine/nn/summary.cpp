// The text of a model's summary.
#include "engine/nn/summary.h"

#include <span>

#include <fmt/format.h>

namespace tapescope {
namespace {

std::string batch_shape(const Shape& shape) {
  std::string text = "(None";
  for (int i = 1; i < shape.rank(); ++i) text += fmt::format(", {}", shape[i]);
  return text + ")";
}

// 101770 as "101,770".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t i = std::ssize(digits) - 3; i > 0; i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

std::string bytes_text(std::span<const Variable> variables) {
  double bytes = 0;
  for (const Variable& variable : variables) bytes += static_cast<double>(variable.type().bytes);
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.2f} KiB", bytes / 1024);
  return fmt::format("{:.2f} MiB", bytes / (1024 * 1024));
}

std::string total(std::string_view what, const std::vector<Variable>& variables) {
  return fmt::format("{} params: {} ({})\n", what, grouped(parameter_count(variables)),
                     bytes_text(variables));
}

// "batch_normalization_1 (BatchNormalization)" fits into the first column.
std::string line(std::string_view layer, std::string_view shape, std::string_view parameters) {
  return fmt::format("{:<42}  {:<20}  {:>10}\n", layer, shape, parameters);
}

// Models are made without a name.
std::string name_of(const Layer& layer) {
  return layer.name().empty() ? "sequential" : std::string(layer.name());
}

}  // namespace

std::int64_t parameter_count(std::span<const Variable> variables) {
  std::int64_t count = 0;
  for (const Variable& variable : variables) count += variable.type().numel;
  return count;
}

std::string summary(Layer& model, const Shape& input) {
  model.build(input);
  std::string text = fmt::format("Model: \"{}\"\n", name_of(model));
  text += line("Layer (type)", "Output Shape", "Param #");
  const std::string rule(76, '-');
  text += rule + "\n";
  std::vector<Layer*> layers = model.sublayers();
  const bool chain = model.kind() == "Sequential";
  if (layers.empty()) layers.push_back(&model);
  Shape shape = input;
  for (Layer* layer : layers) {
    // Only a chain says what each of its layers is given.
    if (chain || layer == &model) shape = layer->output_shape(shape);
    const bool known = chain || layer == &model;
    text += line(fmt::format("{} ({})", name_of(*layer), layer->kind()), known ? batch_shape(shape) : "?",
                 grouped(parameter_count(layer->variables())));
  }
  const std::vector<Variable> all = model.variables(), trained = model.trainable_variables();
  std::vector<Variable> frozen;
  for (const Variable& variable : all) {
    if (!variable.trainable()) frozen.push_back(variable);
  }
  return text + rule + "\n" + total("Total", all) + total("Trainable", trained) +
         total("Non-trainable", frozen);
}

}  // namespace tapescope

// Cells run along the time of a sequence.
#include <algorithm>

#include <fmt/format.h>

#include "engine/nn/recurrent.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

// The cell computes as its layer does and is called after its own kind.
RecurrentOptions for_cell(RecurrentOptions options) {
  options.name.clear();
  return options;
}

std::string lower_name(std::string_view kind) {
  if (kind == "SimpleRNN") return "simple_rnn";
  std::string name(kind);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return name;
}

}  // namespace

Recurrent::Recurrent(std::string_view kind, std::unique_ptr<RecurrentCell> cell, RecurrentOptions options)
    : Layer(options.name.empty() ? lower_name(kind) : options.name, options.dtype),
      kind_(kind),
      cell_(std::move(cell)),
      options_(std::move(options)) {}

Shape Recurrent::output_shape(const Shape& input) const {
  if (input.rank() != 3) return input;
  return options_.return_sequences ? Shape{input[0], input[1], cell_->units()}
                                   : Shape{input[0], cell_->units()};
}

void Recurrent::make_variables(const Shape& input, const Location& location) {
  if (input.rank() != 3 || input[1] < 1) {
    fail(ErrorKind::invalid_argument, name(),
         fmt::format("got an input of shape {}, expected [batch, time, features] with at least one step",
                     input.text()),
         &location);
  }
  cell_->build({input[0], input[2]}, location);
}

Tensor Recurrent::call(const Tensor& x, const Location& location) {
  std::vector<Tensor> steps = unstack({x, location}, 1);
  if (options_.go_backwards) std::reverse(steps.begin(), steps.end());
  RecurrentState state;
  for (Tensor& step : steps) step = (*cell_)({step, location}, state);
  return options_.return_sequences ? stack(steps, 1, location) : steps.back();
}

SimpleRNN::SimpleRNN(std::int64_t units, const RecurrentOptions& options)
    : Recurrent("SimpleRNN", std::make_unique<SimpleRNNCell>(units, for_cell(options)), options) {}
LSTM::LSTM(std::int64_t units, const RecurrentOptions& options)
    : Recurrent("LSTM", std::make_unique<LSTMCell>(units, for_cell(options)), options) {}
GRU::GRU(std::int64_t units, const RecurrentOptions& options)
    : Recurrent("GRU", std::make_unique<GRUCell>(units, for_cell(options)), options) {}

}  // namespace tapescope

// One step of each recurrent layer, op for op as Keras runs it.
#include <fmt/format.h>

#include "engine/nn/recurrent.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/linalg.h"
#include "engine/ops/shape.h"
#include "engine/program.h"

namespace tapescope {

RecurrentCell::RecurrentCell(std::string_view kind, std::int64_t units, int gates, RecurrentOptions options)
    : Layer(options.name.empty() ? std::string(kind) : options.name, options.dtype),
      units_(units),
      gates_(gates),
      options_(std::move(options)) {
  if (units < 1) fail(ErrorKind::value, name(), fmt::format("got {} units, expected at least one", units));
}

Tensor RecurrentCell::operator()(const Arg& x, RecurrentState& state) {
  const Location& at = x.location();
  const Tensor& input = x.tensor();
  build(input.shape(), at);
  NameScope scope(name());
  const Shape shape{input.dim(0), units_};
  const DType type = policy().compute;
  if (!state.h) state.h = zeros(shape, type, at);
  if (!state.c && gates_ == 4) state.c = zeros(shape, type, at);
  advance(cast({input, at}, type), state, at);
  return state.h;
}

Shape RecurrentCell::output_shape(const Shape& input) const { return {input[0], units_}; }

void RecurrentCell::make_variables(const Shape& input, const Location& at) {
  if (input.rank() != 2) {
    fail(ErrorKind::invalid_argument, name(),
         fmt::format("got an input of shape {}, expected [batch, features]: one step of the sequence",
                     input.text()),
         &at);
  }
  const DType type = policy().variable;
  const std::int64_t columns = gates_ * units_;
  const auto start = [&](Initializer initializer, const Shape& shape, const char* suffix) {
    return initial_value(initializer, shape, key_of(options_.seed, name() + suffix), type, at);
  };
  kernel_ = add_variable("kernel", start(Initializer::glorot_uniform, {input[1], columns}, "/kernel"), at);
  recurrent_ =
      add_variable("recurrent_kernel", start(Initializer::orthogonal, {units_, columns}, "/recurrent"), at);
  if (options_.use_bias) bias_ = add_variable("bias", initial_bias(at), at);
}

Tensor RecurrentCell::call(const Tensor& x, const Location& location) {
  RecurrentState state;
  const DType type = policy().compute;
  state.h = zeros({x.dim(0), units_}, type, location);
  if (gates_ == 4) state.c = state.h;
  advance(x, state, location);
  return state.h;
}

Tensor RecurrentCell::initial_bias(const Location& at) const {
  return zeros({gates_ * units_}, policy().variable, at);
}

Tensor RecurrentCell::product(const Tensor& x, const Variable& kernel, const Location& at) const {
  const Tensor weights = read(kernel, at);
  return matmul({x, at}, {weights, at});
}

void SimpleRNNCell::advance(const Tensor& x, RecurrentState& state, const Location& at) {
  Tensor h = product(x, kernel_, at);
  if (bias_) {
    const Tensor bias = read(bias_, at);
    h = add({h, at}, {bias, at});
  }
  const Tensor before = product(state.h, recurrent_, at);
  h = add({h, at}, {before, at});
  state.h = shaped(h, at);
}

// [0, .., 0, 1, .., 1, 0, ..]: a gate that forgets nothing at first.
Tensor LSTMCell::initial_bias(const Location& at) const {
  if (!options_.unit_forget_bias) return RecurrentCell::initial_bias(at);
  std::vector<double> bias(static_cast<std::size_t>(4 * units_), 0.0);
  std::fill_n(bias.begin() + units_, units_, 1.0);
  return constant(bias, {4 * units_}, policy().variable, at);
}

void LSTMCell::advance(const Tensor& x, RecurrentState& state, const Location& at) {
  Tensor z = product(x, kernel_, at);
  const Tensor before = product(state.h, recurrent_, at);
  z = add({z, at}, {before, at});
  if (bias_) {
    const Tensor bias = read(bias_, at);
    z = add({z, at}, {bias, at});
  }
  const std::vector<Tensor> parts = split({z, at}, 4, 1);
  const Tensor input = gate(parts[0], at), forget = gate(parts[1], at), fresh = shaped(parts[2], at);
  const Tensor kept = multiply({forget, at}, {state.c, at}), added = multiply({input, at}, {fresh, at});
  state.c = add({kept, at}, {added, at});
  const Tensor output = gate(parts[3], at), shown = shaped(state.c, at);
  state.h = multiply({output, at}, {shown, at});
}

Tensor GRUCell::initial_bias(const Location& at) const {
  const Shape shape = options_.reset_after ? Shape{2, 3 * units_} : Shape{3 * units_};
  return zeros(shape, policy().variable, at);
}

void GRUCell::advance(const Tensor& x, RecurrentState& state, const Location& at) {
  if (!options_.reset_after) return advance_reset_before(x, state, at);
  std::vector<Tensor> biases;
  if (bias_) {
    const Tensor both = read(bias_, at);
    biases = unstack({both, at}, 0);
  }
  Tensor from_x = product(x, kernel_, at);
  if (bias_) from_x = add({from_x, at}, {biases[0], at});
  const std::vector<Tensor> xs = split({from_x, at}, 3, 1);
  Tensor from_h = product(state.h, recurrent_, at);
  if (bias_) from_h = add({from_h, at}, {biases[1], at});
  const std::vector<Tensor> hs = split({from_h, at}, 3, 1);
  const Tensor update = gate(add({xs[0], at}, {hs[0], at}), at),
               reset = gate(add({xs[1], at}, {hs[1], at}), at);
  const Tensor let_through = multiply({reset, at}, {hs[2], at});
  const Tensor candidate = shaped(add({xs[2], at}, {let_through, at}), at);
  const Tensor kept = multiply({update, at}, {state.h, at});
  const Tensor rest = subtract({1.0, at}, {update, at});
  const Tensor fresh = multiply({rest, at}, {candidate, at});
  state.h = add({kept, at}, {fresh, at});
}

void GRUCell::advance_reset_before(const Tensor& x, RecurrentState& state, const Location& at) const {
  Tensor from_x = product(x, kernel_, at);
  if (bias_) {
    const Tensor bias = read(bias_, at);
    from_x = add({from_x, at}, {bias, at});
  }
  const std::vector<Tensor> xs = split({from_x, at}, 3, 1);
  const Tensor recurrent = read(recurrent_, at);
  const std::int64_t sizes[] = {2 * units_, units_};
  const std::vector<Tensor> kernels = split({recurrent, at}, sizes, 1);
  const Tensor gates = matmul({state.h, at}, {kernels[0], at});
  const std::vector<Tensor> hs = split({gates, at}, 2, 1);
  const Tensor update = gate(add({xs[0], at}, {hs[0], at}), at),
               reset = gate(add({xs[1], at}, {hs[1], at}), at);
  const Tensor let_through = multiply({reset, at}, {state.h, at});
  const Tensor inner = matmul({let_through, at}, {kernels[1], at});
  const Tensor candidate = shaped(add({xs[2], at}, {inner, at}), at);
  const Tensor kept = multiply({update, at}, {state.h, at});
  const Tensor rest = subtract({1.0, at}, {update, at});
  const Tensor fresh = multiply({rest, at}, {candidate, at});
  state.h = add({kept, at}, {fresh, at});
}

}  // namespace tapescope

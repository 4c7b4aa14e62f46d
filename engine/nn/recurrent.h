// Recurrent layers, and the cells that make one step of them. Sequences are [batch, time, features].
#pragma once
#include <memory>

#include "engine/core/public.h"
#include "engine/nn/activations.h"
#include "engine/nn/initializers.h"
#include "engine/nn/layer.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct RecurrentOptions {
  Activation activation = Activation::tanh;
  Activation recurrent_activation = Activation::sigmoid;  // of the gates
  bool use_bias = true;
  bool unit_forget_bias = true;   // LSTM: the forget gate's bias starts at 1
  bool reset_after = true;        // GRU: the reset gate applies after the recurrent product
  bool return_sequences = false;  // layers: the output of every step, not the last one alone
  bool go_backwards = false;      // layers: the last step first
  std::string name{};             // the kind ("lstm", "lstm_cell") when empty
  std::uint64_t seed = 0;
  DTypePolicy dtype = {};
};

// What a cell hands on from step to step: [batch, units] each; the carry is the LSTM's.
struct RecurrentState {
  Tensor h{}, c{};
};

// Kernel [features, gates units], recurrent kernel [units, gates units], bias: glorot uniform, orthogonal,
// zeros.
class RecurrentCell : public Layer {
 public:
  // One step: takes x [batch, features], changes the state, returns the output. Absent states start as zeros.
  Tensor operator()(const Arg& x, RecurrentState& state);
  Shape output_shape(const Shape& input) const override;
  std::int64_t units() const { return units_; }
  const Variable& kernel() const { return kernel_; }
  const Variable& recurrent_kernel() const { return recurrent_; }
  const Variable& bias() const { return bias_; }

 protected:
  RecurrentCell(std::string_view kind, std::int64_t units, int gates, RecurrentOptions options);
  virtual void advance(const Tensor& x, RecurrentState& state, const Location& at) = 0;
  virtual Tensor initial_bias(const Location& at) const;
  // x kernel, in the dtype the cell computes in.
  Tensor product(const Tensor& x, const Variable& kernel, const Location& at) const;
  Tensor gate(const Tensor& x, const Location& at) const {
    return activate(options_.recurrent_activation, {x, at});
  }
  Tensor shaped(const Tensor& x, const Location& at) const { return activate(options_.activation, {x, at}); }

  std::int64_t units_;
  int gates_;
  RecurrentOptions options_;
  Variable kernel_, recurrent_, bias_;

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
};

// h' = activation(x K + b + h R)
class SimpleRNNCell : public RecurrentCell {
 public:
  explicit SimpleRNNCell(std::int64_t units, RecurrentOptions options = {})
      : RecurrentCell("simple_rnn_cell", units, 1, std::move(options)) {}
  std::string_view kind() const override { return "SimpleRNNCell"; }

 private:
  void advance(const Tensor& x, RecurrentState& state, const Location& at) override;
};

// z = x K + h R + b, split into i, f, g, o: c' = f c + i g, h' = o activation(c').
class LSTMCell : public RecurrentCell {
 public:
  explicit LSTMCell(std::int64_t units, RecurrentOptions options = {})
      : RecurrentCell("lstm_cell", units, 4, std::move(options)) {}
  std::string_view kind() const override { return "LSTMCell"; }

 private:
  void advance(const Tensor& x, RecurrentState& state, const Location& at) override;
  Tensor initial_bias(const Location& at) const override;
};

// Gates z, r and candidate g from x K + b[0] and h R + b[1]: g = activation(x_g + r h_g), h' = z h + (1 - z)
// g. Without reset_after the reset gate applies to h, before its product, and there is one bias.
class GRUCell : public RecurrentCell {
 public:
  explicit GRUCell(std::int64_t units, RecurrentOptions options = {})
      : RecurrentCell("gru_cell", units, 3, std::move(options)) {}
  std::string_view kind() const override { return "GRUCell"; }

 private:
  void advance(const Tensor& x, RecurrentState& state, const Location& at) override;
  void advance_reset_before(const Tensor& x, RecurrentState& state, const Location& at) const;
  Tensor initial_bias(const Location& at) const override;
};

// A cell run along the time of a sequence: [batch, time, features] -> [batch, units], or [batch, time,
// units].
class Recurrent : public Layer {
 public:
  Recurrent(std::string_view kind, std::unique_ptr<RecurrentCell> cell, RecurrentOptions options);
  Shape output_shape(const Shape& input) const override;
  std::string_view kind() const override { return kind_; }
  std::vector<Layer*> sublayers() override { return {cell_.get()}; }
  RecurrentCell& cell() { return *cell_; }

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  std::string kind_;
  std::unique_ptr<RecurrentCell> cell_;
  RecurrentOptions options_;
};

class SimpleRNN : public Recurrent {
 public:
  explicit SimpleRNN(std::int64_t units, const RecurrentOptions& options = {});
};
class LSTM : public Recurrent {
 public:
  explicit LSTM(std::int64_t units, const RecurrentOptions& options = {});
};
class GRU : public Recurrent {
 public:
  explicit GRU(std::int64_t units, const RecurrentOptions& options = {});
};

}  // namespace tapescope

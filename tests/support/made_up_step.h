// A training step made by hand: two dense layers, a temperature behind stop_gradient, their backward pass and
// updates.
#pragma once
#include <memory>
#include <string>

#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "viewer/store/snapshot.h"

namespace tapescope::test {

class StepMaker {
 public:
  StepMaker() : view_(std::make_shared<StepView>()) {}

  TensorId variable(std::string_view name, bool trainable = true) {
    view_->variables.push_back({next_id_, name, "net.cpp:10", nullptr, trainable});
    return next_id_++;
  }
  TensorId constant() { return next_id_++; }
  // Appends an op and returns its output.
  TensorId op(std::string_view type, std::vector<TensorId> inputs, std::string_view types,
              std::string_view output, double us, Direction direction = Direction::forward, TensorId of = 0) {
    OpRow row;
    row.op = type;
    row.op_id = intern_op_name(type);
    row.name = std::string(type) + "_" + std::to_string(view_->ops.size());
    row.types = types;
    row.output_type = output;
    row.dtype = "float32";
    row.location = "net.cpp:41";
    row.direction = direction;
    row.recorded = direction == Direction::forward;
    row.duration_us = us;
    row.start_us = clock_;
    clock_ += us + 0.2;
    row.flops = us * 100;
    row.output = next_id_++;
    row.first_input = static_cast<std::uint32_t>(view_->inputs.size());
    row.inputs = static_cast<std::uint32_t>(inputs.size());
    for (const TensorId input : inputs) {
      view_->inputs.push_back(input);
      view_->producers.push_back(view_->op_of_tensor(input));
    }
    const auto index = static_cast<std::uint32_t>(view_->ops.size());
    if (direction == Direction::backward && of != 0) {
      row.partner = view_->op_of_tensor(of);
      if (view_->backward_steps.empty() || view_->backward_steps.back().forward_op != row.partner) {
        BackwardStep walk;
        walk.forward_op = row.partner;
        walk.first_op = index;
        walk.node = static_cast<std::int32_t>(view_->nodes++);
        walk.start_us = row.start_us;
        view_->ops[row.partner].backward_step = static_cast<std::uint32_t>(view_->backward_steps.size());
        view_->backward_steps.push_back(walk);
      }
      ++view_->backward_steps.back().ops;
      view_->backward_steps.back().duration_us += us;
      row.backward_step = static_cast<std::uint32_t>(view_->backward_steps.size()) - 1;
    } else if (direction == Direction::forward) {
      row.node = static_cast<std::int32_t>(view_->nodes++);
      ++view_->forward_nodes;
      ++view_->counts.recorded;
    }
    if (direction == Direction::backward) ++view_->counts.backward_ops;
    view_->ops.push_back(row);
    return view_->ops.back().output;
  }
  TensorId read(TensorId handle, std::string_view shape) {
    const TensorId id = op("ReadVariableOp", {handle}, "", shape, 0.4);
    view_->ops.back().flags = OpRecord::kHandle;
    view_->ops.back().tensor_name = view_->variable(handle)->name;
    return id;
  }
  void in_scope(std::string_view name) {
    OpRow& row = view_->ops.back();
    row.scope = name;
    row.scope_id = intern_scope(0, intern_name(name));
  }
  void asked(TensorId source, std::string_view name, TensorId gradient) {
    view_->answers.push_back({0, static_cast<std::uint32_t>(view_->answers.size()), intern_name(name),
                              intern_name(name), source, gradient,
                              gradient ? ResultKind::value : ResultKind::none, true});
  }
  std::shared_ptr<StepView> finish() {
    view_->complete = true;
    view_->step = 132;
    view_->step_us = clock_;
    view_->live_bytes.assign(view_->ops.size(), 1024);
    for (std::size_t i = 0; i < view_->ops.size(); ++i)
      view_->live_bytes[i] += static_cast<std::int64_t>(i) * 100;
    view_->peak_op = static_cast<std::uint32_t>(view_->ops.size()) - 1;
    return view_;
  }
  StepView& view() { return *view_; }

 private:
  std::shared_ptr<StepView> view_;
  TensorId next_id_ = 100;
  double clock_ = 0;
};

struct MadeUpNet {
  std::shared_ptr<StepView> view;
  TensorId kernel = 0, bias = 0, temperature = 0, stopped = 0, logits = 0, loss = 0;
};

inline MadeUpNet made_up_net(bool with_temperature = true) {
  StepMaker m;
  MadeUpNet net;
  const TensorId images = m.constant();
  const TensorId w1 = m.variable("dense_1/kernel"), b1 = m.variable("dense_1/bias");
  net.kernel = m.variable("dense_2/kernel");
  net.bias = m.variable("dense_2/bias");
  net.temperature = m.variable("temperature");
  const TensorId rw1 = m.read(w1, "784×128");
  const TensorId product = m.op("MatMul", {images, rw1}, "64×784 · 784×128", "64×128", 68);
  m.in_scope("dense_1");
  const TensorId rb1 = m.read(b1, "128");
  const TensorId sum = m.op("BiasAdd", {product, rb1}, "64×128 · 128", "64×128", 5);
  m.in_scope("dense_1");
  const TensorId h = m.op("Relu", {sum}, "64×128", "64×128", 4);
  const TensorId rw2 = m.read(net.kernel, "128×10");
  const TensorId product2 = m.op("MatMul", {h, rw2}, "64×128 · 128×10", "64×10", 14);
  m.in_scope("dense_2");
  const TensorId rb2 = m.read(net.bias, "10");
  net.logits = m.op("BiasAdd", {product2, rb2}, "64×10 · 10", "64×10", 0.8);
  m.in_scope("dense_2");
  TensorId scaled = net.logits;
  if (with_temperature) {
    const TensorId t = m.read(net.temperature, "scalar");
    net.stopped = m.op("StopGradient", {t}, "scalar", "scalar", 0.3);
    scaled = m.op("RealDiv", {net.logits, net.stopped}, "64×10 · scalar", "64×10", 0.9);
  }
  const TensorId xent = m.op("SoftmaxCrossEntropyWithLogits", {scaled}, "64×10", "64", 11);
  net.loss = m.op("Mean", {xent}, "64", "scalar", 0.9);
  m.view().ops.back().tensor_name = "loss";
  const auto back = [&](std::string_view type, std::vector<TensorId> in, std::string_view types,
                        std::string_view out, double us, TensorId of) {
    return m.op(type, std::move(in), types, out, us, Direction::backward, of);
  };
  TensorId g = back("Fill", {}, "", "64", 0.6, net.loss);
  g = back("Mul", {g}, "64", "64×10", 3, xent);
  if (with_temperature) g = back("RealDiv", {g, net.stopped}, "64×10 · scalar", "64×10", 0.9, scaled);
  const TensorId db2 = back("Sum", {g}, "64×10", "10", 3, net.logits);
  const TensorId dw2 = back("MatMul", {h, g}, "64×128 · 64×10", "128×10", 16, product2);
  g = back("MatMul", {g, rw2}, "64×10 · 128×10", "64×128", 15, product2);
  g = back("ReluGrad", {g, h}, "64×128 · 64×128", "64×128", 4, h);
  const TensorId db1 = back("Sum", {g}, "64×128", "128", 5, sum);
  const TensorId dw1 = back("MatMul", {images, g}, "64×784 · 64×128", "784×128", 70, product);
  for (const auto& [handle, d] : {std::pair{w1, dw1}, {b1, db1}, {net.kernel, dw2}, {net.bias, db2}}) {
    m.op("ResourceApplyAdam", {handle, d}, "", "", 9, Direction::update);
  }
  m.asked(w1, "dense_1/kernel", dw1);
  m.asked(b1, "dense_1/bias", db1);
  m.asked(net.kernel, "dense_2/kernel", dw2);
  m.asked(net.bias, "dense_2/bias", db2);
  if (with_temperature) m.asked(net.temperature, "temperature", 0);
  net.view = m.finish();
  return net;
}

// A whole run around it, with the None of the temperature explained.
inline std::shared_ptr<Snapshot> made_up_run(bool with_temperature = true, double slower = 1) {
  const MadeUpNet net = made_up_net(with_temperature);
  auto s = std::make_shared<Snapshot>();
  s->version = 1;
  s->current = s->complete = net.view;
  s->recent = {net.view};
  MetricSeries loss{"loss", {}};
  for (std::uint64_t i = 0; i < 200; ++i) {
    StepSummary step;
    step.step = i;
    const double wave = 1 + 0.1 * static_cast<double>((i * 7919) % 13) / 13.0;
    step.step_us = 250 * wave * slower, step.forward_us = 106 * wave * slower,
    step.backward_us = 117 * wave * slower, step.update_us = 27 * wave;
    s->steps.push_back(step);
    loss.points.push_back({i, 0.2 + 2.1 / (1 + static_cast<double>(i) * 0.06) + 0.03 * wave});
  }
  s->metrics.push_back(std::move(loss));
  for (const GradientAnswer& answer : net.view->answers) {
    GradientRow row;
    row.source = std::string(name_text(answer.name));
    row.source_id = answer.source;
    row.target = "loss";
    row.target_id = net.loss;
    row.step = 132;
    if (answer.gradient == 0) {
      row.status = GradientStatus::none;
      row.reason = "stop_gradient";
      row.message = "stop_gradient passes the value of temperature and ends its gradient.";
      row.fix = "Remove it at line 37, or leave temperature out of the sources.";
      row.location = "net.cpp:37";
      row.path = {{"Mean", "Mean", "net.cpp:44", net.loss},
                  {"RealDiv", "RealDiv", "net.cpp:41", net.stopped + 1}};
      row.edge = {"StopGradient", "StopGradient", "net.cpp:37", net.stopped};
    } else {
      row.has_stats = true;
      row.norm = 0.412;
      for (int i = 0; i < 64; ++i)
        row.norms.push_back(0.4f + 0.2f / static_cast<float>(i + 1) +
                            0.02f * static_cast<float>((i * 31) % 7));
    }
    s->gradients.insert(row.status == GradientStatus::none ? s->gradients.begin() : s->gradients.end(), row);
  }
  if (with_temperature) {
    AlertRow alert;
    alert.kind = "none", alert.subject = "temperature", alert.location = "net.cpp:37",
    alert.edge = s->gradients[0].edge, alert.message = s->gradients[0].message;
    s->alerts.push_back(alert);
    s->alerts.push_back({.kind = "retrace",
                         .subject = "train_step",
                         .op = "",
                         .message = "images 64×784 → 32×784. Give it a signature.",
                         .location = "net.cpp:52"});
    s->alerts.push_back({.kind = "dead",
                         .subject = "dense_1",
                         .op = "Relu",
                         .message = "41 % of relu outputs dead for 120 steps.",
                         .location = ""});
  }
  for (const auto& [op, forward, backward] : {std::tuple{"MatMul", 112.0, 133.0},
                                              {"SoftmaxCrossEntropyWithLogits", 10.8, 2.7},
                                              {"BiasAdd", 7.2, 5.4},
                                              {"Relu", 3.6, 4.1},
                                              {"ResourceApplyAdam", 0.0, 38.0},
                                              {"Mean", 0.9, 0.8}}) {
    OpKindRow row;
    row.op = op;
    row.count = 2, row.forward_us = forward, row.backward_us = backward, row.backward_run_us = backward;
    row.share = (forward + backward) / 320, row.flops = forward * 1e5,
    row.saved_bytes = static_cast<std::int64_t>(forward * 2000);
    for (int i = 0; i < 64; ++i)
      row.forward_series.push_back(static_cast<float>(forward) *
                                   (1 + 0.05f * static_cast<float>((i * 13) % 5)));
    s->op_kinds.push_back(row);
  }
  s->variables = net.view->variables;
  return s;
}

}  // namespace tapescope::test

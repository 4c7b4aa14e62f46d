// Forward mode from what rows say for backward mode (design decision 3).
#include "engine/tape/push_forward.h"

#include <vector>

#include "engine/gate/apply.h"
#include "engine/gate/jvp.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/shape.h"
#include "engine/ops/slices.h"
#include "engine/ops/tensor_list.h"
#include "engine/tape/cursor.h"

namespace tapescope {
namespace {

// A vjp of a call that is still at hand.
class CallVjp final : public VjpContext {
 public:
  CallVjp(const OpCall& call, std::vector<Tensor> gradients, std::vector<bool> wanted)
      : call_(call),
        gradients_(std::move(gradients)),
        wanted_(std::move(wanted)),
        results_(call.inputs.size()) {
    for (TensorImpl* input : call.inputs) inputs_.push_back(Tensor::share(input));
  }
  const OpDef& op() const override { return call_.op; }
  const Attrs& attrs() const override { return call_.attrs; }
  int input_count() const override { return static_cast<int>(inputs_.size()); }
  int output_count() const override { return static_cast<int>(call_.outputs.size()); }
  const Tensor& grad(int i) const override { return gradients_[static_cast<std::size_t>(i)]; }
  const Tensor& in(int i) const override { return inputs_[static_cast<std::size_t>(i)]; }
  const Tensor& out(int i) const override { return call_.outputs[static_cast<std::size_t>(i)]; }
  const Type& in_type(int i) const override { return inputs_[static_cast<std::size_t>(i)].type(); }
  const Type& out_type(int i) const override { return call_.outputs[static_cast<std::size_t>(i)].type(); }
  bool needs(int i) const override { return wanted_[static_cast<std::size_t>(i)]; }
  void set(int i, Tensor cotangent) override {
    if (needs(i)) results_[static_cast<std::size_t>(i)] = std::move(cotangent);
  }
  std::vector<Tensor>& run() {
    call_.op.vjp(*this);
    return results_;
  }

 private:
  const OpCall& call_;
  std::vector<Tensor> inputs_, gradients_;
  std::vector<bool> wanted_;
  std::vector<Tensor> results_;
};

void accumulate(Tensor& sum, const Tensor& term) { sum = sum ? sum + term : term; }

Tensor in_shape(const Tensor& x, const Shape& shape) {
  return x.shape() == shape ? x : broadcast_to(x, shape);
}

bool can_move(const OpCall& call, std::size_t i) {
  const Type& type = *call.inputs[i]->type;
  return !(call.op.never >> std::min<std::size_t>(i, 15) & 1) && (is_floating(type.dtype) || is_list(type));
}

// The op on the tangents of all inputs that can have one together; the others stay as they are.
void push_linear(const OpCall& call, std::span<const Tensor> tangents, std::span<Tensor> results) {
  std::vector<Tensor> held;
  std::vector<TensorImpl*> inputs;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Type& type = *call.inputs[i]->type;
    if (tangents[i]) held.push_back(tangents[i]);
    else held.push_back(can_move(call, i) ? zero_of(type) : Tensor::share(call.inputs[i]));
    inputs.push_back(held.back().impl());
  }
  TensorList outputs;
  apply(call.op, inputs, call.attrs, call.location, outputs);
  for (std::size_t k = 0; k < results.size(); ++k) results[k] = outputs[static_cast<int>(k)];
}

// Elementwise: what the vjp multiplies a cotangent with is the derivative.
void push_diagonal(const OpCall& call, std::span<const Tensor> tangents, std::span<Tensor> results) {
  const Shape& shape = call.outputs[0].shape();
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    if (!tangents[i]) continue;
    std::vector<bool> wanted(tangents.size());
    wanted[i] = true;
    CallVjp vjp(call, {in_shape(tangents[i], shape)}, std::move(wanted));
    if (const Tensor& term = vjp.run()[i]) accumulate(results[0], in_shape(term, shape));
  }
}

// A product: the sum of the products with one factor moved.
void push_multilinear(const OpCall& call, std::span<const Tensor> tangents, std::span<Tensor> results) {
  std::vector<TensorImpl*> inputs(call.inputs.begin(), call.inputs.end());
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    if (!tangents[i]) continue;
    inputs[i] = tangents[i].impl();
    accumulate(results[0], apply(call.op, inputs, call.attrs, call.location));
    inputs[i] = call.inputs[i];
  }
}

// The vjp is linear in the cotangents u, so that its own gradient by u, fed the tangents, is the jvp. Ones
// stand for u: a rule that divides by its cotangent has a derivative there, and at zero it may have none.
// What a call keeps in lists moves as well, and a gradient that reads it later is pushed with that.
void push_by_double_vjp(const OpCall& call, std::span<const Tensor> tangents, std::span<Tensor> results) {
  const Mute mute;  // these tapes are not the program's
  GradientTape tape({.watch_accessed_variables = false});
  std::vector<Traced> cotangents, targets;
  GradientOptions options;
  std::vector<std::size_t> moved;
  {
    const auto recording = tape.record();
    std::vector<Tensor> ones;
    for (std::size_t k = 0; k < call.outputs.size(); ++k) {
      const Type& type = call.outputs[k].type();
      ones.push_back(is_list(type) ? ones_like_list(call.outputs[k]) : make_full(type.shape, 1, type.dtype));
      if (!is_floating(type.dtype) && !is_list(type)) continue;
      tape.storage().watch(ones.back(), WatchKind::by_hand, call.location);
      cotangents.push_back(ones.back());
      moved.push_back(k);
    }
    std::vector<bool> wanted;
    for (const Tensor& tangent : tangents) wanted.push_back(static_cast<bool>(tangent));
    CallVjp vjp(call, std::move(ones), std::move(wanted));
    std::vector<Tensor>& gradients = vjp.run();
    for (std::size_t i = 0; i < tangents.size(); ++i) {
      if (!tangents[i] || !gradients[i]) continue;
      gradients[i] = to_dense(gradients[i]);  // rows alone are followed by no tape
      // A gradient that the engine would sum back to the input's shape takes the tangent spread out.
      targets.push_back(gradients[i]);
      options.output_gradients.push_back(in_shape(tangents[i], gradients[i].shape()));
    }
  }
  if (targets.empty()) return;
  ThreadState& ts = state();
  struct Inside {  // no place of the program: the debugger does not stop here
    ThreadState& ts;
    explicit Inside(ThreadState& t) : ts(t) { ++ts.backward_depth; }
    ~Inside() { --ts.backward_depth; }
  } inside(ts);
  Cursor cursor(tape.storage(), targets, cotangents, options);
  while (cursor.step()) {
  }
  std::vector<Tensor> found = cursor.results();
  for (std::size_t n = 0; n < moved.size(); ++n) results[moved[n]] = std::move(found[n]);
}

}  // namespace

void push_forward(const OpCall& call, std::span<const Tensor> given, std::span<Tensor> results) {
  if (!call.op.vjp && !call.op.jvp) return;
  std::vector<Tensor> tangents(given.begin(), given.end());
  bool any = false;
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    // A handle's tangent is that of the value read.
    if (!can_move(call, i) && call.inputs[i]->type->dtype != DType::resource) tangents[i] = Tensor();
    any |= static_cast<bool>(tangents[i]);
  }
  if (!any) return;
  if (call.op.jvp) {
    JvpContext context(call, tangents, results);
    return call.op.jvp(context);
  }
  switch (call.op.linearity) {
    case Linearity::linear: return push_linear(call, tangents, results);
    case Linearity::diagonal: return push_diagonal(call, tangents, results);
    case Linearity::multilinear: return push_multilinear(call, tangents, results);
    case Linearity::none: return push_by_double_vjp(call, tangents, results);
  }
}

}  // namespace tapescope

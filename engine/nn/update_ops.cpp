// The rows and their kernels.
#include "engine/nn/update_ops.h"

#include <bit>
#include <cmath>

#include "engine/tape/variable.h"

namespace tapescope::updates {
namespace {

void push(Attrs& attrs, double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  attrs.push(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
  attrs.push(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 32)));
}

double number_at(const Attrs& attrs, std::size_t index) {
  const auto low = static_cast<std::uint32_t>(attrs.i[2 * index]),
             high = static_cast<std::uint32_t>(attrs.i[2 * index + 1]);
  return std::bit_cast<double>(low | std::uint64_t{high} << 32);
}

Sgd numbers_of(const Sgd*, const UpdateAttrs& a, double rate, std::int64_t) {
  return {rate, a.numbers[0], a.flag};
}
Adam numbers_of(const Adam*, const UpdateAttrs& a, double rate, std::int64_t iteration) {
  return adam_at(a.numbers[0], a.numbers[1], a.numbers[2], rate, iteration);
}
RmsProp numbers_of(const RmsProp*, const UpdateAttrs& a, double rate, std::int64_t) {
  return {rate, a.numbers[0], a.numbers[1], a.numbers[2]};
}
Adagrad numbers_of(const Adagrad*, const UpdateAttrs& a, double rate, std::int64_t) {
  return {rate, a.numbers[0]};
}

void infer(InferContext& c) { c.set_outputs(0); }

template <class Numbers>
void kernel(KernelContext& c) {
  const UpdateAttrs attrs = UpdateAttrs::unpacked(c.attrs);
  std::size_t next = 0;
  const auto variable = [&] { return Variable::of_handle(Tensor::share(c.inputs[next++])); };
  const Variable updated = variable();
  Variable slots[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (attrs.slots >> i & 1) slots[i] = variable();
  }
  const double rate = element_value(Tensor::share(c.inputs[next]), 0);
  const std::int64_t iteration = *c.in<std::int64_t>(static_cast<int>(next + 1)) + 1;
  TensorImpl* gradient = c.inputs[next + 2];
  Arrays arrays{.w = updated.mutable_data(), .g = gradient->data, .n = gradient->type->numel};
  for (int i = 0; i < 3; ++i) {
    if (slots[i]) arrays.slot[i] = slots[i].mutable_data();
  }
  if (attrs.decay != 0) decay(updated.dtype(), arrays.w, arrays.n, attrs.decay * rate);
  run(numbers_of(static_cast<const Numbers*>(nullptr), attrs, rate, iteration), updated.dtype(), arrays);
  updated.note_assigned(Location());
  for (const Variable& slot : slots) {
    if (slot) slot.note_assigned(Location());
  }
}

constexpr OpDef row(std::string_view name, void (*run_kernel)(KernelContext&), std::string_view doc) {
  return {.name = name,
          .infer = infer,
          .kernel = run_kernel,
          .flags = OpDef::kStateful,
          .no_gradient = NoGradient::not_differentiable,
          .doc = doc};
}

}  // namespace

constinit const OpDef kApplySgd =
    row("ResourceApplyGradientDescent", kernel<Sgd>, "w -= lr g, with momentum where there is a slot");
constinit const OpDef kApplyAdam =
    row("ResourceApplyAdam", kernel<Adam>, "Adam's update of a variable and its moments");
constinit const OpDef kApplyRmsProp =
    row("ResourceApplyRMSProp", kernel<RmsProp>, "RMSProp's update of a variable and its slots");
constinit const OpDef kApplyAdagrad =
    row("ResourceApplyAdagrad", kernel<Adagrad>, "Adagrad's update of a variable and its accumulator");

namespace {

[[maybe_unused]] const bool g_named = [] {
  for (const OpDef* op : {&kApplySgd, &kApplyAdam, &kApplyRmsProp, &kApplyAdagrad})
    op->id = intern_op_name(op->name);
  return true;
}();

}  // namespace

Attrs UpdateAttrs::packed() const {
  Attrs attrs;
  push(attrs, decay);
  for (const double number : numbers) push(attrs, number);
  attrs.flags = slots | static_cast<std::uint32_t>(flag) << 8;
  return attrs;
}

UpdateAttrs UpdateAttrs::unpacked(const Attrs& attrs) {
  UpdateAttrs update;
  update.decay = number_at(attrs, 0);
  for (std::size_t i = 0; i < 3; ++i) update.numbers[i] = number_at(attrs, i + 1);
  update.slots = attrs.flags & 7;
  update.flag = attrs.flags >> 8 & 1;
  return update;
}

Adam adam_at(double beta_1, double beta_2, double epsilon, double learning_rate, std::int64_t iteration) {
  const auto t = static_cast<double>(iteration);
  return {learning_rate * std::sqrt(1 - std::pow(beta_2, t)) / (1 - std::pow(beta_1, t)), 1 - beta_1,
          1 - beta_2, epsilon};
}

}  // namespace tapescope::updates

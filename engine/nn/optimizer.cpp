// What all optimizers share: slots, None gradients, clipping, and the walk over the variables.
#include "engine/nn/optimizer.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/gate/apply.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reduce.h"
#include "engine/ops/slices.h"
#include "engine/program.h"

namespace tapescope {
namespace {

Variable scalar_variable(DType type, double value, std::string name, const Location& location) {
  return Variable(make_full(Shape{}, value, type), {.name = std::move(name), .trainable = false}, location);
}

// "['w', 'b']"
std::string names_text(std::span<const Variable> variables) {
  std::string text;
  for (const Variable& variable : variables) {
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", variable.name());
  }
  return "[" + text + "]";
}

// Gradients that are kept as rows, made dense: `dense` holds them. Rows that repeat add up. The moments of
// all rows decay, so that every row is updated, as Keras does it.
std::span<const Tensor> with_all_rows(std::span<const Tensor> gradients, std::vector<Tensor>& dense,
                                      const Location& location) {
  if (std::none_of(gradients.begin(), gradients.end(), is_indexed_slices)) return gradients;
  const Silence silence("optimizer");
  for (const Tensor& gradient : gradients) dense.push_back(to_dense(gradient, location));
  return dense;
}

}  // namespace

Optimizer::Optimizer(std::string_view kind, double learning_rate, const OptimizerOptions& options,
                     const SlotNames& slots, const Location& location)
    : name_(options.name.empty() ? kind : options.name), options_(options), slot_names_(slots) {
  if ((options.clipnorm != 0) + (options.global_clipnorm != 0) + (options.clipvalue != 0) > 1) {
    fail(
        ErrorKind::value, name_,
        "got more than one of clipnorm, global_clipnorm and clipvalue, expected at most one; drop the others",
        &location);
  }
  if (options.gradient_accumulation_steps < 1) {
    fail(ErrorKind::value, name_,
         fmt::format("got gradient_accumulation_steps of {}, expected at least 1",
                     options.gradient_accumulation_steps),
         &location);
  }
  NameScope scope(name_);
  iterations_ = scalar_variable(DType::i64, 0, "iteration", location);
  learning_rate_ = scalar_variable(DType::f32, learning_rate, "learning_rate", location);
  all_ = {iterations_, learning_rate_};
  if (options.gradient_accumulation_steps > 1) {
    gathered_calls_ = scalar_variable(DType::i64, 0, "gathered_calls", location);
    all_.push_back(gathered_calls_);
  }
}

void Optimizer::build(std::span<const Variable> variables, Location location) {
  if (!slots_.empty()) {
    for (std::size_t i = 0; i < variables.size(); ++i) slots_of(variables[i], i, location);
    return;
  }
  NameScope scope(name_);
  slots_.reserve(variables.size());
  for (const Variable& variable : variables) {
    Slots& slots = slots_.emplace_back();
    slots.of = variable;
    std::string stem(variable.name());
    std::replace(stem.begin(), stem.end(), '/', '_');
    for (int i = 0; i < 3; ++i) {
      if (slot_names_.names[i].empty()) continue;
      slots.slot[i] =
          Variable(make_full(variable.shape(), slot_names_.initial, variable.dtype()),
                   {.name = fmt::format("{}_{}", stem, slot_names_.names[i]), .trainable = false}, location);
      all_.push_back(slots.slot[i]);
    }
    if (gathered_calls_) {
      slots.gathered = Variable(make_full(variable.shape(), 0, variable.dtype()),
                                {.name = stem + "_gradient_accumulator", .trainable = false}, location);
      all_.push_back(slots.gathered);
    }
  }
}

Optimizer::Slots& Optimizer::slots_of(const Variable& variable, std::size_t hint, const Location& location) {
  // The variables come in the same order at every step, so the first look nearly always finds them.
  if (hint < slots_.size() && slots_[hint].of == variable) return slots_[hint];
  for (Slots& slots : slots_) {
    if (slots.of == variable) return slots;
  }
  fail(ErrorKind::value, name_,
       fmt::format(
           "variable '{}' is unknown: the optimizer was built with {} others; give all variables to build() "
           "or to the first apply_gradients(), or use a second optimizer",
           variable.name(), slots_.size()),
       &location);
}

void Optimizer::apply_gradients(std::span<const Tensor> gradients, std::span<const Variable> variables,
                                Location location) {
  if (gradients.size() != variables.size() || variables.empty()) {
    fail(ErrorKind::value, name_,
         fmt::format(
             "got {} gradients for {} variables, expected one for each and at least one; a model without "
             "trainable variables has not been called or built yet",
             gradients.size(), variables.size()),
         &location);
  }
  warn_of_none(gradients, variables, location);
  if (slots_.empty()) build(variables, location);
  for (std::size_t i = 0; i < variables.size(); ++i) check_type(variables[i], gradients[i], location);
  if (current_trace()) return trace_updates(gradients, variables, location);
  std::vector<Tensor> means;
  if (gathered_calls_) {
    if (!gather(gradients, variables, means, location)) return;
    gradients = means;
  }
  gradients = clipped(gradients, location);
  std::vector<Tensor> dense;
  gradients = with_all_rows(gradients, dense, location);

  NameScope scope(name_);
  const std::int64_t iteration = *iterations_.peek().data<std::int64_t>() + 1;
  const double rate = element_value(learning_rate_.peek(), 0);
  begin(rate, iteration);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!gradients[i]) continue;
    const Slots& slots = slots_of(variables[i], i, location);
    update_one(variables[i], slots, gradients[i], options_.weight_decay * rate, location);
  }
  *static_cast<std::int64_t*>(iterations_.mutable_data()) = iteration;
  iterations_.note_assigned(location);
  state().mark_time();
  clipped_.clear();
}

bool Optimizer::gather(std::span<const Tensor> gradients, std::span<const Variable> variables,
                       std::vector<Tensor>& means, const Location& location) {
  Silence silence("optimizer");
  const std::int64_t steps = options_.gradient_accumulation_steps;
  const std::int64_t calls = (*gathered_calls_.peek().data<std::int64_t>() + 1) % steps;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    means.push_back(gradients[i]);
    if (!gradients[i]) continue;
    const Variable& gathered = slots_of(variables[i], i, location).gathered;
    if (calls != 0) {
      gathered.assign_add({gradients[i], location});
      continue;
    }
    const Tensor sum = add({gathered.peek(), location}, {gradients[i], location});
    means.back() = divide({sum, location}, static_cast<double>(steps));
    gathered.assign(make_full(gathered.shape(), 0, gathered.dtype()), location);
  }
  *static_cast<std::int64_t*>(gathered_calls_.mutable_data()) = calls;
  gathered_calls_.note_assigned(location);
  return calls == 0;
}

void Optimizer::trace_updates(std::span<const Tensor> gradients, std::span<const Variable> variables,
                              const Location& location) {
  if (gathered_calls_) {
    fail(ErrorKind::not_implemented, name_,
         "gradients are gathered over several calls by a count on the host, which a traced function does not "
         "have; call "
         "apply_gradients() outside of the function",
         &location);
  }
  const Silence silence("optimizer");
  gradients = clipped(gradients, location);
  std::vector<Tensor> dense;
  gradients = with_all_rows(gradients, dense, location);
  NameScope scope(name_);
  const Tensor rate = learning_rate_.value(location), iteration = iterations_.value(location);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!gradients[i]) continue;
    const Slots& slots = slots_of(variables[i], i, location);
    updates::UpdateAttrs attrs;
    const OpDef& row = update_row(attrs);
    attrs.decay = options_.weight_decay;
    std::vector<TensorImpl*> inputs{variables[i].handle().impl()};
    for (std::uint32_t s = 0; s < 3; ++s) {
      if (!slots.slot[s]) continue;
      attrs.slots |= 1u << s;
      inputs.push_back(slots.slot[s].handle().impl());
    }
    for (const Tensor& tensor : {rate, iteration, gradients[i]}) inputs.push_back(tensor.impl());
    TensorList none;
    apply(row, inputs, attrs.packed(), location, none);
  }
  iterations_.assign_add({1, location});
  clipped_.clear();
}

void Optimizer::check_type(const Variable& variable, const Tensor& gradient, const Location& location) const {
  if (!gradient || &gradient.type() == &variable.type()) return;
  fail(ErrorKind::invalid_argument, name_,
       fmt::format("the gradient for variable '{}' is {}, expected {}; a gradient has its variable's type",
                   variable.name(), gradient.type().text(), variable.type().text()),
       &location);
}

void Optimizer::update_one(const Variable& variable, const Slots& slots, const Tensor& gradient, double decay,
                           const Location& location) {
  updates::Arrays arrays;
  arrays.w = variable.mutable_data();
  arrays.g = gradient.raw();
  arrays.n = gradient.numel();
  for (int i = 0; i < 3; ++i) {
    if (slots.slot[i]) arrays.slot[i] = slots.slot[i].mutable_data();
  }
  if (decay != 0) updates::decay(variable.dtype(), arrays.w, arrays.n, decay);
  update(variable.dtype(), arrays);
  variable.note_assigned(location);
  for (const Variable& slot : slots.slot) {
    if (slot) slot.note_assigned(location);
  }
}

std::span<const Tensor> Optimizer::clipped(std::span<const Tensor> gradients, const Location& location) {
  if (options_.clipnorm == 0 && options_.global_clipnorm == 0 && options_.clipvalue == 0) return gradients;
  Silence silence("optimizer");
  if (options_.global_clipnorm != 0) {
    clipped_ = clip_by_global_norm(gradients, options_.global_clipnorm, location).first;
    return clipped_;
  }
  clipped_.assign(gradients.begin(), gradients.end());
  for (Tensor& gradient : clipped_) {
    if (!gradient) continue;
    const Arg whole(gradient, location);
    const double limit = options_.clipvalue;
    gradient =
        options_.clipnorm != 0 ? clip_by_norm(whole, options_.clipnorm) : clip_by_value(whole, -limit, limit);
  }
  return clipped_;
}

void Optimizer::warn_of_none(std::span<const Tensor> gradients, std::span<const Variable> variables,
                             const Location& location) {
  const auto none = static_cast<std::size_t>(
      std::count_if(gradients.begin(), gradients.end(), [](const Tensor& gradient) { return !gradient; }));
  if (none == gradients.size()) {
    fail(ErrorKind::value, name_,
         fmt::format("no gradient was given for any variable: every one of {} is None; ask "
                     "tape.explain(loss, variable) why",
                     names_text(variables)),
         &location);
  }
  if (none == warned_) return;  // said before: once is enough for a training loop
  warned_ = none;
  if (none == 0) return;
  std::vector<Variable> missing;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i]) missing.push_back(variables[i]);
  }
  note_message(
      fmt::format("[{}] gradients do not exist for variables {} when minimizing the loss; they keep their "
                  "values (tape.explain says why)",
                  name_, names_text(missing)),
      1, location);
}

}  // namespace tapescope

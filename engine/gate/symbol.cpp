// Making symbols, and refusing them where they have no meaning.
#include "engine/gate/symbol.h"

#include <utility>

#include <fmt/format.h>

namespace tapescope {
namespace {

constinit thread_local TraceScope* t_trace = nullptr;
constinit thread_local StandIns* t_stand_ins = nullptr;

}  // namespace

TraceScope* current_trace() { return t_trace; }
void set_current_trace(TraceScope* scope) { t_trace = scope; }

TraceScope& current_trace_of(const Tensor& symbol) {
  check_in_reach(symbol.impl(), "Variable", Location::current());
  return *symbol_of(symbol.impl())->scope;
}

Tensor make_symbol(const Type* type, std::shared_ptr<TraceScope> scope, std::uint32_t value) {
  // The head alone: its type says how many elements the value will have, none are kept here.
  static const Type* const empty = intern_type(DType::f32, {0});
  Tensor symbol(new_tensor(empty));
  symbol.impl()->type = type;
  symbol.impl()->data = nullptr;
  symbol.impl()->extension = new SymbolExtension(std::move(scope), value);
  return symbol;
}

StandIns::StandIns(std::span<const Tensor> symbols, std::span<const Tensor> tensors)
    : symbols_(symbols), tensors_(tensors), trace_(t_trace), outer_(std::exchange(t_stand_ins, this)) {}
StandIns::~StandIns() { t_stand_ins = outer_; }

const Tensor* StandIns::of(const TensorImpl* symbol, const TraceScope* trace) {
  for (const StandIns* block = t_stand_ins; block; block = block->outer_) {
    if (trace && block->trace_ != trace) continue;
    for (std::size_t i = 0; i < block->symbols_.size(); ++i) {
      if (block->symbols_[i].id() == symbol->id) return &block->tensors_[i];
    }
  }
  return nullptr;
}

void check_in_reach(const TensorImpl* input, std::string_view op, const Location& location) {
  const SymbolExtension* symbol = symbol_of(input);
  if (!symbol || symbol->scope->open || StandIns::of(input)) return;
  fail(ErrorKind::type, op,
       fmt::format(
           "a tensor made while function '{}' was traced is used outside of it: it has no value here; return "
           "it from the function instead",
           symbol->scope->function),
       &location);
}

void check_has_elements(const Tensor& tensor, std::string_view what, const Location& location) {
  if (!tensor)
    fail(ErrorKind::value, what, "got None, expected a tensor with values; test the tensor before reading it",
         &location);
  const TensorExtension* extension = tensor.impl()->extension;
  if (extension && extension->kind == TensorExtension::Kind::batch) {
    fail(ErrorKind::attribute, what,
         fmt::format("the tensor stands for one row of a batch, of type {}, so it has no values; "
                     "run the rows one by one "
                     "(hint: JacobianOptions vectorized = false)",
                     tensor.type().text()),
         &location);
  }
  const SymbolExtension* symbol = symbol_of(tensor.impl());
  if (!symbol) return;
  fail(ErrorKind::attribute, what,
       fmt::format("the tensor is symbolic, of type {}, while function '{}' is traced, so it has no values "
                   "yet; return "
                   "it from the function and read it there",
                   tensor.type().text(), symbol->scope->function),
       &location);
}

}  // namespace tapescope

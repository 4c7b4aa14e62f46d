// Symbols: tensors without elements that stand for a value of a graph while a function is traced.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gate/op.h"

namespace tapescope {

// A gradient call that is traced, as its record names it.
struct TracedAsk {
  std::uint32_t tape;
  std::uint64_t call;
};

// The trace that symbols belong to. Outlives it through its symbols, so that a leaked one can name its
// function.
struct TraceScope {
  virtual ~TraceScope() = default;
  // The value a symbol has in the call that is being traced. Throws ValueError where it cannot be had.
  virtual Tensor evaluate(const Tensor& symbol) = 0;
  // A gradient call inside the trace, in the order in which it goes: what is asked, each step of the walk,
  // the answers, and that it is over. Those inside of backward steps are not offered.
  virtual void asked(const TracedAsk& ask, std::span<const Tensor> targets) = 0;
  virtual void walked(TensorId output, std::span<const Tensor> cotangents,
                      std::span<const Tensor> gradients) = 0;
  virtual void answered(const Tensor& gradient, NameId source_name, TensorId source) = 0;
  virtual void question_over(bool raised) = 0;

  std::string function;  // its name
  bool open = true;      // the trace still goes on
  // What tapes inside it answered so far.
  struct Answer {
    TensorId gradient;
    NameId source_name;
    TensorId source;
  };
  std::vector<Answer> answers;
};

struct SymbolExtension : TensorExtension {
  SymbolExtension(std::shared_ptr<TraceScope> s, std::uint32_t v)
      : TensorExtension(Kind::symbol), scope(std::move(s)), value(v) {}
  std::shared_ptr<TraceScope> scope;
  std::uint32_t value;  // of its graph
};

// The symbol a tensor is; null for a tensor with elements.
inline SymbolExtension* symbol_of(const TensorImpl* tensor) {
  if (!tensor || !tensor->extension || tensor->extension->kind != TensorExtension::Kind::symbol)
    return nullptr;
  return static_cast<SymbolExtension*>(tensor->extension);
}
inline bool is_symbol(const Tensor& tensor) { return symbol_of(tensor.impl()) != nullptr; }

// The innermost trace of this thread; null while ops run.
TraceScope* current_trace();
void set_current_trace(TraceScope* scope);

// The trace a symbol belongs to. Throws TypeError, as check_in_reach does, when it is over.
TraceScope& current_trace_of(const Tensor& symbol);

// A symbol for that value of the scope's graph, with a new id.
Tensor make_symbol(const Type* type, std::shared_ptr<TraceScope> scope, std::uint32_t value);

// Throws TypeError for a symbol outside of every open trace: it was leaked from its function.
void check_in_reach(const TensorImpl* input, std::string_view op, const Location& location);

// Throws AttributeError, naming the function, where the host asks for a symbol's elements, and for those of a
// batch's row; ValueError for None.
void check_has_elements(const Tensor& tensor, std::string_view what, const Location& location);

}  // namespace tapescope

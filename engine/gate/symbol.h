// Symbols: tensors without elements that stand for a value of a graph while a function is traced.
#pragma once
#include <functional>
#include <memory>
#include <span>
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
  // Runs the program apart, in a trace that is given up, for symbols of those types. Returns what it reads of
  // this trace and of those around it. What the program throws is dropped: this is no call of it.
  virtual std::vector<Tensor> read_by(std::span<const Type* const> types,
                                      const std::function<void(std::span<const Tensor>)>& program) = 0;
  // Another symbol for the value that the symbol stands for; no tape knows it.
  virtual Tensor another(const Tensor& symbol) = 0;

  std::string function;  // its name
  bool open = true;      // the trace still goes on
  int apart = 0;         // inside of how many traces that are given up: see read_by
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

// Puts tensors in the places of symbols for a block: the thread's innermost trace takes the tensors where a
// program gives the symbols, which may be of a trace that is over. A trace inside of it takes the symbols as
// closures. Blocks may nest; each symbol has one tensor.
class StandIns {
 public:
  StandIns(std::span<const Tensor> symbols, std::span<const Tensor> tensors);
  ~StandIns();
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;
  // What stands in the symbol's place on this thread, in any trace or in that one; null for nothing.
  static const Tensor* of(const TensorImpl* symbol, const TraceScope* trace = nullptr);

 private:
  std::span<const Tensor> symbols_, tensors_;
  const TraceScope* trace_;
  StandIns* outer_;
};

// Throws TypeError for a symbol outside of every open trace: it was leaked from its function. Not for one
// that a tensor stands in for.
void check_in_reach(const TensorImpl* input, std::string_view op, const Location& location);

// Throws AttributeError, naming the function, where the host asks for a symbol's elements, and for those of a
// batch's row; ValueError for None.
void check_has_elements(const Tensor& tensor, std::string_view what, const Location& location);

}  // namespace tapescope

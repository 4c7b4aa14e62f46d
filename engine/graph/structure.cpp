// Walks values depth first.
#include "engine/graph/structure.h"

#include <fmt/format.h>

#include "engine/graph/function_trace.h"
#include "engine/ops/slices.h"

namespace tapescope {
namespace {

using Kind = Value::Kind;

void take(Value& value, std::string_view op, const Location& location, std::vector<Tensor>& taken) {
  switch (value.kind()) {
    case Kind::list:
    case Kind::tuple:
    case Kind::map:
      for (Value& item : value.items()) take(item, op, location, taken);
      return;
    case Kind::tensor: taken.push_back(to_dense(value.tensor(), location)); break;
    case Kind::variable: taken.push_back(value.variable().value(location)); break;
    case Kind::integer: taken.push_back(to_tensor(value, DType::i32).tensor()); break;
    case Kind::real: taken.push_back(to_tensor(value, DType::f32).tensor()); break;
    case Kind::boolean: taken.push_back(to_tensor(value, DType::boolean).tensor()); break;
    default:
      fail(ErrorKind::type, op,
           fmt::format("got {} where a tensor is expected; branches and loops pass on tensors, numbers, and "
                       "lists, tuples and maps of those",
                       value.kind() == Kind::none ? "None" : "a text or an object"),
           &location);
  }
  value = Value::placeholder();
}

void put(Value& value, std::span<const Tensor>& tensors) {
  if (value.kind() == Kind::tensor) {
    value = tensors.front();
    tensors = tensors.subspan(1);
    return;
  }
  for (Value& item : value.items()) put(item, tensors);
}

}  // namespace

std::vector<Tensor> take_tensors(Value& value, std::string_view op, const Location& location) {
  std::vector<Tensor> taken;
  take(value, op, location, taken);
  return taken;
}

Value with_tensors(Value structure, std::span<const Tensor> tensors) {
  put(structure, tensors);
  return structure;
}

std::string structure_text(const Value& structure) {
  const Kind kind = structure.kind();
  if (kind != Kind::list && kind != Kind::tuple && kind != Kind::map) return "tensor";
  std::string text;
  for (std::size_t i = 0; i < structure.items().size(); ++i) {
    if (i > 0) text += ", ";
    if (kind == Kind::map) text += fmt::format("'{}': ", structure.keys()[i]);
    text += structure_text(structure.items()[i]);
  }
  return kind == Kind::list ? "[" + text + "]" : kind == Kind::tuple ? "(" + text + ")" : "{" + text + "}";
}

}  // namespace tapescope

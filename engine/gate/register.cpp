// Rows that programs add at run time.
#include "engine/gate/register.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

namespace tapescope {
namespace {

struct Registry {
  std::mutex mutex;
  std::deque<OpDef> rows;  // never moved: nodes of tapes point to them
  std::unordered_map<std::string_view, const OpDef*> by_name;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

const OpDef& register_op(OpDef op, Location location) {
  if (op.name.empty())
    fail(ErrorKind::value, "register_op", "the op has no name; give it one that no other op has", &location);
  const bool view = op.flags & OpDef::kView;
  if (!op.infer || (!op.kernel && !view)) {
    fail(ErrorKind::value, "register_op",
         fmt::format("op '{}' lacks {}; a row needs both inference and a kernel", op.name,
                     op.infer ? "a kernel" : "inference"),
         &location);
  }
  if (op.vjp && op.no_gradient != NoGradient::none) {
    fail(ErrorKind::value, "register_op",
         fmt::format("op '{}' has a gradient and says that it has none", op.name), &location);
  }
  if (!op.vjp && op.no_gradient == NoGradient::none) op.no_gradient = NoGradient::unregistered;
  if (find_op(op.name)) {
    fail(ErrorKind::value, "register_op",
         fmt::format("there is an op '{}' already; choose another name", op.name), &location);
  }
  op.id = intern_op_name(op.name);
  op.name = op_name_text(op.id);  // lives as long as the process, as the caller's text may not
  Registry& known = registry();
  std::lock_guard lock(known.mutex);
  const OpDef& row = known.rows.emplace_back(op);
  known.by_name.emplace(row.name, &row);
  return row;
}

const OpDef* find_registered_op(std::string_view name) {
  Registry& known = registry();
  std::lock_guard lock(known.mutex);
  const auto found = known.by_name.find(name);
  return found == known.by_name.end() ? nullptr : found->second;
}

}  // namespace tapescope

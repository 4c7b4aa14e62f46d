// What values hold: of backward steps as they return, of forward ops once something was found not to be
// finite.
#include <algorithm>

#include "bridges/python/module/ops.h"
#include "bridges/python/module/tensors.h"
#include "bridges/python/module/thread.h"

namespace tapescope::bridge {
namespace {

constexpr Py_ssize_t kMaskBits = 16;

int look_at(PyObject* tensor) {
  if (is_eager(tensor)) {
    const Values values(tensor);
    return values ? tapescope_look(&values.get()) : 0;
  }
  // IndexedSlices: rows that are not given are zero, which is no finding.
  static PyObject* const name = interned("values");
  const Ref rows(PyObject_GetAttr(tensor, name));
  if (!rows) {
    PyErr_Clear();
    return 0;
  }
  return is_eager(rows.get()) ? look_at(rows.get()) : 0;
}

// `look`: at its values as well.
void put(tapescope_masks& masks, Py_ssize_t i, PyObject* tensor, bool look = true) {
  if (i >= kMaskBits) return;
  const auto bit = static_cast<std::uint16_t>(1u << i);
  if (!tensor || tensor == Py_None) {
    masks.none |= bit;
    return;
  }
  if (!look) return;
  const int found = look_at(tensor);
  if (found & TAPESCOPE_ALL_ZERO) masks.zero |= bit;
  if (found & TAPESCOPE_HAS_NAN) masks.nan |= bit;
  if (found & TAPESCOPE_HAS_INFINITY) masks.infinity |= bit;
}

// Of one value, or of each of a list; returns how many there are.
Py_ssize_t put_all(tapescope_masks& masks, PyObject* values, bool look = true) {
  if (!PyList_Check(values) && !PyTuple_Check(values)) {
    put(masks, 0, values, look);
    return 1;
  }
  const Py_ssize_t count = length_of(values);
  for (Py_ssize_t i = 0; i < std::min(count, kMaskBits); ++i) put(masks, i, item_of(values, i), look);
  return count;
}

bool any(const tapescope_masks& masks) { return (masks.none | masks.zero | masks.nan | masks.infinity) != 0; }

}  // namespace

bool note_step_result(tapescope_tensor forward_output, PyObject* results, PyObject* cotangents,
                      PyObject* inputs, bool always) {
  tapescope_seen seen{};
  seen.forward_output = forward_output;
  seen.values = static_cast<std::uint16_t>(put_all(seen.results, results));
  if (!any(seen.results) && !always) return false;  // nothing to remark: most steps
  // Why a value is None no other value says.
  const bool values = always || (seen.results.zero | seen.results.nan | seen.results.infinity) != 0;
  seen.given = static_cast<std::uint16_t>(put_all(seen.cotangents, cotangents, values));
  if (values && inputs && inputs != Py_None) {
    tapescope_masks operands{};
    put_all(operands, inputs);
    seen.zero_operands = operands.zero;
  }
  tapescope_step_result(&seen);
  return (seen.results.zero | seen.results.nan | seen.results.infinity) != 0;
}

void note_nonfinite_ops() {
  HookThread& thread = hook_thread();
  int noted = 0;
  for (auto kept = thread.kept.begin(); kept != thread.kept.end();) {
    tapescope_seen seen{};
    seen.forward_output = kept->op;
    seen.forward = 1;
    seen.values = kept->outputs;
    for (; kept != thread.kept.end() && kept->op == seen.forward_output; ++kept)
      put(seen.results, kept->index, kept->tensor.get());
    if ((seen.results.nan | seen.results.infinity) == 0) continue;
    seen.results.zero = 0;
    tapescope_step_result(&seen);
    if (++noted == 64) break;  // what it spreads to is no news
  }
}

}  // namespace tapescope::bridge

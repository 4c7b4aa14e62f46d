// When a session wants a gradient's statistics.
#include "engine/tape/gradient_stats.h"

#include "engine/events/session.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"

namespace tapescope {

void offer_gradient_stats(const Tensor& gradient, NameId source_name, TensorId source, TensorId stands_for) {
  ThreadState& ts = state();
  if (!(ts.listen.load(std::memory_order_relaxed) & kListenEvents) || ts.backward_depth != 0) return;
  if (!gradient || !is_floating(gradient.dtype()) || current_trace()) return;  // symbols have no elements
  if (!wants_stats(ts.step)) return;
  TensorStats stats = tensor_stats(gradient);
  if (stands_for != 0) stats.tensor = stands_for;
  if (ts.in_flight()) {
    // Sources of one name that different lines ask for are different ones.
    const SiteId line = ts.origin ? intern_site(*ts.origin, ts.scope) : 0;
    ts.flight.answer(stats, source_name | std::uint64_t{line} << 32);
  }
  Session::offer_stats({.stats = stats, .step = ts.step, .source = source_name, .source_id = source});
}

}  // namespace tapescope

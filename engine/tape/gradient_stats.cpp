// When a session wants a gradient's statistics.
#include "engine/tape/gradient_stats.h"

#include "engine/events/session.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"

namespace tapescope {

void offer_gradient_stats(const Tensor& gradient, NameId source_name, TensorId source) {
  const ThreadState& ts = state();
  if (!(ts.listen.load(std::memory_order_relaxed) & kListenEvents) || ts.backward_depth != 0) return;
  if (!gradient || !is_floating(gradient.dtype()) || current_trace()) return;  // symbols have no elements
  Session* session = Session::active();
  if (!session || session->options().stats_every == 0 || ts.step % session->options().stats_every != 0)
    return;
  session->offer_stats(
      {.stats = tensor_stats(gradient), .step = ts.step, .source = source_name, .source_id = source});
}

}  // namespace tapescope

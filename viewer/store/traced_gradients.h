// Gradients that tapes inside traced functions answered: asked and explained once, when the function was
// traced, and true of every step that calls it.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/events/records/record.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

class TracedGradients {
 public:
  using Traces = std::set<std::uint64_t>;  // by trace_key()

  // Asks and calls, in the order a thread wrote them; others pass it by.
  void add(std::uint32_t thread, const Record& record);
  // Whether a question inside a trace is not remembered yet.
  bool has_new() const { return !unanswered_.empty(); }
  // What was answered to a question inside a trace, by the id of its call.
  void remember(std::uint64_t call, std::vector<GradientRow> rows);
  // The questions that were not answered in the records at hand never will be.
  void close() { unanswered_.clear(); }

  // Traces that ran since the last take_called().
  const Traces& called() const { return called_; }
  Traces take_called() { return std::exchange(called_, {}); }
  // The rows of these traces and of those they call, but for the calls in `known`; of equal questions the
  // last one.
  std::vector<GradientRow> rows(const Traces& traces, const std::set<std::uint64_t>& known) const;

 private:
  struct Trace {
    std::vector<std::uint64_t> asks;   // ids of gradient calls
    std::vector<std::uint64_t> calls;  // traces that became part of this one
  };
  template <class T>
  struct Deep {
    T what;
    std::uint16_t depth;
  };
  struct Pending {
    std::vector<Deep<std::uint64_t>> asks, calls;
  };

  // Beyond so many traces all are forgotten, as a program that traces without end needs its latest ones only.
  static constexpr std::size_t kMostTraces = 4096;
  std::unordered_map<std::uint64_t, Trace> traces_;
  std::unordered_map<std::uint64_t, std::vector<GradientRow>> answers_;  // by gradient call
  std::set<std::uint64_t> unanswered_;
  std::map<std::uint32_t, Pending> pending_;  // by thread: of traces without a record yet
  Traces called_;
};

}  // namespace tapescope

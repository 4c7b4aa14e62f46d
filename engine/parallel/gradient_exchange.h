// Gradients averaged over the processes of the group, in a few large exchanges that run while the backward
// pass goes on.
//
//   GradientExchange exchange;
//   const auto gradients = exchange.gradient(tape, loss, variables);  // in place of tape.gradient(loss,
//   variables) optimizer.apply_gradients(gradients, variables);
//
// Each process takes its own part of the batch. Where the parts are equal and the loss is a mean over them,
// the average is the gradient of the loss over the whole batch, but for the order in which floats are added.
// The variables must begin with equal values: broadcast_values() makes them so.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/public.h"
#include "engine/tape/tape.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct ExchangeOptions {
  // Gradients are exchanged together up to so many bytes; a larger one is exchanged alone. An exchange costs
  // its latency whatever its size, while what is exchanged together waits for the last of its gradients.
  std::int64_t bucket_bytes = std::int64_t{1} << 20;
  // A bucket is exchanged as soon as its gradients are complete, while the backward pass goes on. Off: after
  // the backward pass, one after the other. Inside a traced function it is off.
  bool overlap = true;
};

// What the last call exchanged, as this process sees it.
struct ExchangeAccount {
  std::uint64_t exchanges = 0;
  std::uint64_t bytes = 0;  // that this process gave
};

class GradientExchange {
 public:
  explicit GradientExchange(ExchangeOptions options = {});
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  // tape.gradient(), averaged over the processes: the same in each of them. Every process asks for the same
  // sources, in the same order and of the same types. A gradient that is None here and not elsewhere counts
  // as zeros; one that is None everywhere stays None (inside a traced function: zeros). Gradients kept as
  // rows become dense. Leaves the records of note_replicas(). Throws what tape.gradient() throws, and Error
  // (runtime) where the processes do not exchange alike.
  std::vector<Tensor> gradient(GradientTape& tape, const Traced& target, std::span<const Traced> sources,
                               const GradientOptions& options = {}, Location location = Location::current());
  std::vector<Tensor> gradient(GradientTape& tape, const Traced& target,
                               std::initializer_list<Traced> sources, const GradientOptions& options = {},
                               Location location = Location::current()) {
    return gradient(tape, target, std::span(sources.begin(), sources.size()), options, location);
  }
  const ExchangeAccount& account() const;

 private:
  class Plan;
  std::unique_ptr<Plan> plan_;
};

// Gives every variable the value that it has in the process `root`. Once, before the first step.
void broadcast_values(std::span<const Variable> variables, int root = 0,
                      Location location = Location::current());

}  // namespace tapescope

// What replicas should hold in common, left in the records of each so that a reader finds where they part.
#pragma once
#include <cstdint>
#include <span>

#include "engine/core/public.h"
#include "engine/tape/nest.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Records a hash of each source's present value and of its gradient after the exchange; one gradient a
// source, None is allowed. GradientExchange does so itself; call it once a step, before the update, where a
// program exchanges gradients by all_reduce. Costs one pass over the elements where something records a group
// of several processes, else nothing.
void note_replicas(std::span<const Traced> sources, std::span<const Tensor> gradients);

// Of the elements' bytes and their number, never 0; the same on every machine. No cryptographic strength.
std::uint64_t hash_of_elements(const Tensor& tensor);

}  // namespace tapescope

// gradient_of(): the name that GradientTape::gradient() of structures had first.
#pragma once
#include "engine/core/public.h"
#include "engine/tape/tape.h"

namespace tapescope TAPESCOPE_PUBLIC {

// tape.gradient(targets, sources, options), for structures and for single tensors and variables.
template <class Targets, class Sources>
typename tapescope_inside::Nest<Sources>::Gradients gradient_of(GradientTape& tape, const Targets& targets,
                                                                const Sources& sources,
                                                                const GradientOptions& options = {},
                                                                Location location = Location::current()) {
  return std::get<0>(tape.gradient(targets, std::tuple<Sources>(sources), options, location));
}

}  // namespace tapescope

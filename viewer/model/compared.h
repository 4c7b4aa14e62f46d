// What of two programs was compared.
#pragma once
#include <cstdint>

namespace tapescope {

enum class Compared : std::uint8_t {
  elements,  // losses, and gradients element by element: of samples
  norms,     // losses, whether gradients are None, zero or not finite, and their norms: of other programs
  losses,    // losses, and whether gradients are None; no norm of one is known of both
  nothing,   // they have no loss and no gradient in common
};

}  // namespace tapescope

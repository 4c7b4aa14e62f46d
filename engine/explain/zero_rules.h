// How each kind of op makes a gradient zero, in words.
#pragma once
#include <string_view>

namespace tapescope {

struct Type;

struct ZeroRule {
  std::string_view op;      // type of the forward op
  std::string_view reason;  // "dead_relu"
  std::string_view what;    // "… got no positive input"
  std::string_view fix;
  bool product = false;  // each gradient is a product with the other operand
};

// Null for an op that has no rule.
const ZeroRule* zero_rule_of(std::string_view op);
// In the order of how surely the op explains a gradient that is zero everywhere; -1 for an op without a rule.
int zero_rank(std::string_view op);
// Whether the op makes the zeros and ones of a mask.
bool makes_mask(std::string_view op);
// Whether the op may make the gradient zero for some elements alone.
bool zeroes_some(std::string_view op);

// Whether the op is the backward pass of a function of straight pieces, whose first input is what arrives.
bool is_slope(std::string_view op);

// Words for reasons that are found by values, whatever the op.
extern const ZeroRule kCancels, kCancelsThere, kCutAbove, kUnderflow, kUnderflowHalf, kVanished, kZeroWeights,
    kMasked, kGivenZeros, kDeadUnits, kOneShare, kEqualShares, kMaxLoser;

// Whether a softmax of that type is over one element each.
bool has_single_shares(std::string_view op, const Type* type);

}  // namespace tapescope

// What a host_read record tells when a cond made it: its branch, which has run by then.
//
// a is the number of the branch plus one, x the tensor that chose, y the id that the branch's first tensor
// got or would have got and z the id of the tensor after its last. Both branches of a cond in a function are
// told when it is traced; when a call runs its node, the branch that ran is told right before the node's own
// op record, which has site and tensors: z is then what y is for others, and bit i of y tells that the branch
// takes the node's input i. In a gradient, whose op record is a backward one, it tells that the branch gives
// more than zeros to input i of the node that is differentiated. The chooser's bit is always set; the last
// bit stands for all inputs from it on.
#pragma once
#include <cstdint>

namespace tapescope {

inline constexpr std::uint16_t kBranchTraced = 1;  // in h
inline constexpr std::uint16_t kBranchOfNode = 2;  // in h
inline constexpr std::uint32_t kLastBranchInput = 63;

}  // namespace tapescope

// What a host_read record tells when a cond made it: its branch, which has run by then.
//
// a is the number of the branch plus one, x the tensor that chose, y the id that the branch's first tensor got or would
// have got and z the id of the tensor after its last. Both branches of a cond in a function are told when it is traced.
#pragma once
#include <cstdint>

namespace tapescope {

inline constexpr std::uint16_t kBranchTraced = 1;  // in h

}  // namespace tapescope

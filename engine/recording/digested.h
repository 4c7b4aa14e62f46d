// Which chunks of a file need not be read, as digests stand for them.
#pragma once
#include <cstdint>
#include <vector>

namespace tapescope::record {

// By number of a chunk: whether it is a digest that counts, or events or statistics that such a one stands
// for. All digests count but those of the last `whole_steps` steps, as far as the file goes. Empty where
// there are none, and for what is no file. Leaves the place where the descriptor reads.
std::vector<bool> digested_chunks(int descriptor, std::uint64_t whole_steps);

}  // namespace tapescope::record

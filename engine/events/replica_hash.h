// What replicas of a value are compared by: the same on every machine, for every framework.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tapescope {

// Of the bytes and their number, never 0. Costs what reading the bytes costs. No cryptographic strength.
std::uint64_t replica_hash(const void* data, std::size_t bytes);

}  // namespace tapescope

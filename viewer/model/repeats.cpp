// At each element the distances to the next ones like it are the periods that are tried.
#include "viewer/model/repeats.h"

#include <algorithm>
#include <unordered_map>

namespace tapescope {
namespace {

constexpr int kTries = 4;  // periods at an element: an op that occurs several times in a copy of the body

}  // namespace

std::vector<Repeat> find_repeats(std::span<const std::uint64_t> elements, std::uint32_t least_times,
                                 std::uint32_t least_elements, std::uint32_t longest) {
  const auto count = static_cast<std::uint32_t>(elements.size());
  // The next element like it, by element.
  std::vector<std::uint32_t> next(count, count);
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  for (std::uint32_t i = count; i-- > 0;) {
    const auto [place, added] = seen.try_emplace(elements[i], i);
    if (!added) next[i] = place->second, place->second = i;
  }
  std::vector<Repeat> found;
  for (std::uint32_t i = 0; i < count;) {
    Repeat best;
    std::uint32_t other = next[i];
    for (int tries = 0; tries < kTries && other < count && other - i <= longest;
         ++tries, other = next[other]) {
      const std::uint32_t period = other - i;
      std::uint32_t end = other;
      while (end < count && elements[end] == elements[end - period]) ++end;
      const std::uint32_t times = (end - i) / period;
      if (times >= least_times && times * period >= least_elements &&
          times * period > best.times * best.period)
        best = {i, period, times};
    }
    if (best.times > 0) {
      found.push_back(best);
      i += best.period * best.times;
    } else {
      ++i;
    }
  }
  return found;
}

}  // namespace tapescope

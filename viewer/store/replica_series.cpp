// One series a source; a source is found by its place in the call, at which its name stands each time.
#include "viewer/store/replica_series.h"

#include <algorithm>

namespace tapescope {
namespace {

std::uint32_t folded(std::uint64_t hash) {
  if (hash == 0) return 0;
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(hash ^ hash >> 32));
}

}  // namespace

void add_replica(std::vector<ReplicaSeries>& all, const ReplicaRecord& record, std::uint64_t step,
                 std::size_t most) {
  const auto is_it = [&](const ReplicaSeries& one) {
    return one.index == record.index && one.id == record.name;
  };
  auto found = record.index < all.size() && is_it(all[record.index])
                   ? all.begin() + record.index
                   : std::find_if(all.begin(), all.end(), is_it);
  if (found == all.end())
    found = all.insert(
        all.end(),
        ReplicaSeries{
            .id = record.name, .name = name_text(record.name), .index = record.index, .points = {}});
  Series<ReplicaPoint>& points = found->points;
  const auto number = static_cast<std::uint32_t>(step);
  ReplicaPoint point{.step = number};
  const bool again = !points.empty() && points.back().step == number;
  if (again) point = points.back();
  if (record.value == 2) {
    point.value = static_cast<std::uint32_t>(record.hash >> 32);
    point.gradient = static_cast<std::uint32_t>(record.hash);
  } else {
    (record.value != 0 ? point.value : point.gradient) = folded(record.hash);
  }
  if (again) points.set(points.size() - 1, point);
  else points.push_back(point), points.bound(most);
}

void forget_replicas_from(std::vector<ReplicaSeries>& all, std::uint64_t step) {
  for (ReplicaSeries& one : all) {
    std::size_t keep = one.points.size();
    while (keep > 0 && one.points[keep - 1].step >= step) --keep;
    one.points.truncate(keep);
  }
}

}  // namespace tapescope

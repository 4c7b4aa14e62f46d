// Finds rows by the names of this engine and of others.
#include "viewer/store/op_rows.h"

#include <algorithm>
#include <utility>

#include "engine/gate/families.h"
#include "engine/graph/fused.h"

namespace tapescope {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"Add", "AddV2"}, {"Div", "RealDiv"}, {"Inv", "Reciprocal"}, {"Rint", "Round"}, {"Select", "SelectV2"}};

}  // namespace

const OpDef* row_of_op(std::string_view name) {
  if (const OpDef* row = find_op(name)) return row;
  if (const OpDef* row = find_fused_op(name)) return row;
  const auto other =
      std::ranges::find(kOtherNames, name, &std::pair<std::string_view, std::string_view>::first);
  return other == std::end(kOtherNames) ? nullptr : find_op(other->second);
}

bool is_elementwise(const OpDef& row) {
  const auto family = elementwise_ops();
  return (row.flags & OpDef::kHasParameters) == 0 && std::ranges::find(family, &row) != family.end();
}

}  // namespace tapescope

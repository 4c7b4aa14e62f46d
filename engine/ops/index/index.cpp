// The list of the index family's rows, and what every kernel that reads indices shares.
#include "engine/ops/index.h"

#include <fmt/format.h>

#include "engine/gate/families.h"
#include "engine/ops/index/rows.h"
#include "engine/ops/index/shared.h"

namespace tapescope {

std::span<const OpDef* const> index_ops() {
  static constexpr const OpDef* kIndexRows[] = {&kGather,
                                                &kGatherNd,
                                                &kOneHot,
                                                &kScatterNd,
                                                &kTensorScatterUpdate,
                                                &kTensorScatterAdd,
                                                &kTensorScatterSub,
                                                &kTensorScatterMax,
                                                &kTensorScatterMin,
                                                &kUnsortedSegmentSum,
                                                &kUnsortedSegmentMax,
                                                &kSegmentSum,
                                                &kTopK,
                                                &kWhere,
                                                &kInTopK,
                                                &kInvertPermutation};
  return kIndexRows;
}

void check_index_type(const InferContext& c, int input) {
  if (!is_integer(c.in(input).dtype))
    c.fail(fmt::format("indices must be int32 or int64, got {}", c.in(input).text()));
}

const TensorImpl& host_values(const InferContext& c, int i) {
  if (c.inputs[static_cast<std::size_t>(i)]->extension) {
    c.fail(
        fmt::format("the shape of the result depends on the values of {}, which are not known while a "
                    "function is traced or batched; "
                    "hint: call it outside, or give the size",
                    c.in(i).text()));
  }
  return *c.inputs[static_cast<std::size_t>(i)];
}

void refuse_index(std::string_view op, std::int64_t position, std::int64_t index, std::int64_t size) {
  fail(ErrorKind::invalid_argument, op,
       fmt::format("index {} at position {} is not in [0, {})", index, position, size));
}

}  // namespace tapescope

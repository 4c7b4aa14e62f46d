// The list of the shape family's rows.
#include "engine/ops/shape.h"

#include "engine/gate/families.h"
#include "engine/ops/shape/rows.h"

namespace tapescope {

std::span<const OpDef* const> shape_ops() {
  static constexpr const OpDef* kShapeRows[] = {
      &kReshape,     &kExpandDims, &kSqueeze,   &kIdentity,     &kStopGradient, &kTranspose,
      &kBroadcastTo, &kTile,       &kReverse,   &kRoll,         &kConcat,       &kSplit,
      &kSplitV,      &kPack,       &kUnpack,    &kSlice,        &kStridedSlice, &kStridedSliceGrad,
      &kPad,         &kPadV2,      &kMirrorPad, &kMirrorPadGrad};
  return kShapeRows;
}

}  // namespace tapescope

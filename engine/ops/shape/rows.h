// The rows of the shape family, in the files that define them; shape.cpp lists them.
#pragma once
#include "engine/gate/op.h"

namespace tapescope {

extern const OpDef kReshape, kExpandDims, kSqueeze, kIdentity, kStopGradient;  // shape_view.cpp
extern const OpDef kTranspose, kBroadcastTo, kTile, kReverse, kRoll;           // shape_move.cpp
extern const OpDef kConcat, kSplit, kSplitV, kPack, kUnpack;                   // shape_join.cpp
extern const OpDef kSlice, kStridedSlice, kStridedSliceGrad;                   // shape_slice.cpp
extern const OpDef kPad, kPadV2, kMirrorPad, kMirrorPadGrad;                   // shape_pad.cpp

}  // namespace tapescope

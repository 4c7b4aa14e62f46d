// The rows of the index family, in the files that define them; index.cpp lists them.
#pragma once
#include "engine/gate/op.h"

namespace tapescope {

extern const OpDef kGather, kGatherNd, kOneHot;  // index_gather.cpp
extern const OpDef kScatterNd, kTensorScatterUpdate, kTensorScatterAdd,
    kTensorScatterSub;  // index_scatter.cpp
extern const OpDef kTensorScatterMax, kTensorScatterMin;
extern const OpDef kUnsortedSegmentSum, kUnsortedSegmentMax, kSegmentSum;  // index_segment.cpp
extern const OpDef kTopK, kWhere, kInTopK, kInvertPermutation;             // index_sort.cpp

}  // namespace tapescope

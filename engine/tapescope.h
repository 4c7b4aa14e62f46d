// All of the engine for a program that uses it: tensors and ops, variables and tapes, layers and optimizers, data sets.
//
//   #include "engine/tapescope.h"
//
// TAPESCOPE_RECORD=FILE records a program that links the engine, TAPESCOPE_LISTEN=1 lets viewers attach to it, without a change.
#pragma once
#include "engine/core/error.h"
#include "engine/core/tensor.h"
#include "engine/graph/flow.h"
#include "engine/live/listen.h"
#include "engine/nn/activations.h"
#include "engine/nn/dataset.h"
#include "engine/nn/initializers.h"
#include "engine/nn/layers.h"
#include "engine/nn/losses.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "engine/ops/state.h"
#include "engine/tape/tape.h"
#include "engine/tape/variable.h"

// Every op a program can call.
#pragma once
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/linalg.h"
#include "engine/ops/nn.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

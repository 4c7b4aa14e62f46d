// What a program may link against.
//
// The engine is compiled with hidden symbols. A header that engine/tapescope.h leads to opens its namespace
// with TAPESCOPE_PUBLIC; `cmake --install` makes every other symbol local (cmake/public-part.sh).
#pragma once

#define TAPESCOPE_PUBLIC __attribute__((visibility("default")))

# Flags that every target shares.
add_library(tapescope_warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)  # a program that has this project in it chooses its warnings
  target_compile_options(tapescope_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
endif()
# A fused multiply-add rounds once where two operations round twice: left to the compiler, results
# would depend on the machine. Kernels that want it ask for it.
target_compile_options(tapescope_warnings INTERFACE -ffp-contract=off)
# Libraries are of position-independent code, so that plugins can link them; no function of ours is replaced by one of theirs.
target_compile_options(tapescope_warnings INTERFACE -fno-semantic-interposition)
# Locations must not carry the path of the machine that built them.
target_compile_options(tapescope_warnings INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(TAPESCOPE_OPTIMIZE_DEBUG)
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
endif()
if(TAPESCOPE_SANITIZE)
  target_compile_options(tapescope_warnings INTERFACE -fsanitize=${TAPESCOPE_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(tapescope_warnings INTERFACE -fsanitize=${TAPESCOPE_SANITIZE})
endif()

# With AddressSanitizer what does not compute is compiled unoptimized, which takes two thirds of the time.
function(tapescope_computes_little)
  if(TAPESCOPE_SANITIZE MATCHES address)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -O0)
    endforeach()
  endif()
endfunction()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/cached-compiler.sh ${CCACHE} ${PROJECT_SOURCE_DIR})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(tapescope_warnings INTERFACE -fpch-preprocess)
  endif()
endif()

# The standard library's headers take longer to read than most of our files take to compile. What is precompiled costs
# every file of the target the templates that its inline functions use: JSON's header a second each. None of our own headers:
# GCC does not know one again by #pragma once after its time changed, as it does when ccache gives back an older result.
function(tapescope_precompile target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex> <optional>
    <span> <string> <string_view> <thread> <unordered_map> <utility> <vector> <fmt/format.h> ${ARGN})
endfunction()

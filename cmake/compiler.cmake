# Flags that every target shares.
add_library(tapescope_warnings INTERFACE)
target_compile_options(tapescope_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
# A fused multiply-add rounds once where two operations round twice: left to the compiler, results
# would depend on the machine. Kernels that want it ask for it.
target_compile_options(tapescope_warnings INTERFACE -ffp-contract=off)
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

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

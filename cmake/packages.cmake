# What Debian 12 and Debian 13 package; the names differ in places, the targets made here do not.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.74 REQUIRED CONFIG)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

# fmt's library has another name in each release of Debian, and zstd's may be missing elsewhere: a wheel, which goes anywhere, holds both.
option(TAPESCOPE_SELF_CONTAINED "Hold fmt and zstd instead of linking their shared libraries" OFF)
if(TAPESCOPE_SELF_CONTAINED)
  set(TAPESCOPE_FMT fmt::fmt-header-only)
  find_library(TAPESCOPE_ZSTD libzstd.a REQUIRED)
else()
  set(TAPESCOPE_FMT fmt::fmt)
  set(TAPESCOPE_ZSTD PkgConfig::ZSTD)
endif()

# Matrix products: whichever of the two is installed is a candidate, chosen per shape at run time.
add_library(tapescope_gemm INTERFACE)
pkg_check_modules(OPENBLAS IMPORTED_TARGET openblas)
if(OPENBLAS_FOUND)
  target_link_libraries(tapescope_gemm INTERFACE PkgConfig::OPENBLAS)
  target_compile_definitions(tapescope_gemm INTERFACE TAPESCOPE_OPENBLAS)
endif()
# By name, not by its CMake package: that one wants OpenCL's headers, which we have no use for.
find_library(DNNL_LIBRARY dnnl)
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.h)
if(DNNL_LIBRARY AND DNNL_INCLUDE_DIR)
  target_link_libraries(tapescope_gemm INTERFACE ${DNNL_LIBRARY})
  target_include_directories(tapescope_gemm INTERFACE ${DNNL_INCLUDE_DIR})
  target_compile_definitions(tapescope_gemm INTERFACE TAPESCOPE_ONEDNN)
endif()

# What lets processes of a job exchange gradients; without it programs run as one process. Its headers alone: the library is loaded
# where a launcher started several.
add_library(tapescope_mpi INTERFACE)
pkg_check_modules(OPENMPI ompi-c)
if(OPENMPI_FOUND)
  target_include_directories(tapescope_mpi SYSTEM INTERFACE ${OPENMPI_INCLUDE_DIRS})
  target_compile_definitions(tapescope_mpi INTERFACE TAPESCOPE_MPI)
endif()

# What makes machine code of compiled functions; without it they run in the interpreter. Its headers alone: the library is loaded
# when it is first needed.
option(TAPESCOPE_LLVM "Make machine code of compiled functions where LLVM 19 is installed" ON)
if(TAPESCOPE_LLVM)
  find_path(TAPESCOPE_LLVM_INCLUDE_DIR llvm-c/LLJIT.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
endif()

if(TAPESCOPE_VIEWER)
  find_package(nlohmann_json REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(PNG REQUIRED)
  find_package(SQLite3 REQUIRED)
  find_package(OpenGL REQUIRED)
  find_package(glfw3 3.3 REQUIRED)
  pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)
  pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)
  pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
  add_library(fontconfig_lib INTERFACE)
  target_link_libraries(fontconfig_lib INTERFACE PkgConfig::FONTCONFIG)
  add_library(tapescope_imgui INTERFACE)
  target_link_libraries(tapescope_imgui INTERFACE PkgConfig::IMGUI glfw OpenGL::GL ${CMAKE_DL_LIBS})
  target_include_directories(tapescope_imgui INTERFACE /usr/include/imgui /usr/include/imgui/backends)
endif()

if(TAPESCOPE_TESTS)
  find_package(Catch2 REQUIRED)
endif()

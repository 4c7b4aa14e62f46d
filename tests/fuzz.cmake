# Fuzz targets: each reader of files that others may have written, in the release and under the address sanitizer. Under clang with
# libFuzzer they fuzz; with every other compiler a driver of our own changes the files of a small corpus for a second, and for
# minutes under ./test --long.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
check_cxx_source_compiles("extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }"
                          TAPESCOPE_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)
add_custom_target(fuzzers)

# Test names begin with `prefix`, programs with `launcher`, both empty but in a sanitized build (sanitized.cmake).
function(tapescope_fuzz name)
  add_executable(fuzz_${name} fuzz/${name}.cpp)
  add_dependencies(fuzzers fuzz_${name})
  target_link_libraries(fuzz_${name} PRIVATE tapescope_engine)
  separate_arguments(launch UNIX_COMMAND "${launcher}")
  set(command ${launch} $<TARGET_FILE:fuzz_${name}>)
  if(TAPESCOPE_LIBFUZZER)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set(short -max_total_time=2 -runs=2000)
    set(long -max_total_time=600)
  else()
    target_sources(fuzz_${name} PRIVATE fuzz/driver.cpp)
    set(short 2 1)
    set(long 600 2)
  endif()
  add_test(NAME "${prefix}fuzz_${name}" COMMAND ${command} ${short} ${ARGN})
  set_tests_properties("${prefix}fuzz_${name}" PROPERTIES LABELS unit TIMEOUT 120 ENVIRONMENT "${environment}")
  add_test(NAME "${prefix}fuzz_${name}_long" COMMAND ${command} ${long} ${ARGN})
  set_tests_properties("${prefix}fuzz_${name}_long" PROPERTIES LABELS long TIMEOUT 900 ENVIRONMENT "${environment}")
endfunction()

tapescope_fuzz(recording ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/small.tape ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/python.tape)
tapescope_fuzz(live ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/live.bin)
tapescope_fuzz(idx ${PROJECT_SOURCE_DIR}/assets/digits/t10k-labels-idx1-ubyte.gz ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/labels.idx)

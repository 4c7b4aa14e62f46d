# Fuzz targets: each reader of files that others may have written. Under clang with libFuzzer they fuzz; with every other
# compiler a driver of our own changes the files of a small corpus for a second, and for minutes under TAPESCOPE_LONG.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
check_cxx_source_compiles("extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }"
                          TAPESCOPE_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)

function(tapescope_fuzz name)
  add_executable(fuzz_${name} fuzz/${name}.cpp)
  target_link_libraries(fuzz_${name} PRIVATE tapescope_engine)
  if(TAPESCOPE_LIBFUZZER)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set(command fuzz_${name} -max_total_time=2 -runs=2000 ${ARGN})
  else()
    target_sources(fuzz_${name} PRIVATE fuzz/driver.cpp)
    set(command fuzz_${name} 2 1 ${ARGN})
    set(longer fuzz_${name} 600 2 ${ARGN})
    add_test(NAME fuzz_${name}_long COMMAND ${longer})
    set_tests_properties(fuzz_${name}_long PROPERTIES LABELS long TIMEOUT 900)
  endif()
  add_test(NAME fuzz_${name} COMMAND ${command})
  set_tests_properties(fuzz_${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

tapescope_fuzz(recording ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/small.tape ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/python.tape)
tapescope_fuzz(live ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/live.bin)
tapescope_fuzz(idx ${PROJECT_SOURCE_DIR}/assets/digits/t10k-labels-idx1-ubyte.gz ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/labels.idx)

# Fuzz targets: each reader of files that others may have written, in the release and under the address sanitizer. Under clang with
# libFuzzer they fuzz; with every other compiler a driver of our own changes the files of a small corpus for a second, and for
# minutes under ./test --long. Recordings are changed behind their checksums (recording_mutator.cpp).
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=fuzzer)
check_cxx_source_compiles("extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }"
                          TAPESCOPE_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)
add_custom_target(fuzzers)

# tapescope_fuzz(NAME LIBRARY SOURCES FILE...). Test names begin with `prefix`, programs with `launcher`, both empty but in a sanitized
# build (sanitized.cmake).
function(tapescope_fuzz name library sources)
  list(TRANSFORM sources PREPEND fuzz/)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE corpus)
  add_executable(fuzz_${name} ${sources})
  add_dependencies(fuzzers fuzz_${name})
  target_link_libraries(fuzz_${name} PRIVATE ${library})
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
  add_test(NAME "${prefix}fuzz_${name}" COMMAND ${command} ${short} ${corpus})
  set_tests_properties("${prefix}fuzz_${name}" PROPERTIES LABELS unit TIMEOUT 120 ENVIRONMENT "${environment}")
  add_test(NAME "${prefix}fuzz_${name}_long" COMMAND ${command} ${long} ${corpus})
  set_tests_properties("${prefix}fuzz_${name}_long" PROPERTIES LABELS long TIMEOUT 900 ENVIRONMENT "${environment}")
endfunction()

set(recordings fuzz/corpus/small.tape fuzz/corpus/python.tape fuzz/corpus/values.tape fuzz/corpus/functions.tape fuzz/corpus/live.tape
    fuzz/corpus/every-kind.tape
    data/recordings-1.1/none-traced-constant.tape data/recordings-1.1/retracing-object.tape data/recordings-1.1/rnn-while.tape)
tapescope_fuzz(recording tapescope_events "recording.cpp;recording_mutator.cpp" ${recordings})
tapescope_fuzz(store tapescope_model "store.cpp;recording_mutator.cpp" ${recordings} fuzz/corpus/calls-in-circles.tape)
add_test(NAME "${prefix}fuzz_corpus" COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/every_kind.py
         ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/every-kind.tape)
add_test(NAME "${prefix}fuzz_corpus_live" COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/every_message.py
         ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/live.bin ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/peer.bin)
set_tests_properties("${prefix}fuzz_corpus" "${prefix}fuzz_corpus_live" PROPERTIES LABELS unit TIMEOUT 60)
# 20,000 changes of each kind of recording: a plain one, with functions, with values, what a window kept of a live program, Python's, and one
# with every kind of record.
foreach(kind small functions values live python every-kind)
  separate_arguments(launch UNIX_COMMAND "${launcher}")
  foreach(reader recording store)
    set(test "${prefix}mutations of ${kind}.tape, fuzz_${reader}")
    if(NOT TAPESCOPE_LIBFUZZER)
      add_test(NAME "${test}" COMMAND ${launch} $<TARGET_FILE:fuzz_${reader}> 20000x 21 ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${kind}.tape)
      set_tests_properties("${test}" PROPERTIES LABELS long TIMEOUT 3600 ENVIRONMENT "${environment}")
    endif()
  endforeach()
endforeach()
tapescope_fuzz(source_text tapescope_model source_text.cpp fuzz/corpus/files.text fuzz/corpus/lambda.text programs/mixed/snow_pack.cpp
               bridges/programs/tensorflow/short/pay_ratio.py)
tapescope_fuzz(live tapescope_events live.cpp fuzz/corpus/live.bin)
tapescope_fuzz(idx tapescope_engine idx.cpp ../assets/digits/t10k-labels-idx1-ubyte.gz fuzz/corpus/labels.idx)
tapescope_fuzz(tables tapescope_engine tables.cpp fuzz/corpus/floats.npy fuzz/corpus/bools.npy fuzz/corpus/numbers.csv)
tapescope_fuzz(graph_waits tapescope_bridge graph_waits.cpp fuzz/corpus/waits.trace)
tapescope_fuzz(peer tapescope_debugger peer.cpp fuzz/corpus/peer.bin)
# Of the window, whose libraries are not built with sanitizers here: ./test --long does.
if(TAPESCOPE_VIEWER AND NOT TAPESCOPE_SANITIZE)
  tapescope_fuzz(settings tapescope_app settings.cpp fuzz/corpus/settings.json)
  tapescope_fuzz(script tapescope_app script.cpp fuzz/corpus/tour.script)
  tapescope_fuzz(baseline tapescope_app baseline.cpp fuzz/corpus/baseline.json)
endif()
# Lines of the codec that they reach, by GCC's counters.
if(NOT TAPESCOPE_LIBFUZZER AND NOT TAPESCOPE_SANITIZE)
  add_test(NAME fuzz_reached CONFIGURATIONS all
           COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/reached.py ${CMAKE_BINARY_DIR} --floor 90)
  set_tests_properties(fuzz_reached PROPERTIES LABELS long TIMEOUT 1800)
endif()

# Checks of the tree itself, and the runs under sanitizers. Read by tests/CMakeLists.txt.
find_program(PYTHON3 python3 REQUIRED)

if(TAPESCOPE_SANITIZE)
  # A sanitized build has tests without a window only.
  if(TAPESCOPE_SANITIZE MATCHES "thread")
    # Those that have a test tagged [threads], all of them the engine's, with the helpers that have no tests: the thread
    # sanitizer slows everything else down for nothing.
    set(filters "[threads]~[.]")
    tapescope_sources(candidates engine)
    set(sanitized_sources)
    foreach(source IN LISTS candidates)
      file(READ ${source} content)
      if(content MATCHES "\\[threads\\]" OR NOT content MATCHES "TEST_CASE")
        list(APPEND sanitized_sources ${source})
      endif()
      # A tag that is added or removed changes the list.
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    endforeach()
    tapescope_sources(others samples viewer gui)
    foreach(source IN LISTS others)
      file(READ ${source} content)
      if(content MATCHES "\\[threads\\]")
        message(FATAL_ERROR "${source} has a test tagged [threads], which only the engine's may have: here it would not be run")
      endif()
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    endforeach()
    add_executable(sanitized_tests ${sanitized_sources})
    target_include_directories(sanitized_tests PRIVATE ${PROJECT_SOURCE_DIR})
    target_precompile_headers(sanitized_tests PRIVATE support/catch.h)
    target_compile_definitions(sanitized_tests PRIVATE TAPESCOPE_TESTS_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
                               TAPESCOPE_BINARY="${CMAKE_BINARY_DIR}/tapescope")
    target_link_libraries(sanitized_tests PRIVATE tapescope_engine)
  else()
    # What is looked after is the engine, the store and the models. Tests are those of the release as they were compiled there:
    # with the address sanitizer's code in them they take three times as long to compile, which was most of the build.
    # Half of the time is mistakes made in every way: run beside the other half.
    set(filters "~[mistakes]~[.]" "[mistakes]~[.]")
    set(release ${PROJECT_SOURCE_DIR}/build/release/tests/CMakeFiles)
    set(objects)
    foreach(part test_engine:engine test_samples:samples test_viewer:viewer/store test_viewer:viewer/model)
      string(REPLACE ":" ";" part ${part})
      list(GET part 0 target)
      list(GET part 1 folder)
      tapescope_sources(sources ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
      foreach(source IN LISTS sources)
        file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${source})
        list(APPEND objects ${release}/${target}.dir/${name}.o)
      endforeach()
    endforeach()
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    add_executable(sanitized_tests ${objects})
    set_target_properties(sanitized_tests PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(sanitized_tests PRIVATE tapescope_model tapescope_samples)
  endif()
  target_link_libraries(sanitized_tests PRIVATE tapescope_test_main Catch2::Catch2 nlohmann_json::nlohmann_json)
  foreach(filter IN LISTS filters)
    add_test(NAME "sanitized_tests ${filter}" COMMAND sanitized_tests ${filter})
    # With nothing tagged there is no test, and ctest fails as it is told to.
    set_tests_properties("sanitized_tests ${filter}" PROPERTIES LABELS sanitized TIMEOUT 1200
                         FAIL_REGULAR_EXPRESSION "No test cases matched;No tests ran")
  endforeach()
  return()
endif()

# A check that cannot fail proves nothing: each first finds faults planted in a made-up tree.
foreach(check includes style)
  add_test(NAME check_${check} COMMAND ${PYTHON3} -B checks/${check}.py ${PROJECT_SOURCE_DIR}
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME check_${check}_self COMMAND ${PYTHON3} -B checks/${check}.py --self-test
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(check_${check} check_${check}_self PROPERTIES LABELS unit TIMEOUT 120)
endforeach()
add_test(NAME check_scripts COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/checks/scripts.sh)
set_tests_properties(check_scripts PROPERTIES LABELS unit TIMEOUT 120)

# Windows and timings want the machine for themselves.
if(TARGET test_gui)
  set_tests_properties(test_gui PROPERTIES RUN_SERIAL TRUE)
endif()

# Minutes each, and they build: run by ./test, or by `ctest -C sanitizers`, not by a plain ctest.
foreach(preset asan-ubsan tsan)
  add_test(NAME sanitizer_${preset} CONFIGURATIONS sanitizers
           COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/checks/sanitizer.sh ${preset})
  set_tests_properties(sanitizer_${preset} PROPERTIES LABELS sanitizer TIMEOUT 1800 RUN_SERIAL TRUE)
endforeach()
# The window under sanitizers builds for minutes more: by ./test --long.
add_test(NAME sanitizer_monkey CONFIGURATIONS sanitizers
         COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/checks/sanitizer.sh asan-ubsan --monkey)
set_tests_properties(sanitizer_monkey PROPERTIES LABELS long TIMEOUT 3600 RUN_SERIAL TRUE)

# The tests of a sanitized build: everything that is linked is compiled with the sanitizers, tests included, since the linker takes
# one copy of an inline function and may take theirs. Rooms with a window are tested by the monkey alone, under ./test --long.
set(prefix "asan-ubsan: ")
set(sanitized_folders engine samples viewer/store viewer/model viewer/debugger bridges/native)
set(environment
    ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1
    LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/support/leaks.supp:print_suppressions=0
    UBSAN_OPTIONS=print_stacktrace=1
    TSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/support/threads.supp:second_deadlock_stack=1
    # Threads of libraries that are built without a sanitizer look like races to it.
    OMP_NUM_THREADS=1
    OPENBLAS_NUM_THREADS=1)

# Newer kernels randomize addresses more than the sanitizers of GCC 12 stand.
find_program(SETARCH setarch)
set(launcher)
if(SETARCH)
  execute_process(COMMAND ${SETARCH} -R true RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set(launcher "${SETARCH} -R")
  endif()
endif()

tapescope_sources(sources ${sanitized_folders})
if(TAPESCOPE_SANITIZE MATCHES "thread")
  # Files with a case tagged [threads] and helpers without cases: the thread sanitizer finds nothing in the others.
  set(prefix "tsan: ")
  tapescope_sources(all engine samples viewer bridges gui)
  foreach(source IN LISTS all)
    # A tag that is added or removed changes the list.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(READ ${source} content)
    if(content MATCHES "\\[threads\\]" AND NOT source IN_LIST sources)
      message(FATAL_ERROR "${source} has a case tagged [threads], but its folder is not built with sanitizers: "
                          "move the case to one of ${sanitized_folders}")
    elseif(content MATCHES "TEST_CASE" AND NOT content MATCHES "\\[threads\\]")
      list(REMOVE_ITEM sources ${source})
    endif()
  endforeach()
endif()
tapescope_test(sanitized_tests ${sources})
target_link_libraries(sanitized_tests PRIVATE tapescope_debugger tapescope_bridge)
if(TAPESCOPE_SANITIZE MATCHES "thread")
  tapescope_cases(sanitized_tests sanitized [threads])
  return()
endif()
tapescope_cases(sanitized_tests sanitized)
include(fuzz.cmake)

# The window builds for minutes more: ./test --long does.
if(TAPESCOPE_VIEWER)
  tapescope_sources(gui_tests gui)
  tapescope_test(test_gui ${gui_tests})
  target_link_libraries(test_gui PRIVATE tapescope_app)
  set_target_properties(test_gui PROPERTIES EXCLUDE_FROM_ALL TRUE)
  separate_arguments(launch UNIX_COMMAND "${launcher}")
  add_test(NAME "${prefix}monkey" COMMAND ${launch} $<TARGET_FILE:test_gui> "a monkey*")
  set_tests_properties("${prefix}monkey" PROPERTIES LABELS long TIMEOUT 3600 ENVIRONMENT "${environment};TAPESCOPE_LONG=1")
endif()

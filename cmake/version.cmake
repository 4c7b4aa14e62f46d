# What `tapescope --version` prints: the commit, and the parts that depend on what is installed where it is built.

# tapescope_commit(TARGET): commit.h for the target. Git's log of HEAD changes with every commit and checkout, so nothing runs between.
# An archive of the sources has no repository: -DTAPESCOPE_COMMIT names its commit.
set(TAPESCOPE_COMMIT "" CACHE STRING "The commit of sources outside a repository")
function(tapescope_commit target)
  set(header ${PROJECT_BINARY_DIR}/commit/commit.h)
  find_package(Git QUIET)
  set(log)
  if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --path-format=absolute --git-path logs/HEAD
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT EXISTS "${log}")
      set(log)
    endif()
  endif()
  add_custom_command(OUTPUT ${header} DEPENDS ${log} ${PROJECT_SOURCE_DIR}/cmake/commit.cmake
                     COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCES=${PROJECT_SOURCE_DIR} -DHEADER=${header}
                             -DCOMMIT=${TAPESCOPE_COMMIT} -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/commit)
endfunction()

# tapescope_features(FILE): the macros of the file that prints them. Called when all parts are known.
function(tapescope_features file)
  set(with window)
  set(without)
  foreach(feature "bridge|tapescope_python" "MPI|OPENMPI_FOUND" "LLVM|TAPESCOPE_LLVM_INCLUDE_DIR" "OpenBLAS|OPENBLAS_FOUND" "oneDNN|DNNL_LIBRARY")
    string(REGEX MATCH "^(.*)\\|(.*)$" both ${feature})
    if(TARGET ${CMAKE_MATCH_2} OR ${CMAKE_MATCH_2})
      list(APPEND with ${CMAKE_MATCH_1})
    else()
      list(APPEND without ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(JOIN with ", " with)
  list(JOIN without ", " without)
  set_source_files_properties(${file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_DEFINITIONS
    "TAPESCOPE_VERSION=\"${PROJECT_VERSION}\";TAPESCOPE_WITH=\"${with}\";TAPESCOPE_WITHOUT=\"${without}\"")
endfunction()

# Writes the header with the commit of the sources: cmake -DGIT= -DSOURCES= -DHEADER= -DCOMMIT= -P commit.cmake
if(NOT COMMIT AND GIT AND EXISTS ${SOURCES}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCES} rev-parse --short=12 HEAD OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(WRITE ${HEADER} "#define TAPESCOPE_COMMIT \"${COMMIT}\"\n")

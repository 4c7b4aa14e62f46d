# What `cmake --install` puts where, and the Debian packages CPack makes of it: library with headers, application, and Python package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tapescope)
# Of the engine what engine/tapescope.h leads to; headers and symbols of the inside stay here.
set(public_part ${PROJECT_BINARY_DIR}/public_part)
install(CODE "execute_process(
  COMMAND ${CMAKE_COMMAND} -E env LD=${CMAKE_LINKER} NM=${CMAKE_NM} OBJCOPY=${CMAKE_OBJCOPY} AR=${CMAKE_AR}
          ${PROJECT_SOURCE_DIR}/cmake/public-part.sh ${PROJECT_SOURCE_DIR} ${public_part}
          $<TARGET_FILE:tapescope_engine> $<TARGET_FILE:tapescope_events>
  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT library)
install(FILES ${public_part}/libtapescope_engine.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY ${public_part}/include/engine DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tapescope COMPONENT library)
install(FILES engine/recording/format.md assets/tape_writer.py DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtapescope-dev COMPONENT library)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtapescope-dev RENAME copyright COMPONENT library)

# The matrix libraries this build links are those a program has to link.
set(TAPESCOPE_USES_OPENBLAS ${OPENBLAS_FOUND})
set(TAPESCOPE_USES_ONEDNN OFF)
if(DNNL_LIBRARY AND DNNL_INCLUDE_DIR)
  set(TAPESCOPE_USES_ONEDNN ON)
endif()
# Not where find_package would take the build folder for an installed library.
set(config ${PROJECT_BINARY_DIR}/package/installed)
configure_package_config_file(cmake/tapescope-config.cmake.in ${config}/tapescope-config.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${config}/tapescope-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${config}/tapescope-config.cmake ${config}/tapescope-config-version.cmake
        DESTINATION ${package_dir} COMPONENT library)

if(TARGET tapescope)
  install(TARGETS tapescope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT application)
  install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tapescope/manual COMPONENT application PATTERN make EXCLUDE)
  install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tapescope COMPONENT application)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tapescope RENAME copyright COMPONENT application)
  install(DIRECTORY assets/digits DESTINATION ${CMAKE_INSTALL_DATADIR}/tapescope COMPONENT application)
  install(FILES cmake/application/tapescope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT application)
  install(FILES cmake/application/tapescope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT application)
  find_program(HELP2MAN help2man)
  if(HELP2MAN)
    install(CODE "execute_process(
      COMMAND ${CMAKE_COMMAND} -E env HELP2MAN=${HELP2MAN} ${PROJECT_SOURCE_DIR}/cmake/application/man-page.sh $<TARGET_FILE:tapescope>
              ${PROJECT_BINARY_DIR}/tapescope.1 COMMAND_ERROR_IS_FATAL ANY)" COMPONENT application)
    install(FILES ${PROJECT_BINARY_DIR}/tapescope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT application)
  endif()
  install(FILES cmake/application/tapescope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME tapescope COMPONENT application)
endif()

if(TARGET tapescope_python)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/python/tapescope DESTINATION lib/python3/dist-packages COMPONENT python3
          PATTERN __pycache__ EXCLUDE)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Tapescope <tapescope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Visual debugger and profiler for gradient tapes")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENTS_ALL library application)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtapescope-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libfmt-dev, zlib1g-dev, libzstd-dev, pkg-config")
if(TAPESCOPE_USES_OPENBLAS)
  string(APPEND CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ", libopenblas-dev")
endif()
if(TAPESCOPE_USES_ONEDNN)
  string(APPEND CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ", libdnnl-dev")
endif()
set(CPACK_DEBIAN_APPLICATION_PACKAGE_NAME tapescope)
set(CPACK_DEBIAN_APPLICATION_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_APPLICATION_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_APPLICATION_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono, fonts-dejavu-core")
# These are loaded where they are installed: what jobs alone need is not installed for everybody.
if(OPENMPI_FOUND)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "openmpi-bin")
  set(CPACK_DEBIAN_APPLICATION_PACKAGE_SUGGESTS "openmpi-bin")
endif()
if(TAPESCOPE_LLVM AND TAPESCOPE_LLVM_INCLUDE_DIR)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libllvm19")
  string(APPEND CPACK_DEBIAN_APPLICATION_PACKAGE_RECOMMENDS ", libllvm19")
endif()
if(TARGET tapescope_python)
  list(APPEND CPACK_COMPONENTS_ALL python3)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_NAME python3-tapescope)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_DEPENDS "python3 (>= 3.11)")
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON3_PACKAGE_RECOMMENDS tapescope)
endif()
include(CPack)

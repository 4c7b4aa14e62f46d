# The registry of samples: each file samples/NAME.cpp that defines `SampleInfo NAME_sample()` is listed, and no other place has
# to know of it.
function(tapescope_sample_registry out)
  set(declared "")
  set(listed "")
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    file(STRINGS ${source} found REGEX "^SampleInfo ${name}_sample\\(\\)")
    if(found)
      string(APPEND declared "SampleInfo ${name}_sample();\n")
      string(APPEND listed "      ${name}_sample(),\n")
    endif()
    # A sample's function that comes or goes changes the list.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  endforeach()
  set(file ${PROJECT_BINARY_DIR}/samples/all_samples.cpp)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Written by cmake/samples.cmake: every sample of the folder samples.
#include \"samples/sample.h\"

namespace tapescope {

${declared}
std::vector<SampleInfo> all_samples() {
  return {
${listed}  };
}

}  // namespace tapescope
")
  set(${out} ${file} PARENT_SCOPE)
endfunction()

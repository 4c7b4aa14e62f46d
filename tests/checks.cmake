# Checks of the tree itself. A check that cannot fail proves nothing: each first finds faults planted in a made-up tree.
foreach(check includes promises records style)
  add_test(NAME check_${check} COMMAND ${PYTHON3} -B checks/${check}.py ${PROJECT_SOURCE_DIR}
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME check_${check}_self COMMAND ${PYTHON3} -B checks/${check}.py --self-test
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(check_${check} check_${check}_self PROPERTIES LABELS unit TIMEOUT 120)
endforeach()
add_test(NAME check_scripts COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/checks/scripts.sh)
set_tests_properties(check_scripts PROPERTIES LABELS unit TIMEOUT 120)
# The page of faults that were mended names tests that are there.
add_test(NAME check_faults COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/faults/listed_test.py ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(check_faults PROPERTIES LABELS unit TIMEOUT 120)
# Changes of the engine and the viewer that their tests do not notice.
add_test(NAME mutation CONFIGURATIONS all
         COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/mutation/mutate.py ${CMAKE_BINARY_DIR} --jobs 2 --floor 85)
set_tests_properties(mutation PROPERTIES LABELS long TIMEOUT 14400)

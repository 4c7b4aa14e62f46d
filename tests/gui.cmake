# The real window needs a screen of its own and somebody who types.
find_package(Python3 COMPONENTS Interpreter)
find_program(XVFB Xvfb)
find_program(XDOTOOL xdotool)
if(TAPESCOPE_VIEWER AND Python3_FOUND AND XVFB AND XDOTOOL)
  add_test(NAME test_window COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh 1280x900 ${Python3_EXECUTABLE}
           ${CMAKE_CURRENT_SOURCE_DIR}/gui/window_test.py $<TARGET_FILE:tapescope>)
  add_test(NAME test_pictures COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh 1280x900 ${Python3_EXECUTABLE} -B
           ${CMAKE_CURRENT_SOURCE_DIR}/gui/picture_test.py $<TARGET_FILE:tapescope>)
  add_test(NAME test_window_recording COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh 1280x900 ${Python3_EXECUTABLE} -B
           ${CMAKE_CURRENT_SOURCE_DIR}/gui/recording_window_test.py $<TARGET_FILE:tapescope>)
  add_test(NAME test_window_live COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh 1280x900 ${Python3_EXECUTABLE} -B
           ${CMAKE_CURRENT_SOURCE_DIR}/gui/live_window_test.py $<TARGET_FILE:tapescope> $<TARGET_FILE:line_fit>)
  add_test(NAME test_window_job COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh 1280x900 ${Python3_EXECUTABLE} -B
           ${CMAKE_CURRENT_SOURCE_DIR}/gui/job_window_test.py $<TARGET_FILE:tapescope> $<TARGET_FILE:line_fit>)
  add_test(NAME test_tasks COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh 1440x960 ${Python3_EXECUTABLE} -B
           ${CMAKE_CURRENT_SOURCE_DIR}/gui/tasks_test.py $<TARGET_FILE:tapescope>)
  set_tests_properties(test_window test_pictures test_window_recording test_window_live test_window_job test_tasks PROPERTIES LABELS gui TIMEOUT 600)
endif()

# The real window, on a screen that each test has for itself, with a hand that types and clicks.
function(tapescope_window_test name size script)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh ${size} ${PYTHON3} -B
           ${CMAKE_CURRENT_SOURCE_DIR}/gui/${script}.py $<TARGET_FILE:tapescope> ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS gui TIMEOUT 600)
endfunction()
tapescope_window_test(test_window 1280x900 window_test)
tapescope_window_test(test_hand 1280x900 hand_test)
tapescope_window_test(test_pictures 1280x900 picture_test)
tapescope_window_test(test_window_recording 1280x900 recording_window_test)
tapescope_window_test(test_window_live 1280x900 live_window_test $<TARGET_FILE:line_fit>)
tapescope_window_test(test_window_ssh 1280x900 ssh_window_test $<TARGET_FILE:line_fit>)
tapescope_window_test(test_window_narrow 1280x900 narrow_window_test $<TARGET_FILE:line_fit>)
tapescope_window_test(test_window_jobs 1280x900 jobs_window_test $<TARGET_FILE:replicas>)
set_tests_properties(test_window_ssh test_window_narrow test_window_jobs PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(test_window_narrow PROPERTIES LABELS long)
tapescope_window_test(test_window_launch 1280x900 launch_window_test $<TARGET_FILE:line_fit>)
tapescope_window_test(test_window_job 1280x900 job_window_test $<TARGET_FILE:line_fit>)
tapescope_window_test(test_window_faults 1280x900 faults_window_test $<TARGET_FILE:faults>
                      ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/functions.tape)
tapescope_window_test(test_tasks 1440x960 tasks_test)
# Half an hour with a window open: ./test --long soak.
tapescope_window_test(soak 1280x900 soak_test ${CMAKE_BINARY_DIR}/python)
set_tests_properties(soak PROPERTIES LABELS long TIMEOUT 2400)

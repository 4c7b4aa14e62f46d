# The application from outside, through its binary.
foreach(name tape_writer any_records old_recordings exports environment sinks damaged foreign_names hostile)
  add_test(NAME recording_${name} COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/viewer/cli/${name}_test.py
           $<TARGET_FILE:tapescope> $<TARGET_FILE:line_fit>)
  set_tests_properties(recording_${name} PROPERTIES LABELS unit TIMEOUT 300)
endforeach()
add_executable(ways_to_end endings/ways_to_end.cpp)
target_link_libraries(ways_to_end PRIVATE tapescope_engine)
add_test(NAME recording_endings COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/viewer/cli/endings_test.py
         $<TARGET_FILE:tapescope> $<TARGET_FILE:ways_to_end>)
add_test(NAME launched_programs COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/viewer/cli/launch_test.py
         $<TARGET_FILE:tapescope> $<TARGET_FILE:ways_to_end>)
set_tests_properties(recording_endings launched_programs PROPERTIES LABELS unit TIMEOUT 120)
add_test(NAME flat_memory COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/engine/tape/flat_memory_test.py $<TARGET_FILE:ways_to_end>)
set_tests_properties(flat_memory PROPERTIES LABELS unit TIMEOUT 300)
add_test(NAME live_programs COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/viewer/cli/live_test.py
         $<TARGET_FILE:tapescope> $<TARGET_FILE:line_fit>)
set_tests_properties(live_programs PROPERTIES LABELS unit TIMEOUT 120)
# Need Open MPI: skipped where it is missing.
add_executable(replicas jobs/replicas.cpp)
target_link_libraries(replicas PRIVATE tapescope_engine)
add_test(NAME live_attachments COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/engine/live/attachments_test.py $<TARGET_FILE:replicas>)
set_tests_properties(live_attachments PROPERTIES LABELS unit TIMEOUT 300)
add_test(NAME jobs_by_mpi COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/viewer/cli/job_test.py $<TARGET_FILE:tapescope>)
set_tests_properties(jobs_by_mpi PROPERTIES LABELS unit TIMEOUT 300 SKIP_RETURN_CODE 77)
add_test(NAME completion COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/viewer/cli/completion_test.sh $<TARGET_FILE:tapescope>
         ${PROJECT_SOURCE_DIR}/cmake/application/tapescope.bash)
set_tests_properties(completion PROPERTIES LABELS unit TIMEOUT 120)

# Calls of the system that fail, one after the other.
add_library(faults MODULE faults/faults.c)
add_executable(fused faults/fused.cpp)
target_link_libraries(fused PRIVATE tapescope_engine)
add_test(NAME recording_faults COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/faults/faults_test.py $<TARGET_FILE:faults>
         $<TARGET_FILE:tapescope> $<TARGET_FILE:line_fit> $<TARGET_FILE:fused> ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/every-kind.tape)
set_tests_properties(recording_faults PROPERTIES LABELS unit TIMEOUT 900)
add_test(NAME viewer_leaves COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/faults/viewer_leaves_test.py $<TARGET_FILE:faults>
         $<TARGET_FILE:line_fit>)
set_tests_properties(viewer_leaves PROPERTIES LABELS unit TIMEOUT 600)

# A shared object with all of tapescope_events and nothing else, which programs that know nothing of it load.
add_library(one_op MODULE loading/one_op.cpp)
target_link_libraries(one_op PRIVATE -Wl,--whole-archive tapescope_events -Wl,--no-whole-archive)
# Another copy of the library in the same process is another's: nothing is shared with it by name.
set_target_properties(one_op PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_link_options(one_op PRIVATE LINKER:-z,defs LINKER:--exclude-libs,ALL)
add_executable(load loading/load.c)
target_link_libraries(load PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
add_test(NAME events_loading COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/loading/loading_test.py
         $<TARGET_FILE:tapescope> $<TARGET_FILE:one_op> $<TARGET_FILE:load>)
set_tests_properties(events_loading PROPERTIES LABELS unit TIMEOUT 120)

# The Python package with no framework: hook calls as one would make them.
if(TARGET tapescope_python)
  add_test(NAME bridge_cassette COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/cassette_test.py
           $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME bridge_findings COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/findings_test.py
           $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME bridge_waits COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/waits_test.py
           ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME bridge_advice COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/advice_test.py
           $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME bridge_loops COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/loops_test.py ${CMAKE_BINARY_DIR}/python)
  add_test(NAME bridge_live COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/live_test.py $<TARGET_FILE:tapescope>
           ${CMAKE_BINARY_DIR}/python)
  add_test(NAME bridge_notebook COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/notebook_test.py $<TARGET_FILE:tapescope>
           ${CMAKE_BINARY_DIR}/python)
  add_test(NAME bridge_command COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/command_test.py $<TARGET_FILE:tapescope>
           ${CMAKE_BINARY_DIR}/python)
  add_test(NAME bridge_bench COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/bench_test.py $<TARGET_FILE:tapescope>
           ${CMAKE_BINARY_DIR}/python)
  set_tests_properties(bridge_cassette bridge_findings bridge_waits bridge_advice bridge_loops bridge_live bridge_notebook bridge_command bridge_bench PROPERTIES LABELS unit TIMEOUT 120)
  # With the real framework, where a Python has it: ./test --all.
  set(with_torch bash ${CMAKE_CURRENT_SOURCE_DIR}/bridges/with_torch.sh)
  add_test(NAME torch_contracts CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/contracts_torch.py ${CMAKE_BINARY_DIR}/python)
  add_test(NAME torch_observer CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/observer_test.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME torch_observer_build CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/observer_build_test.py ${CMAKE_BINARY_DIR}/python)
  add_test(NAME torch_live CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/live_torch.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME torch_compiled CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/compiled_torch.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME torch_hooked CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/hooked_torch.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME torch_earlier CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/earlier_torch.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME torch_asked CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/asked_torch.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME torch_kept CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/kept_torch.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME torch_errors CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/errors_torch.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME torch_jobs CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/jobs/jobs_torch.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME torch_tools CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/beside_torch.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope> --check)
  # Other releases, which prepare.sh installs with --long.
  foreach(version 2.12.1 2.14.1)
    set(with_version ${with_torch} --version ${version})
    foreach(part contracts neutrality)
      add_test(NAME torch_${version}_${part} CONFIGURATIONS all
               COMMAND ${with_version} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/${part}_torch.py ${CMAKE_BINARY_DIR}/python)
    endforeach()
    add_test(NAME torch_${version}_observer CONFIGURATIONS all
             COMMAND ${with_version} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/observer_test.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
    add_test(NAME torch_${version}_live CONFIGURATIONS all
             COMMAND ${with_version} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/live_torch.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
    foreach(part contracts neutrality observer live)
      set_tests_properties(torch_${version}_${part} PROPERTIES LABELS long SKIP_RETURN_CODE 77 TIMEOUT 1200)
    endforeach()
  endforeach()
  add_test(NAME torch_overhead CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/overhead_torch.py ${CMAKE_BINARY_DIR}/python --check)
  add_test(NAME torch_neutrality CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/neutrality_torch.py ${CMAKE_BINARY_DIR}/python)
  add_test(NAME torch_answers CONFIGURATIONS all
           COMMAND ${with_torch} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/programs/answers.py torch --python PYTHON --half
           --package ${CMAKE_BINARY_DIR}/python --tapescope $<TARGET_FILE:tapescope> --floor tuned 99 --floor held_out 95)
  set(with_tensorflow bash ${CMAKE_CURRENT_SOURCE_DIR}/bridges/with_tensorflow.sh)
  add_test(NAME tensorflow_contracts CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/contracts.py ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_neutrality CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/neutrality.py ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_jobs CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/jobs/jobs_tensorflow.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>)
  add_test(NAME tensorflow_live CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/live_tensorflow.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_expand CONFIGURATIONS all
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh 1280x900 ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/gui/expand_tensorflow.py
           $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_keras CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/keras_tensorflow.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_looks CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/looks_tensorflow.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_reasons CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/reasons_tensorflow.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_styles CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/styles_tensorflow.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_bench CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/bench_test.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python --measure)
  add_test(NAME tensorflow_lessons CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/lessons_test.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
  add_test(NAME tensorflow_claims CONFIGURATIONS all COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/claims_tensorflow.py)
  # Older versions, which prepare.sh installs with --long.
  foreach(version 2.15.1 2.18.1)
    set(with_version ${with_tensorflow} --version ${version})
    add_test(NAME tensorflow_${version}_contracts CONFIGURATIONS all
             COMMAND ${with_version} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/contracts.py ${CMAKE_BINARY_DIR}/python)
    add_test(NAME tensorflow_${version}_neutrality CONFIGURATIONS all
             COMMAND ${with_version} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/neutrality.py ${CMAKE_BINARY_DIR}/python)
    foreach(kind live keras looks)
      add_test(NAME tensorflow_${version}_${kind} CONFIGURATIONS all
               COMMAND ${with_version} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/${kind}_tensorflow.py $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR}/python)
    endforeach()
    add_test(NAME tensorflow_${version}_answers CONFIGURATIONS all
             COMMAND ${with_version} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/score_tensorflow.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope>
             --older --floor short tuned 96 --floor short held_out 90 --floor long tuned 94 --floor long held_out 88)
    foreach(part contracts neutrality live keras looks answers)
      set_tests_properties(tensorflow_${version}_${part} PROPERTIES LABELS long SKIP_RETURN_CODE 77 TIMEOUT 1200)
    endforeach()
  endforeach()
  # Builds the module again, from the sdist.
  add_test(NAME bridge_wheel CONFIGURATIONS all
           COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/bridges/wheel_test.py ${PROJECT_SOURCE_DIR} $<TARGET_FILE:tapescope>)
  set_tests_properties(bridge_wheel PROPERTIES LABELS long SKIP_RETURN_CODE 77 TIMEOUT 1200)
  add_test(NAME tensorflow_answers CONFIGURATIONS all
           COMMAND ${with_tensorflow} ${CMAKE_CURRENT_SOURCE_DIR}/bridges/score_tensorflow.py ${CMAKE_BINARY_DIR}/python $<TARGET_FILE:tapescope> --half
           --floor short tuned 98 --floor short held_out 92 --floor long tuned 97 --floor long held_out 94)
  set_tests_properties(tensorflow_contracts tensorflow_jobs tensorflow_reasons tensorflow_neutrality tensorflow_live tensorflow_expand tensorflow_keras tensorflow_looks tensorflow_bench tensorflow_answers tensorflow_lessons
                       PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT 1200)
  set_tests_properties(torch_contracts torch_jobs torch_observer torch_observer_build torch_live torch_compiled torch_hooked torch_earlier torch_errors torch_kept torch_tools torch_overhead torch_neutrality torch_answers PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT 1200)
  # What it looks at changes with TensorFlow's version alone.
  set_tests_properties(tensorflow_claims PROPERTIES LABELS long SKIP_RETURN_CODE 77 TIMEOUT 1200)
endif()

# Builds a program against an installed copy: needs all that was built.
add_test(NAME install_example COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/install/run.sh ${CMAKE_BINARY_DIR} $<TARGET_FILE:tapescope>)
set_tests_properties(install_example PROPERTIES LABELS long TIMEOUT 600)
foreach(part IN ITEMS bookworm trixie archive python)
  add_test(NAME release_packages_${part} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/install/packages.sh ${part} $<TARGET_FILE:tapescope>)
  set_tests_properties(release_packages_${part} PROPERTIES LABELS long SKIP_RETURN_CODE 77 TIMEOUT 10800)
endforeach()
set_tests_properties(release_packages_bookworm PROPERTIES FIXTURES_SETUP release_archive)
set_tests_properties(release_packages_archive PROPERTIES FIXTURES_REQUIRED release_archive)

# The answers about the corpus of programs, against floors a little under what was measured. Builds them first; a share of them,
# as of the corpora in Python, all with TAPESCOPE_LONG.
add_test(NAME programs_answers CONFIGURATIONS all
         COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/programs/answers.py --build ${CMAKE_BINARY_DIR} --half
         --tapescope $<TARGET_FILE:tapescope> --floor none tuned 98 --floor none held_out 95 --floor other tuned 98
         --floor other held_out 95 --floor mixed tuned 98)
# The same programs asked where they run: tape.explain() is to say what the recording says. Builds the witnesses first.
add_test(NAME programs_agree CONFIGURATIONS all
         COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/programs/agree.py --build ${CMAKE_BINARY_DIR} --tapescope $<TARGET_FILE:tapescope>)
# And the window that is attached to them; and samples with their recordings.
add_test(NAME programs_attached CONFIGURATIONS all
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/xvfb.sh 1280x900 ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/programs/attached.py
         $<TARGET_FILE:tapescope> ${CMAKE_BINARY_DIR})
add_test(NAME samples_agree CONFIGURATIONS all
         COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/samples/agree.py $<TARGET_FILE:tapescope>)
set_tests_properties(programs_agree programs_attached samples_agree PROPERTIES LABELS programs TIMEOUT 900 RUN_SERIAL TRUE)
set_tests_properties(programs_answers PROPERTIES LABELS programs TIMEOUT 900 RUN_SERIAL TRUE)

// Steps of a program that does not mark them. Where a session listens, a step begins as an outermost tape is
// entered, or a function that holds the tape is called; it ends where the next one begins after a question
// was answered and a variable updated. So a loop that adds up gradients of many examples is one step. Steps
// are those of the thread that opened the first tape, numbered from 0 since the session began; a program that
// marks one has no more of them.
#pragma once
#include "engine/gate/state.h"

namespace tapescope::implied_steps {

void tape_opens(ThreadState& thread);
void question_over(ThreadState& thread);
inline void updated(ThreadState& thread) { thread.implied_step.updated = thread.implied_step.asked; }
// The program marks a step.
void step_marked(ThreadState& thread);
// The thread ends; another one's tapes may open steps.
void thread_ends(ThreadState& thread);

// For tests: no step was marked in this process.
void forget_marks();

}  // namespace tapescope::implied_steps

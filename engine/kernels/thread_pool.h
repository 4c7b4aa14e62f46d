// The pool that divides large kernels: fixed workers, no queue, one job at a time.
//
// A job's result may not depend on how its range is divided, so that it never depends on the number of
// threads. Each thread begins with its own share, the same in each job of as many pieces, and then helps
// the others. Workers spin for about 200 microseconds after a job before they sleep.
#pragma once
#include <cstdint>
#include <type_traits>

namespace tapescope::kernels {

// How many threads large kernels use, the caller included; 1 until set. Not during a kernel of another
// thread.
void set_threads(int count);
int threads();

// Runs body(context, begin, end) over [0, n) in pieces of `chunk` (the last may be shorter), on all threads.
// Serial, in one piece, when there is one thread, n is at most `serial`, or another thread's job is running.
// Workers take over the caller's floating-point mode.
void parallel_run(std::int64_t n, std::int64_t chunk, std::int64_t serial,
                  void (*body)(void* context, std::int64_t begin, std::int64_t end), void* context);

template <class Body>
void parallel_for(std::int64_t n, std::int64_t chunk, std::int64_t serial, Body&& body) {
  parallel_run(
      n, chunk, serial,
      [](void* context, std::int64_t begin, std::int64_t end) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace tapescope::kernels

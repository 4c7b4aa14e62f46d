// Does three steps of training and ends in the way that its argument names. A second argument is the number
// of steps. "caught-up" returns, and waits for the recording again and again meanwhile.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "engine/events/session.h"
#include "engine/tapescope.h"

using namespace tapescope;

namespace {

void train(std::uint64_t first, std::uint64_t steps) {
  const Variable w(constant({1.0, 2.0}), {.name = "w"});
  for (std::uint64_t step = first; step < first + steps; ++step) {
    note_step_begin(step);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(square(w * 3.0));
    }
    w.assign_sub(tape.gradient(loss, w) * 0.01);
    note_scalar("loss", element(loss, 0), step);
    note_step_end(step);
  }
}

// What waits for the recording is a few chunks at most, however slow the machine is.
void train_caught_up(std::uint64_t steps) {
  constexpr std::uint64_t together = 500;
  for (std::uint64_t first = 0; first < steps; first += together) {
    train(first, std::min(together, steps - first));
    while (Session::active()->waiting() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int recurse(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return recurse(depth + 1) + room[0];
}

// A handler that was there before the recording began, and lets the program live.
sigjmp_buf rescue;
void survive(int) { siglongjmp(rescue, 1); }
__attribute__((constructor(101))) void install_survival() {
  const char* way = std::getenv("WAY_TO_END");
  if (way && std::string_view(way) == "survived") std::signal(SIGSEGV, survive);
}

volatile int zero = 0;
int* volatile nowhere = nullptr;

struct NoException {};

// What runs after the recorder's end.
struct Late {
  enum class Way : std::uint8_t { nothing, trains, faults, terminates } way = Way::nothing;
  ~Late() {
    if (way == Way::trains) train(3, 1);
    if (way == Way::faults) *nowhere = 1;
    if (way == Way::terminates) std::terminate();
  }
};
Late late;

void end(std::string_view way) {
  if (way == "return") return;
  if (way == "exit") std::exit(3);
  if (way == "exception") throw std::out_of_range("no such layer: 7");
  if (way == "other-exception") throw NoException{};
  if (way == "exception-in-thread") std::thread([] { throw std::runtime_error("in a thread"); }).join();
  if (way == "own-terminate-handler") {
    static std::terminate_handler before = std::set_terminate([] {
      std::fputs("the program's handler\n", stderr);
      before();
    });
    throw std::runtime_error("seen by both");
  }
  if (way == "terminate") std::terminate();
  if (way == "abort") std::abort();
  if (way == "segv") *nowhere = 1;
  if (way == "segv-in-thread") std::thread([] { *nowhere = 1; }).join();
  if (way == "stack-overflow") std::printf("%d\n", recurse(0));
  if (way == "division") std::printf("%d\n", 7 / zero);
  if (way == "term") raise(SIGTERM);
  if (way == "int") raise(SIGINT);
  if (way == "pipe") raise(SIGPIPE);
  // These give no notice: the last 10 ms are lost. Half of what lies between two flushes is not.
  if (way == "kill" || way == "_exit" || way == "exec")
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (way == "kill") raise(SIGKILL);
  if (way == "_exit") _exit(4);
  if (way == "quick_exit") std::quick_exit(5);
  if (way == "ignored") {
    std::signal(SIGTERM, SIG_IGN);
    raise(SIGTERM);
  }
  if (way == "survived") {
    if (sigsetjmp(rescue, 1) == 0) *nowhere = 1;
    train(3, 1);
  }
  if (way == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      train(100, 50);
      std::exit(9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    train(3, 1);
    if (WEXITSTATUS(status) != 9) _exit(1);
  }
  if (way == "fork-and-crash") {
    const pid_t child = fork();
    if (child == 0) {
      train(100, 50);
      std::abort();
    }
    int status = 0;
    waitpid(child, &status, 0);
    train(3, 1);
    if (WTERMSIG(status) != SIGABRT) _exit(1);
  }
  if (way == "exec") execl("/bin/true", "true", nullptr);
  if (way == "thread-outlives-main") {
    // Goes on while exit() takes the process down.
    static std::atomic<bool> runs{false};
    std::thread([] {
      for (std::uint64_t step = 0;; ++step) {
        const Tensor x = square(constant({1.0, 2.0}));
        runs = true;
      }
    }).detach();
    while (!runs) std::this_thread::yield();
  }
  if (way == "static-destructor") late.way = Late::Way::trains;
  if (way == "late-fault") late.way = Late::Way::faults;
  if (way == "late-terminate") late.way = Late::Way::terminates;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t steps = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 3;
  if (argc > 1 && std::string_view(argv[1]) == "caught-up") train_caught_up(steps);
  else train(0, steps);
  std::printf("trained\n");
  std::fflush(stdout);
  if (argc > 1) end(argv[1]);
  return 0;
}

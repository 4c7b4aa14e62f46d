// Handlers. A signal's is async-signal-safe: it touches nothing but what was prepared, and waits by
// nanosleep alone, in what it calls.
#include "engine/recording/fatal.h"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <typeinfo>

namespace tapescope::record {
namespace {

// What is wrong in the program itself. Who handles them before us may let it live.
constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
// What ends a process that does not handle it.
constexpr int kDeadly[] = {SIGHUP,    SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,   SIGPIPE, SIGALRM, SIGTERM,
                           SIGSTKFLT, SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM, SIGPOLL, SIGPWR};

std::atomic<FatalListener*> listener{nullptr};
struct sigaction before[NSIG];  // what was installed
std::terminate_handler terminate_before = nullptr;

bool is_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void pass_on(int number, siginfo_t* info, void* context) {
  const struct sigaction& former = before[number];
  if (is_function(former)) {
    if (former.sa_flags & SA_SIGINFO) former.sa_sigaction(number, info, context);
    else former.sa_handler(number);
    return;
  }
  sigaction(number, &former, nullptr);
  // A fault happens again where it did, with the registers and the address that a core file should hold.
  // What was sent does not, nor do traps, which the processor has passed.
  const bool again =
      info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL);
  if (!again) raise(number);  // blocked until the handler returns
}

void on_signal(int number, siginfo_t* info, void* context) {
  const int error = errno;
  if (FatalListener* const to = listener.load(std::memory_order_acquire)) {
    FatalNote note;
    note.code = number;
    note.dies = !is_function(before[number]);
    to->note(note);
  }
  errno = error;
  pass_on(number, info, context);
}

template <std::size_t size>
void copy_into(char (&to)[size], const char* from) {
  std::strncpy(to, from, size - 1);
}

[[noreturn]] void on_terminate() {
  if (FatalListener* const to = listener.load(std::memory_order_acquire)) {
    FatalNote note;
    note.how = ProgramEnd::terminate;
    if (const std::type_info* const type = abi::__cxa_current_exception_type()) {
      note.how = ProgramEnd::exception;
      int status = 0;
      const std::unique_ptr<char, decltype(&std::free)> name(
          abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
      copy_into(note.type, status == 0 ? name.get() : type->name());
      try {
        throw;
      } catch (const std::exception& error) {
        copy_into(note.text, error.what());
      } catch (const std::string& text) {
        copy_into(note.text, text.c_str());
      } catch (const char* text) {
        copy_into(note.text, text ? text : "");
      } catch (...) {
      }
    }
    to->note(note);
  }
  if (terminate_before) terminate_before();
  std::abort();
}

void install(int number) {
  struct sigaction ours {};
  ours.sa_mask = before[number].sa_mask;
  ours.sa_flags = before[number].sa_flags | SA_SIGINFO | SA_ONSTACK;
  ours.sa_sigaction = on_signal;
  sigaction(number, &ours, nullptr);
}

// A stack that overflowed has no room for a handler. Of the thread that begins the recording, as a rule the
// main one; never given back.
void prepare_stack() {
  stack_t known{};
  if (sigaltstack(nullptr, &known) != 0 || !(known.ss_flags & SS_DISABLE)) return;
  constexpr std::size_t kStack = 64u << 10;  // our handler takes 4 KiB, one of the program's follows on it
  static std::byte* const stack = new std::byte[kStack];
  const stack_t ours{.ss_sp = stack, .ss_flags = 0, .ss_size = kStack};
  sigaltstack(&ours, nullptr);
}

void install_all() {
  prepare_stack();
  for (const int number : kFaults) {
    // Ignored by intent, or unknown here.
    if (sigaction(number, nullptr, &before[number]) != 0 || before[number].sa_handler == SIG_IGN) continue;
    install(number);
  }
  for (const int number : kDeadly) {
    if (sigaction(number, nullptr, &before[number]) == 0 && !is_function(before[number]) &&
        before[number].sa_handler == SIG_DFL)
      install(number);
  }
  terminate_before = std::set_terminate(on_terminate);
}

}  // namespace

void listen_to_fatal(FatalListener* to) {
  listener.store(to, std::memory_order_release);
  static std::once_flag installed;
  if (to) std::call_once(installed, install_all);
}

}  // namespace tapescope::record

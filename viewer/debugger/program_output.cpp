// A pseudo-terminal and the thread that reads it.
#include "viewer/debugger/program_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "engine/events/clock.h"

extern char** environ;

namespace tapescope {
namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr int kMostReadsAfterEnd = 256;
constexpr int kLookMs = 50;  // how soon the thread sees that it is to end
constexpr winsize kSize{.ws_row = 40, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};

// Without echo and without changes to what is written.
void make_raw(int terminal) {
  termios how{};
  if (tcgetattr(terminal, &how) != 0) return;
  cfmakeraw(&how);
  tcsetattr(terminal, TCSANOW, &how);
  ioctl(terminal, TIOCSWINSZ, &kSize);
}

void close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

}  // namespace

void TerminalText::add(std::string_view bytes, std::uint64_t at) {
  for (const char c : bytes) {
    line_.at = at;
    put(c);
  }
}

std::vector<OutputLine> TerminalText::take_lines() { return std::exchange(lines_, {}); }

void TerminalText::put(char c) {
  switch (in_) {
    case In::escape: in_ = c == '[' ? In::sequence : c == ']' ? In::title : In::text; return;
    case In::sequence:  // ends with a letter
      if (c >= '@' && c <= '~') in_ = In::text;
      return;
    case In::title:
      if (c == '\a') in_ = In::text;
      if (c == '\x1b') in_ = In::escape;  // ESC \ ends it, too
      return;
    case In::text: break;
  }
  if (c == '\x1b') {
    in_ = In::escape;
  } else if (c == '\n') {
    lines_.push_back(std::exchange(line_, {}));
    returned_ = false;
  } else if (c == '\r') {
    returned_ = true;
  } else if (c == '\b') {
    std::string& text = line_.text;
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
    if (!text.empty()) text.pop_back();
  } else if (c == '\t' || static_cast<unsigned char>(c) >= ' ') {
    if (std::exchange(returned_, false)) line_.text.clear();
    if (line_.text.size() < kLongestLine) line_.text += c;
  }
}

ProgramOutput::ProgramOutput(std::function<void()> wake) : wake_(std::move(wake)) {
  reading_end_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  std::array<char, 128> name{};
  if (reading_end_ < 0 || grantpt(reading_end_) != 0 || unlockpt(reading_end_) != 0 ||
      ptsname_r(reading_end_, name.data(), name.size()) != 0) {
    close_end(reading_end_);
    return;
  }
  program_end_ = open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (program_end_ < 0) close_end(reading_end_);
  else make_raw(program_end_);
}

ProgramOutput::~ProgramOutput() {
  thread_ = {};
  close_end(program_end_);
  close_end(reading_end_);
}

void ProgramOutput::begin() {
  close_end(program_end_);
  if (reading_end_ >= 0) thread_ = std::jthread([this](const std::stop_token& stop) { read_on(stop); });
}

std::vector<OutputLine> ProgramOutput::take_lines(OutputLine& open) {
  std::lock_guard lock(mutex_);
  open = text_.open_line();
  return text_.take_lines();
}

void ProgramOutput::release() {
  thread_ = {};
  if (reading_end_ < 0) return;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, reading_end_, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::array<char, 4> cat{"cat"};
  std::array<char*, 2> words{cat.data(), nullptr};
  pid_t process = -1;
  posix_spawnp(&process, cat.data(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close_end(reading_end_);
}

void ProgramOutput::finish() {
  if (!thread_.joinable()) return;
  finishing_ = true;
  thread_.join();
}

void ProgramOutput::read_on(const std::stop_token& stop) {
  // Our standard output may have no reader any more: that ends neither this process nor the program.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  // Children of a program that has ended may write without end.
  for (int left = kMostReadsAfterEnd; !stop.stop_requested() && left > 0;) {
    const bool finishing = finishing_;
    const Read read = read_some(finishing ? 0 : kLookMs, stop);
    if (read == Read::end || (finishing && read == Read::nothing)) break;
    if (finishing) --left;
  }
  wake_();
}

ProgramOutput::Read ProgramOutput::read_some(int patience_ms, const std::stop_token& stop) {
  std::array<char, 4096> bytes;
  pollfd from{.fd = reading_end_, .events = POLLIN, .revents = 0};
  if (poll(&from, 1, patience_ms) <= 0) return Read::nothing;
  const ssize_t count = read(reading_end_, bytes.data(), bytes.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return Read::nothing;
  if (count <= 0) return Read::end;  // the last one that had the program's end has closed it
  const Ticks at = ticks();
  const auto size = static_cast<std::size_t>(count);
  {
    std::lock_guard lock(mutex_);
    text_.add({bytes.data(), size}, at);
  }
  wake_();
  while (heard_ && !stop.stop_requested()) {
    pollfd to{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    const bool ready = poll(&to, 1, kLookMs) > 0;
    if (!ready && finishing_) break;
    if (!ready) continue;
    heard_ = write(STDOUT_FILENO, bytes.data(), size) == count;
    break;
  }
  return Read::some;
}

}  // namespace tapescope

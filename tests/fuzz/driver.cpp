// Runs a fuzz target where libFuzzer is not at hand: driver SECONDS|COUNTx SEED FILE... tries the files, then
// changes of them, for that long or that many: those of the target's LLVMFuzzerCustomMutator if it has one,
// else of single bytes. An input that ends the process, that takes more than ten seconds of the processor, or
// more memory than ten times its size and 256 MiB, is left as crash-SEED-N in the current folder. The last
// line has the slowest input and the most memory.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" [[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                             std::size_t most, unsigned int seed);
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t kMostBytes = 1u << 20;
constexpr int kMostSeconds = 10;  // of the processor: a busy machine is no finding

const Input* under_way = nullptr;
unsigned long long seed = 0, tried = 0;
double slowest = 0;  // seconds of the processor

// Async-signal-safe, but for the name.
void keep_input() {
  if (!under_way) return;
  char name[64];
  std::snprintf(name, sizeof name, "crash-%llu-%llu", seed, tried);
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || write(file, under_way->data(), under_way->size()) < 0) return;
  close(file);
  constexpr char kSaid[] = "the input is kept in the current folder as crash-SEED-N\n";
  [[maybe_unused]] const ssize_t said = write(STDERR_FILENO, kSaid, sizeof kSaid - 1);
}

void on_signal(int number) {
  keep_input();
  signal(number, SIG_DFL);
  raise(number);
}

void change_bytes(Input& input, std::mt19937_64& random) {
  const std::size_t changes = 1 + random() % 4;
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = input.empty() ? 0 : random() % input.size();
    switch (input.empty() ? 2 : random() % 6) {
      case 0: input[at] = static_cast<std::uint8_t>(input[at] ^ 1u << random() % 8); break;
      case 1: input[at] = static_cast<std::uint8_t>(random()); break;
      case 2:
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random()));
        break;
      case 3: input.erase(input.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 4: input[at] = 0xff; break;
      default: input.resize(at); break;
    }
  }
}

void change(Input& input, std::mt19937_64& random) {
  // One in eight: what stands before the structure is to be tried, too.
  if (!LLVMFuzzerCustomMutator || random() % 8 == 0) return change_bytes(input, random);
  static Input room(kMostBytes);  // clearing it for each input takes longer than most inputs
  std::ranges::copy(input, room.begin());
  const std::size_t size =
      LLVMFuzzerCustomMutator(room.data(), input.size(), kMostBytes, static_cast<unsigned int>(random()));
  input.assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
}

void limit_time(int seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

long most_memory() {  // KiB
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

void run(const Input& input) {
  under_way = &input;
  limit_time(kMostSeconds);
  const std::clock_t begin = std::clock();
  const long before = most_memory();
  LLVMFuzzerTestOneInput(input.data(), input.size());
  slowest = std::max(slowest, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  limit_time(0);
  // A sanitizer keeps what was freed.
  const long most = most_memory(), limit = 256 * 1024 + static_cast<long>(input.size()) / 1024 * 10;
  if (!__sanitizer_set_death_callback && most > before && most > limit) {
    std::fprintf(stderr, "%ld MiB for an input of %zu bytes\n", most / 1024, input.size());
    std::abort();
  }
  under_way = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s SECONDS|COUNTx SEED FILE...\n", argv[0]);
    return 2;
  }
  seed = std::strtoull(argv[2], nullptr, 10);
  std::vector<Input> corpus;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", argv[i]);
      return 3;
    }
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  // A sanitizer has its own handlers of the other signals.
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
  else
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) signal(number, on_signal);
  for (const int number : {SIGABRT, SIGPROF}) signal(number, on_signal);
  for (const Input& input : corpus) run(input);
  char* rest = nullptr;
  const double extent = std::strtod(argv[1], &rest);
  const bool counts = *rest == 'x';
  const auto begin = std::chrono::steady_clock::now();
  std::mt19937_64 random(seed);
  for (;; ++tried) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (counts ? static_cast<double>(tried) >= extent : passed.count() >= extent) break;
    Input input = corpus[random() % corpus.size()];
    change(input, random);
    run(input);
  }
  std::printf("%llu inputs of %zu files, none of them a finding; the slowest took %.2f s, at most %ld MiB\n",
              tried, corpus.size(), slowest, most_memory() / 1024);
  return tried > 0 ? 0 : 1;
}

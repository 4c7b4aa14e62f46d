// Runs a fuzz target where libFuzzer is not at hand: driver SECONDS SEED FILE... tries the files, then
// changes of them.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

void change(Input& input, std::mt19937_64& random) {
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

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s SECONDS SEED FILE...\n", argv[0]);
    return 2;
  }
  std::vector<Input> corpus;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", argv[i]);
      return 3;
    }
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(corpus.back().data(), corpus.back().size());
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  std::size_t tried = 0;
  for (; std::chrono::steady_clock::now() < end; ++tried) {
    Input input = corpus[random() % corpus.size()];
    change(input, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu inputs of %zu files, none of them a finding\n", tried, corpus.size());
  return tried > 0 ? 0 : 1;
}

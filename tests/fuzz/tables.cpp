// Fuzz target: any bytes as an NPY file and as a CSV file: an array comes out or an error with a sentence.
#include <cstdint>
#include <cstdlib>

#include "engine/core/error.h"
#include "engine/data/tables.h"
#include "engine/ops/ops.h"
#include "tests/fuzz/memory_file.h"

using namespace tapescope;

namespace {

template <class Read>
void attempt(Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  // Every element is read, so that a byte that is no bool shows.
  attempt([&] {
    const Tensor x = read_npy(file.path(), 1 << 20);
    for (std::int64_t i = 0; i < x.numel(); ++i) element(x, i);
  });
  for (const bool header : {false, true}) {
    for (const DType dtype : {DType::f32, DType::i32}) {
      attempt([&] {
        const CsvTable table = read_csv(file.path(), {.header = header, .dtype = dtype});
        if (table.values.numel() % static_cast<std::int64_t>(table.columns.size()) != 0) std::abort();
      });
    }
  }
  return 0;
}

// Any bytes as an IDX file, plain or gzip: an array comes out or an error with a sentence.
#include <cstdint>
#include <cstdlib>

#include "engine/core/error.h"
#include "engine/data/idx.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  for (const int rank : {1, 3}) {
    try {
      tapescope::read_idx(file.path(), rank);
    } catch (const tapescope::Error& error) {
      if (error.kind() != tapescope::ErrorKind::surroundings) std::abort();
    }
  }
  return 0;
}

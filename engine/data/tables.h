// Tables of numbers from files: CSV and NPY. Both throw Error (surroundings), one sentence that names the
// file, the place, what is wrong there and the remedy.
#pragma once
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace tapescope {

struct CsvOptions {
  bool header = true;  // the first line names the columns
  char separator = ',';
  DType dtype = DType::f32;
};

struct CsvTable {
  std::vector<std::string> columns;  // "0", "1" ... without a header
  Tensor values;                     // [lines, columns]

  // Some columns, in that order: [lines, names.size()]. Throws ValueError naming those there are.
  Tensor select(const std::vector<std::string>& names) const;
};

// Numbers only, as many in each line; empty lines are skipped, quotes around a field are dropped.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

// An array that NumPy saved: float16 to float64, int32, int64 and bool as they are, uint8 as int32;
// little-endian and row by row. `limit` bounds the elements that a header may ask for.
Tensor read_npy(const std::string& path, std::int64_t limit = std::int64_t{1} << 31);

}  // namespace tapescope

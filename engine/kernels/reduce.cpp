// How a reduction over any axes becomes folds over the middle of [outer, n, inner].
#include "engine/kernels/reduce.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/kernels/compiled_tiles.h"
#include "engine/kernels/map.h"
#include "engine/kernels/reduce_table.h"
#include "engine/kernels/scratch.h"
#include "engine/kernels/thread_pool.h"
#include "engine/kernels/tile.h"

namespace tapescope::kernels {
namespace {

// Elements of a piece when a long fold is cut, and from which length it is. Part of the result: never per
// thread.
constexpr std::int64_t kPiece = 32768, kLong = 131072;
// Elements that are worth a thread: 0.25 ns each.
constexpr std::int64_t kSerial = 200'000;

const ReduceTable& table() { return uses_avx2() ? kReduceAvx2 : kReduceBaseline; }
FoldLoop loop_of(Fold fold, DType type, std::int64_t inner) {
  const int row = static_cast<int>(fold), column = static_cast<int>(type);
  if (inner == 1) return table().run[row][column];
  const bool widest = instructions() == Instructions::avx512;
  return (widest ? kColumnsAvx512 : table().columns).fold[row][column];
}
std::int64_t bytes_of(DType type) { return static_cast<std::int64_t>(size_of(type)); }

Fold fold_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::prod: return Fold::prod;
    case ReduceOp::max: return Fold::max;
    case ReduceOp::min: return Fold::min;
    case ReduceOp::norm: return Fold::squares;
    case ReduceOp::all: return Fold::all;
    case ReduceOp::any: return Fold::any;
    default: return Fold::sum;
  }
}
// What joins partial results of a fold.
Fold joining(Fold fold) { return fold == Fold::squares ? Fold::sum : fold; }

// Elements that lie in memory.
struct Stored {
  const char* x;
  std::int64_t size;
  // Folds the middle of [runs, n, inner], the elements from `begin` on.
  void fold(FoldLoop loop, std::int64_t begin, std::int64_t runs, std::int64_t n, std::int64_t inner,
            void* to) const {
    loop(x + begin * size, runs, n, inner, to);
  }
};

// Elements that a program computes when they are asked for.
struct Computed {
  const TileProgram& program;
  const void* const* inputs;
  const RunningFold* running;  // where machine code may fold
  std::int64_t result;         // bytes of an accumulator

  void fold(FoldLoop loop, std::int64_t begin, std::int64_t runs, std::int64_t n, std::int64_t inner,
            void* to) const {
    const std::int64_t count = runs * n * inner;
    if (const MachineCode* code = running ? program.compiled->code(count) : nullptr) {
      for (std::int64_t r = 0; r < runs; ++r) {
        alignas(64) char values[kRunning * sizeof(double)], rest[kMostLeft * sizeof(double)];
        running->start(values);
        const std::int64_t left = fold_tiles(program, *code, inputs, begin + r * n, n, values, rest);
        running->end(values, rest, left, static_cast<char*>(to) + r * result);
      }
      return;
    }
    const Scratch scratch(count * bytes_of(program.results[0]));
    void* const elements = scratch.as<void>();
    run_tiles(program, inputs, begin, begin + count, &elements);
    loop(elements, runs, n, inner, to);
  }
};

// Whether few long folds are cut, so that threads share them.
bool is_cut(std::int64_t outer, std::int64_t n, std::int64_t inner) {
  return outer < 8 && outer * n * inner >= kLong && n * inner >= kPiece;
}

// One fold, divided among threads; `acc` holds outer * inner accumulators.
template <class Source>
void fold_middle(Fold fold, DType type, const Source& source, std::int64_t outer, std::int64_t n,
                 std::int64_t inner, bool cut, void* acc) {
  const FoldLoop loop = loop_of(fold, type, inner);
  const std::int64_t result = bytes_of(accumulator(fold, type));
  char* to = static_cast<char*>(acc);
  if (!cut) {
    const std::int64_t row = std::max<std::int64_t>(1, n * inner);
    // What is computed for the fold had better be of a size that the second cache holds.
    const std::int64_t together = kPiece / row + 1;
    parallel_for(outer, together, kSerial / row, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t most = std::is_same_v<Source, Stored> ? end - begin : together;
      for (std::int64_t o = begin; o < end; o += most) {
        const std::int64_t rows = std::min(most, end - o);
        source.fold(loop, o * n * inner, rows, n, inner, to + o * inner * result);
      }
    });
    return;
  }
  // Each fold is cut into pieces of the middle, whose results are folded again.
  const std::int64_t piece = std::max<std::int64_t>(1, kPiece / inner), pieces = (n + piece - 1) / piece;
  const Scratch partial(outer * pieces * inner * result);
  parallel_for(outer * pieces, 1, kSerial / (piece * inner), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t o = i / pieces, first = i % pieces * piece, count = std::min(piece, n - first);
      source.fold(loop, (o * n + first) * inner, 1, count, inner, partial.as<char>() + i * inner * result);
    }
  });
  loop_of(joining(fold), accumulator(fold, type), inner)(partial.as<void>(), outer, pieces, inner, acc);
}

// Neighbouring dimensions that are both kept or both reduced are one group; sizes of 1 belong to any.
struct Groups {
  std::int64_t size[kMaxRank + 1];
  bool reduced[kMaxRank + 1];
  int count = 0;

  Groups(const Shape& shape, std::uint32_t axes) {
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] == 1) continue;
      const bool r = axes >> i & 1;
      if (count > 0 && reduced[count - 1] == r) {
        size[count - 1] *= shape[i];
      } else {
        size[count] = shape[i];
        reduced[count++] = r;
      }
    }
  }
  void drop(int i) {
    for (int k = i; k + 1 < count; ++k) {
      size[k] = size[k + 1];
      reduced[k] = reduced[k + 1];
    }
    --count;
    for (int k = 0; k + 1 < count; ++k) {
      if (reduced[k] != reduced[k + 1]) continue;
      size[k] *= size[k + 1];
      drop_at(k + 1);
      return;
    }
  }

 private:
  void drop_at(int i) {
    for (int k = i; k + 1 < count; ++k) {
      size[k] = size[k + 1];
      reduced[k] = reduced[k + 1];
    }
    --count;
  }
};

template <class T>
void divide_all(T* acc, std::int64_t n, std::int64_t by) {
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<T>) acc[i] /= static_cast<T>(by);
    else acc[i] = by == 0 ? 0 : acc[i] / by;
  }
}

// Whether the last fold gives the result itself.
bool is_direct(ReduceOp op, DType type) {
  return accumulator(fold_of(op), type) == type && op != ReduceOp::mean && op != ReduceOp::norm;
}

// From accumulators to the result, where they are not the same.
void finish(ReduceOp op, DType type, void* acc, std::int64_t kept, std::int64_t folded, void* y) {
  const DType wide = accumulator(fold_of(op), type);
  if (op == ReduceOp::mean && wide == DType::f64) divide_all(static_cast<double*>(acc), kept, folded);
  if (op == ReduceOp::mean && wide == DType::i64) divide_all(static_cast<std::int64_t*>(acc), kept, folded);
  if (op == ReduceOp::norm) {
    double* values = static_cast<double*>(acc);
    for (std::int64_t i = 0; i < kept; ++i) values[i] = std::sqrt(values[i]);
  }
  if (wide == DType::i64 && type == DType::i32) {
    // Sums wrap as 32-bit arithmetic does.
    for (std::int64_t i = 0; i < kept; ++i)
      static_cast<std::int32_t*>(y)[i] = static_cast<std::int32_t>(static_cast<std::int64_t*>(acc)[i]);
  } else {
    convert(wide, acc, type, y, kept);
  }
}

}  // namespace

std::optional<Fold> fold_of_code(ReduceOp op, const TileProgram& program, std::int64_t n,
                                 std::int64_t inner) {
  // What is left of a run is interpreted, which takes as long as some hundred elements.
  constexpr std::int64_t kShort = 128, kLongEnough = 4096;
  const DType type = program.results[0];
  const bool fits = n >= kShort && (n % kMostLeft == 0 || n >= kLongEnough);
  if (inner != 1 || !fits || (type != DType::f32 && type != DType::f64)) return std::nullopt;
  const auto by_row = [](const TileProgram::Input& input) {
    return input.access == TileProgram::Access::row || input.access == TileProgram::Access::column;
  };
  if (program.row != n && std::ranges::any_of(program.inputs, by_row)) return std::nullopt;
  const Fold fold = fold_of(op);
  return fold <= Fold::min ? std::optional(fold) : std::nullopt;
}

void reduce_tiles(ReduceOp op, const TileProgram& program, const void* const* inputs, std::int64_t outer,
                  std::int64_t n, std::int64_t inner, bool cut, void* y) {
  const DType type = program.results[0];
  const Fold fold = fold_of(op);
  const RunningFold& running = table().running[static_cast<int>(fold)][static_cast<int>(type)];
  const Computed source{.program = program,
                        .inputs = inputs,
                        .running = program.fold && program.compiled ? &running : nullptr,
                        .result = bytes_of(accumulator(fold, type))};
  cut = is_cut(outer, n, inner) || (cut && n * inner > 2 * kPiece);
  if (is_direct(op, type)) return fold_middle(fold, type, source, outer, n, inner, cut, y);
  const std::int64_t kept = outer * inner;
  const Scratch acc(kept * bytes_of(accumulator(fold, type)));
  fold_middle(fold, type, source, outer, n, inner, cut, acc.as<void>());
  finish(op, type, acc.as<void>(), kept, n, y);
}

void reduce(ReduceOp op, DType type, const void* x, const Shape& shape, std::uint32_t axes, void* y) {
  if (is_half(type)) {
    // Widened once; the fold itself then runs at the speed of float32.
    const std::int64_t n = shape.numel();
    std::int64_t kept = 1;
    for (int i = 0; i < shape.rank(); ++i) kept *= axes >> i & 1 ? 1 : shape[i];
    const Scratch wide(4 * n), result(4 * kept);
    convert(type, x, DType::f32, wide.as<void>(), n);
    reduce(op, DType::f32, wide.as<void>(), shape, axes, result.as<void>());
    convert(DType::f32, result.as<void>(), type, y, kept);
    return;
  }
  Groups groups(shape, axes);
  std::int64_t kept = 1, folded = 1;
  for (int i = 0; i < groups.count; ++i) (groups.reduced[i] ? folded : kept) *= groups.size[i];
  if (kept == 0) return;
  Fold fold = fold_of(op);
  const DType wide = accumulator(fold, type);
  // Two buffers in turn; the last result may lie in y itself when nothing remains to be done to it.
  const bool direct = is_direct(op, type);
  const void* from = x;
  DType from_type = type;
  alignas(64) char small[2][512];
  PoolBlock held[2] = {};
  int turn = 0;
  bool any = false;
  for (;;) {
    int at = groups.count - 1;
    while (at >= 0 && !groups.reduced[at]) --at;
    if (at < 0 && any) break;
    std::int64_t outer = 1, inner = 1, n = 1;
    bool last = true;
    if (at >= 0) {
      n = groups.size[at];
      for (int i = 0; i < at; ++i) {
        outer *= groups.size[i];
        last &= !groups.reduced[i];
      }
      for (int i = at + 1; i < groups.count; ++i) inner *= groups.size[i];
      groups.drop(at);
    } else {
      outer = kept;  // nothing to reduce: a fold of one element each still squares or widens
    }
    void* to = y;
    if (!last || !direct) {
      const std::int64_t bytes = outer * inner * bytes_of(wide);
      if (bytes <= static_cast<std::int64_t>(sizeof(small[0]))) {
        to = small[turn];
      } else {
        if (held[turn].memory) pool_release(held[turn]);
        held[turn] = pool_acquire(static_cast<std::size_t>(bytes));
        to = held[turn].memory;
      }
      turn ^= 1;
    }
    fold_middle(fold, from_type, Stored{static_cast<const char*>(from), bytes_of(from_type)}, outer, n, inner,
                is_cut(outer, n, inner), to);
    from = to;
    from_type = wide;
    fold = joining(fold);
    any = true;
    if (last) break;
  }
  if (!direct) finish(op, type, const_cast<void*>(from), kept, folded, y);
  for (PoolBlock& block : held) {
    if (block.memory) pool_release(block);
  }
}

}  // namespace tapescope::kernels

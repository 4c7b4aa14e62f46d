// The interpreter: for each tile, each step's loop over it.
#include "engine/kernels/tile.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>

#include "engine/kernels/compiled_tiles.h"
#include "engine/kernels/map_table.h"
#include "engine/kernels/scratch.h"
#include "engine/kernels/thread_pool.h"

namespace tapescope::kernels {
namespace {

using Access = TileProgram::Access;
using Code = TileProgram::Code;
using Step = TileProgram::Step;

constexpr std::int64_t kWidest = 8;  // bytes of an element
// Apart by a cache line more than a power of two, so that equal places of two registers are not of one cache
// set.
constexpr std::int64_t kRegisterBytes = kTileElements * kWidest + 64;
// A repeated row is longer than a tile by a row, so that a tile may begin anywhere in it.
constexpr std::int64_t kExpandedBytes = 2 * kTileElements * kWidest;
constexpr int kMaxExpanded = 4;  // inputs that repeat by rows or columns

std::int64_t bytes_of(DType type) { return static_cast<std::int64_t>(size_of(type)); }

// Rows longer than a tile are cut; tiles then lie within rows. Shorter ones are repeated.
bool long_rows(const TileProgram& program) { return program.row > kTileElements; }

bool is_scalar(const TileProgram& program, std::uint8_t operand) {
  if (operand >= TileProgram::kFirstRegister) return false;
  const Access access = program.inputs[operand].access;
  return access == Access::scalar || (access == Access::column && long_rows(program));
}

template <class T>
void select_loop(const void* condition, const void* a, const void* b, void* y, std::int64_t n,
                 const bool* scalar) {
  const auto* c = static_cast<const std::uint8_t*>(condition);
  const T *x = static_cast<const T*>(a), *z = static_cast<const T*>(b);
  T* out = static_cast<T*>(y);
  const std::int64_t sc = !scalar[0], sx = !scalar[1], sz = !scalar[2];
  for (std::int64_t i = 0; i < n; ++i) out[i] = c[i * sc] ? x[i * sx] : z[i * sz];
}
using SelectLoop = void (*)(const void*, const void*, const void*, void*, std::int64_t, const bool*);
SelectLoop select_of(DType type) {
  switch (size_of(type)) {
    case 1: return select_loop<std::uint8_t>;
    case 4: return select_loop<std::uint32_t>;
    default: return select_loop<std::uint64_t>;
  }
}

Mode mode_of(const TileProgram& program, const Step& step) {
  if (is_scalar(program, step.operand[0])) return Mode::scalar_vector;
  return is_scalar(program, step.operand[1]) ? Mode::vector_scalar : Mode::vector_vector;
}

// One step, or two in one pass, with the loop found, for the time of a run.
struct Ready {
  enum class Kind : std::uint8_t { unary, binary, select, convert, pair } kind;
  std::uint8_t operand[3];
  std::uint8_t target;
  bool scalar[3];
  double param;
  union {
    UnaryLoop unary;
    BinaryLoop binary;
    SelectLoop select;
    ConvertLoop convert;
    PairLoop pair;
  };
};

Ready ready(const TileProgram& program, const Step& step) {
  Ready r{};
  std::copy_n(step.operand, 3, r.operand);
  r.target = step.target;
  r.param = step.param;
  switch (step.code) {
    case Code::unary:
      r.kind = Ready::Kind::unary;
      r.unary = unary_loop(static_cast<UnaryOp>(step.function), step.from);
      break;
    case Code::binary:
      r.kind = Ready::Kind::binary;
      r.binary = binary_loop(static_cast<BinaryOp>(step.function), step.from, mode_of(program, step));
      break;
    case Code::select:
      r.kind = Ready::Kind::select;
      r.select = select_of(step.from);
      for (int k = 0; k < 3; ++k) r.scalar[k] = is_scalar(program, step.operand[k]);
      break;
    case Code::convert:
      r.kind = Ready::Kind::convert;
      r.convert = g_map->convert[static_cast<int>(step.from)][static_cast<int>(step.to)];
      break;
  }
  return r;
}

// The step's operands with `left` the first of them, an array; false where it cannot be.
struct Ordered {
  std::uint8_t left, right;
};
bool order(const TileProgram& program, const Step& step, int left, Ordered& ordered) {
  const bool commutes = static_cast<BinaryOp>(step.function) != BinaryOp::sub;
  for (const int k : {0, 1}) {
    if (k == 1 && !commutes) break;
    ordered = {step.operand[k], step.operand[1 - k]};
    if ((left < 0 || ordered.left == left) && !is_scalar(program, ordered.left)) return true;
  }
  return false;
}

// The two steps from `first` on as one pass, where the second one alone reads what the first one gives.
bool pair_up(const TileProgram& program, std::size_t first, Ready& ready) {
  if (first + 1 == program.steps.size()) return false;
  const Step &f = program.steps[first], &g = program.steps[first + 1];
  for (const Step* step : {&f, &g}) {
    if (step->code != Code::binary || step->from != DType::f32 || step->function >= kPairCount) return false;
  }
  if (f.target < TileProgram::kFirstRegister || f.target >= TileProgram::kFirstResult) return false;
  Ordered of_f, of_g;
  if (!order(program, f, -1, of_f) || !order(program, g, f.target, of_g) || of_g.right == f.target)
    return false;
  for (std::size_t s = first + 2; s < program.steps.size() && g.target != f.target; ++s) {
    const Step& later = program.steps[s];
    const std::uint8_t* const end = later.operand + later.operands();
    if (std::find(later.operand, end, f.target) != end) return false;
    if (later.target == f.target) break;
  }
  ready = {.kind = Ready::Kind::pair,
           .operand = {of_f.left, of_f.right, of_g.right},
           .target = g.target,
           .scalar = {},
           .param = 0,
           .unary = nullptr};
  ready.pair =
      g_map->pair[f.function][is_scalar(program, of_f.right)][g.function][is_scalar(program, of_g.right)];
  return true;
}

// How many registers its steps write.
int registers_of(const TileProgram& program) {
  int count = 0;
  for (const Step& step : program.steps) {
    const int r = step.target - TileProgram::kFirstRegister;
    if (r < TileProgram::kMaxRegisters) count = std::max(count, r + 1);
  }
  return count;
}

template <class T>
void repeat_elements(const void* from, std::int64_t row, std::int64_t begin, std::int64_t n, void* to) {
  const T* x = static_cast<const T*>(from) + begin / row;
  T *y = static_cast<T*>(to), *const end = y + n;
  for (std::int64_t left = row - begin % row; y < end; left = row, ++x) {
    left = std::min<std::int64_t>(left, end - y);
    std::fill_n(y, left, *x);
    y += left;
  }
}
void fill_columns(DType type, const void* from, std::int64_t row, std::int64_t begin, std::int64_t n,
                  void* to) {
  switch (size_of(type)) {
    case 1: return repeat_elements<std::uint8_t>(from, row, begin, n, to);
    case 4: return repeat_elements<std::uint32_t>(from, row, begin, n, to);
    default: return repeat_elements<std::uint64_t>(from, row, begin, n, to);
  }
}
void fill_rows(std::int64_t bytes, const void* from, std::int64_t total, char* to) {
  for (std::int64_t done = 0; done < total; done += bytes) {
    std::memcpy(to + done, from, static_cast<std::size_t>(std::min(bytes, total - done)));
  }
}

// Rough nanoseconds of an element, for dividing work among threads. Between steps it stays in the first
// cache.
double cost(const TileProgram& program) {
  constexpr double kInCache = 0.1;
  double total = 0.3;
  for (const Step& step : program.steps) {
    const auto op = static_cast<UnaryOp>(step.function);
    const bool computes = step.code == Code::unary && row_of(op).work != Work::memory;
    total += computes ? nanoseconds(op, step.from) : kInCache;
  }
  return total;
}

void run(const Ready& pass, const void* const* x, void* y, std::int64_t n) {
  switch (pass.kind) {
    case Ready::Kind::unary: return pass.unary(x[0], y, n, pass.param);
    case Ready::Kind::binary: return pass.binary(x[0], x[1], y, n, pass.param);
    case Ready::Kind::select: return pass.select(x[0], x[1], x[2], y, n, pass.scalar);
    case Ready::Kind::convert: return pass.convert(x[0], y, n);
    case Ready::Kind::pair: return pass.pair(x[0], x[1], x[2], y, n);
  }
}

// The results' elements [begin, end), tile by tile.
void interpret(const TileProgram& program, const void* const* inputs, std::int64_t begin, std::int64_t end,
               void* const* y) {
  // What lies between the steps is of the pool: a thread's stack may be small.
  const int registers = registers_of(program);
  const Scratch between(registers * kRegisterBytes + kMaxExpanded * kExpandedBytes);
  char* const expanded_at = between.as<char>() + registers * kRegisterBytes;
  Ready passes[TileProgram::kMaxSteps];
  std::size_t count = 0;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    if (pair_up(program, s, passes[count])) ++s;
    else passes[count] = ready(program, program.steps[s]);
    ++count;
  }
  const bool cut = long_rows(program);
  // Rows and columns that lie in `expanded`; what does not fit there is not made into a program.
  int expanded_of[TileProgram::kMaxInputs];
  int expanded = 0;
  bool follows_rows = false;
  const std::size_t input_count = program.inputs.size();
  for (std::size_t i = 0; i < input_count; ++i) {
    const auto [type, access] = program.inputs[i];
    const bool by_row = access == Access::row || access == Access::column;
    follows_rows |= by_row;
    expanded_of[i] = by_row && !cut ? expanded++ : -1;
    if (access == Access::row && !cut) {
      fill_rows(program.row * bytes_of(type), inputs[i], (kTileElements + program.row) * bytes_of(type),
                expanded_at + expanded_of[i] * kExpandedBytes);
    }
  }
  constexpr int kPlaces = TileProgram::kFirstResult + TileProgram::kMaxResults;
  const void* operands[kPlaces] = {};
  void* targets[kPlaces];
  for (int r = 0; r < registers; ++r) {
    operands[TileProgram::kFirstRegister + r] = targets[TileProgram::kFirstRegister + r] =
        between.as<char>() + r * kRegisterBytes;
  }
  std::int64_t n = 0;
  for (std::int64_t at = begin; at < end; at += n) {
    n = std::min(kTileElements, end - at);
    const std::int64_t place = follows_rows ? at % program.row : 0;
    if (cut && follows_rows) n = std::min(n, program.row - place);
    for (std::size_t i = 0; i < input_count; ++i) {
      const auto [type, access] = program.inputs[i];
      const char* data = static_cast<const char*>(inputs[i]);
      switch (access) {
        case Access::whole: operands[i] = data + at * bytes_of(type); break;
        case Access::scalar: operands[i] = data; break;
        case Access::row:
          operands[i] = (cut ? data : expanded_at + expanded_of[i] * kExpandedBytes) + place * bytes_of(type);
          break;
        case Access::column:
          if (cut) {
            operands[i] = data + at / program.row * bytes_of(type);
          } else {
            char* const column = expanded_at + expanded_of[i] * kExpandedBytes;
            fill_columns(type, data, program.row, at, n, column);
            operands[i] = column;
          }
          break;
      }
    }
    for (std::size_t r = 0; r < program.results.size(); ++r) {
      const std::size_t place = TileProgram::kFirstResult + r;
      operands[place] = targets[place] =
          static_cast<char*>(y[r]) + (at - begin) * bytes_of(program.results[r]);
    }
    for (const Ready& pass : std::span(passes, count)) {
      const void* const x[3] = {operands[pass.operand[0]], operands[pass.operand[1]],
                                operands[pass.operand[2]]};
      run(pass, x, targets[pass.target], n);
    }
  }
}

}  // namespace

std::vector<double> measure_steps(const TileProgram& program) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 3, kTiles = 8;
  // Each operand has its own memory, of the widest elements: numbers between 1/4 and 1, whole ones 1.
  constexpr std::size_t kBytes = kTileElements * sizeof(double);
  alignas(64) char operands[3][kBytes], target[kBytes];
  std::vector<double> each;
  for (const Step& step : program.steps) {
    const Ready pass = ready(program, step);
    const void* x[3];
    for (int k = 0; k < 3; ++k) {
      const DType type = step.code == Code::select && k == 0 ? DType::boolean : step.from;
      float numbers[kTileElements];
      for (int i = 0; i < kTileElements; ++i)
        numbers[i] = is_floating(type) ? 0.25f + 0.75f * static_cast<float>(i) / kTileElements : 1.0f;
      g_map->convert[static_cast<int>(DType::f32)][static_cast<int>(type)](numbers, operands[k],
                                                                           kTileElements);
      x[k] = operands[k];
    }
    double best = 0;
    for (int round = 0; round < kRounds; ++round) {
      const auto begin = Clock::now();
      for (int tile = 0; tile < kTiles; ++tile) run(pass, x, target, kTileElements);
      const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
      const double element = took.count() / (kTiles * kTileElements);
      if (round == 0 || element < best) best = element;
    }
    each.push_back(best);
  }
  return each;
}

bool tile_supports(const Step& step) {
  if (is_half(step.from) || is_half(step.to)) return false;
  switch (step.code) {
    case Code::unary: return unary_loop(static_cast<UnaryOp>(step.function), step.from) != nullptr;
    case Code::binary:
      return binary_loop(static_cast<BinaryOp>(step.function), step.from, Mode::vector_vector) != nullptr;
    case Code::select: return true;
    case Code::convert:
      return g_map->convert[static_cast<int>(step.from)][static_cast<int>(step.to)] != nullptr;
  }
  return false;
}

bool TileProgram::reads_first(int input, int result) const {
  bool written = false;
  for (const Step& step : steps) {
    const std::uint8_t* const end = step.operand + step.operands();
    if (written && std::find(step.operand, end, input) != end) return false;
    written |= step.target == kFirstResult + result;
  }
  return true;
}

namespace {

// By machine code, where rows are no longer than a tile: tile by tile, with what repeats written out.
void run_short_rows(const TileProgram& program, const MachineCode& code, const void* const* inputs,
                    std::int64_t begin, std::int64_t end, void* const* y) {
  alignas(64) char expanded[kMaxExpanded][kExpandedBytes];
  int expanded_of[TileProgram::kMaxInputs] = {};
  int next = 0;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const auto [type, access] = program.inputs[i];
    if (access != Access::row && access != Access::column) continue;
    expanded_of[i] = next++;
    if (access == Access::row) {
      fill_rows(program.row * bytes_of(type), inputs[i], (kTileElements + program.row) * bytes_of(type),
                expanded[expanded_of[i]]);
    }
  }
  const void* operands[TileProgram::kMaxInputs];
  std::copy_n(inputs, program.inputs.size(), operands);
  void* results[TileProgram::kMaxResults];
  for (std::int64_t at = begin; at < end; at += kTileElements) {
    const std::int64_t n = std::min(kTileElements, end - at), whole = n - n % code.step;
    const auto results_at = [&](std::int64_t element) {
      for (std::size_t r = 0; r < program.results.size(); ++r)
        results[r] = static_cast<char*>(y[r]) + (element - begin) * bytes_of(program.results[r]);
    };
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      const auto [type, access] = program.inputs[i];
      if (access != Access::row && access != Access::column) continue;
      char* const memory = expanded[expanded_of[i]];
      if (access == Access::column) fill_columns(type, inputs[i], program.row, at, n, memory);
      const std::int64_t place = access == Access::row ? at % program.row : 0;
      // As an integer: element 0 of the whole array would lie outside of what is written out.
      operands[i] = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(memory) +
                                                  static_cast<std::uintptr_t>((place - at) * bytes_of(type)));
    }
    results_at(at);
    if (whole > 0) code.run(operands, results, at, at + whole);
    if (whole == n) continue;
    results_at(at + whole);
    interpret(program, inputs, at + whole, at + n, results);
  }
}

bool follows_rows(const TileProgram& program) {
  return std::ranges::any_of(program.inputs, [](const TileProgram::Input& input) {
    return input.access == Access::row || input.access == Access::column;
  });
}

// The inputs that machine code reads for elements of one row: as if what repeats were there for all elements.
void find_row(const TileProgram& program, const void* const* inputs, std::int64_t row,
              const void** operands) {
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const auto [type, access] = program.inputs[i];
    // As an integer: the address that the row would have as a whole array lies outside of it.
    const auto address = reinterpret_cast<std::uintptr_t>(inputs[i]);
    const std::int64_t elements = access == Access::row      ? -row * program.row
                                  : access == Access::column ? row
                                                             : 0;
    operands[i] =
        reinterpret_cast<const void*>(address + static_cast<std::uintptr_t>(elements * bytes_of(type)));
  }
}

}  // namespace

std::int64_t fold_tiles(const TileProgram& program, const MachineCode& code, const void* const* inputs,
                        std::int64_t begin, std::int64_t n, void* running, void* rest) {
  const void* operands[TileProgram::kMaxInputs];
  std::copy_n(inputs, program.inputs.size(), operands);
  if (follows_rows(program)) find_row(program, inputs, begin / program.row, operands);
  const std::int64_t left = n % code.step, end = begin + n;
  if (left < n) code.run(operands, &running, begin, end - left);
  if (left > 0) interpret(program, inputs, end - left, end, &rest);
  return left;
}

void run_tiles(const TileProgram& program, const void* const* inputs, std::int64_t begin, std::int64_t end,
               void* const* y) {
  const MachineCode* const code =
      program.compiled && !program.fold ? program.compiled->code(end - begin) : nullptr;
  if (!code) return interpret(program, inputs, begin, end, y);
  const bool by_row = follows_rows(program);
  if (by_row && !long_rows(program)) return run_short_rows(program, *code, inputs, begin, end, y);
  const void* operands[TileProgram::kMaxInputs];
  std::copy_n(inputs, program.inputs.size(), operands);
  void* results[TileProgram::kMaxResults];
  const auto results_at = [&](std::int64_t at) {
    for (std::size_t r = 0; r < program.results.size(); ++r)
      results[r] = static_cast<char*>(y[r]) + (at - begin) * bytes_of(program.results[r]);
  };
  std::int64_t n = 0;
  for (std::int64_t at = begin; at < end; at += n) {
    n = end - at;
    if (by_row) {
      const std::int64_t row = at / program.row, place = at % program.row;
      n = std::min(n, program.row - place);
      find_row(program, inputs, row, operands);
    }
    const std::int64_t whole = n - n % code->step;
    results_at(at);
    if (whole > 0) code->run(operands, results, at, at + whole);
    if (whole == n) continue;
    results_at(at + whole);
    interpret(program, inputs, at + whole, at + n, results);
  }
}

void run_tiles(const TileProgram& program, const void* const* inputs, void* const* y) {
  const double each = cost(program);
  // As the loops of map.cpp: pieces of 12.5 microseconds, from 50 on.
  const auto serial = static_cast<std::int64_t>(50'000 / each);
  const std::int64_t chunk = (static_cast<std::int64_t>(12'500 / each) / kTileElements + 1) * kTileElements;
  parallel_for(program.count, chunk, serial, [&](std::int64_t begin, std::int64_t end) {
    void* from_begin[TileProgram::kMaxResults];
    for (std::size_t r = 0; r < program.results.size(); ++r) {
      from_begin[r] = static_cast<char*>(y[r]) + begin * bytes_of(program.results[r]);
    }
    run_tiles(program, inputs, begin, end, from_begin);
  });
}

}  // namespace tapescope::kernels

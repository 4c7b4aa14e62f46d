// Machine code gives the bits of the interpreter: each function over a million elements and more (those of
// other dtypes than float32 where TAPESCOPE_LONG=1), and random chains of them. Without LLVM programs run in
// the interpreter.
#include "engine/kernels/machine_code.h"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "engine/kernels/compiled_tiles.h"
#include "engine/kernels/reduce.h"
#include "engine/kernels/reduce_table.h"
#include "engine/kernels/tile.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::kernels;

namespace {

using Access = TileProgram::Access;
using Code = TileProgram::Code;
using Step = TileProgram::Step;
constexpr int kRegister = TileProgram::kFirstRegister, kResult = TileProgram::kFirstResult;
constexpr std::int64_t kMany = (1 << 20) + 45;  // no multiple of any vector
constexpr int kWidths[] = {256, 512};

// Zeros, infinities, NaN, denormals and the ends of exp's range; numbers of everyday size; any bits.
std::vector<float> numbers(std::int64_t count, unsigned seed) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSpecial[] = {0.f,   -0.f,   kInfinity, -kInfinity, NAN,   1e-40f, -1e-40f, 1.f,  -1.f,
                                88.7f, -103.f, 89.5f,     -104.5f,    1e30f, -1e30f, 6.f,     0.5f, -1.5f};
  std::mt19937 random(seed);
  std::normal_distribution<float> everyday(0, 3);
  std::vector<float> list(static_cast<std::size_t>(count));
  for (float& x : list) {
    const unsigned kind = random() % 16;
    x = kind == 0  ? kSpecial[random() % std::size(kSpecial)]
        : kind < 6 ? std::bit_cast<float>(static_cast<std::uint32_t>(random()))
                   : everyday(random);
  }
  return list;
}

// Bytes of elements of any dtype.
std::vector<char> elements(DType type, std::int64_t count, unsigned seed) {
  std::vector<char> bytes(static_cast<std::size_t>(count) * size_of(type));
  std::mt19937_64 random(seed);
  const auto floats = numbers(count, seed);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const auto put = [&](auto value) { std::memcpy(&bytes[i * sizeof(value)], &value, sizeof(value)); };
    const std::uint64_t word = random();
    constexpr std::int64_t kEnds[] = {0,          1,         -1,        2147483647, -2147483648,
                                      4294967296, INT64_MAX, INT64_MIN, 46341,      -7};
    const std::int64_t whole =
        word % 3 == 0 ? kEnds[word / 3 % std::size(kEnds)] : static_cast<std::int64_t>(word);
    switch (type) {
      case DType::f32: put(floats[i]); break;
      case DType::f64:
        put(word % 5 == 0 ? std::bit_cast<double>(random())
                          : static_cast<double>(floats[i]) * (1 + 1e-9 * static_cast<double>(word % 100)));
        break;
      case DType::i32: put(static_cast<std::int32_t>(whole)); break;
      case DType::i64: put(whole); break;
      default: put(static_cast<std::uint8_t>(word % 2)); break;
    }
  }
  return bytes;
}

Step step(Code code, int function, DType from, DType to, std::vector<int> operands, int target,
          double param = 0) {
  Step made{code, static_cast<std::uint8_t>(function), from, to,
            {},   static_cast<std::uint8_t>(target),   param};
  for (std::size_t k = 0; k < operands.size(); ++k) made.operand[k] = static_cast<std::uint8_t>(operands[k]);
  return made;
}
Step unary(UnaryOp op, int x, int target, double param = 0) {
  return step(Code::unary, static_cast<int>(op), DType::f32, DType::f32, {x}, target, param);
}
Step binary(BinaryOp op, int a, int b, int target, double param = 0, DType type = DType::f32) {
  return step(Code::binary, static_cast<int>(op), type, gives_bool(op) ? DType::boolean : type, {a, b},
              target, param);
}

// The first element whose bits differ; empty where none does. The sign of a NaN depends on the order of
// operands.
template <class T>
bool is_nan_at(const std::vector<char>& bytes, std::size_t i) {
  T value;
  std::memcpy(&value, &bytes[i * sizeof(T)], sizeof(T));
  return value != value;
}
std::string difference(DType type, const std::vector<char>& got, const std::vector<char>& want,
                       std::int64_t count) {
  const std::size_t size = size_of(type);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (std::memcmp(&got[i * size], &want[i * size], size) == 0) continue;
    if (type == DType::f32 && is_nan_at<float>(got, i) && is_nan_at<float>(want, i)) continue;
    if (type == DType::f64 && is_nan_at<double>(got, i) && is_nan_at<double>(want, i)) continue;
    std::uint64_t a = 0, b = 0;
    std::memcpy(&a, &got[i * size], size);
    std::memcpy(&b, &want[i * size], size);
    return fmt::format("element {}: {:x}, expected {:x}", i, a, b);
  }
  return {};
}

std::vector<std::vector<char>> results_of(const TileProgram& program,
                                          const std::vector<const void*>& inputs) {
  std::vector<std::vector<char>> results;
  std::vector<void*> addresses;
  for (const DType type : program.results)
    results.emplace_back(static_cast<std::size_t>(program.count) * size_of(type));
  for (auto& result : results) addresses.push_back(result.data());
  run_tiles(program, inputs.data(), addresses.data());
  return results;
}

// Denormals as they are, or flushed, as threads that run ops have it.
class FloatMode {
 public:
  explicit FloatMode(bool flushes) {
#if defined(__x86_64__)
    constexpr unsigned kFlush = 0x8040;
    _mm_setcsr(flushes ? before_ | kFlush : before_ & ~kFlush);
#endif
  }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;
  ~FloatMode() {
#if defined(__x86_64__)
    _mm_setcsr(before_);
#endif
  }

 private:
#if defined(__x86_64__)
  unsigned before_ = _mm_getcsr();
#endif
};

// The results by machine code of each width, where vectors are whole, are the interpreter's.
void check_widths(const TileProgram& program, const std::vector<const void*>& inputs) {
  for (const int width : kWidths) {
    const auto code = make_machine_code(program, width);
    REQUIRE(code);
    const std::int64_t whole = program.count / code->step * code->step;
    for (const bool flushes : {false, true}) {
      INFO("width " << width << (flushes ? ", denormals flushed" : ""));
      const FloatMode mode(flushes);
      const auto want = results_of(program, inputs);
      std::vector<std::vector<char>> got;
      std::vector<void*> addresses;
      for (const auto& result : want) got.emplace_back(result.size(), static_cast<char>(0x55));
      for (auto& result : got) addresses.push_back(result.data());
      code->run(inputs.data(), addresses.data(), 0, whole);
      for (std::size_t r = 0; r < got.size(); ++r) {
        INFO("result " << r);
        CHECK(difference(program.results[r], got[r], want[r], whole) == "");
      }
    }
  }
}

// What x leaves of being between `along` and `down`.
TileProgram folding_program(DType type, std::int64_t runs, std::int64_t n, bool by_row) {
  return {.inputs = {{type, Access::whole},
                     {type, by_row ? Access::row : Access::scalar},
                     {type, by_row ? Access::column : Access::scalar}},
          .steps = {binary(BinaryOp::maximum, 0, 1, kRegister, 0, type),
                    binary(BinaryOp::minimum, kRegister, 2, kRegister + 1, 0, type),
                    binary(BinaryOp::sub, 0, kRegister + 1, kResult, 0, type)},
          .results = {type},
          .row = by_row ? n : 1,
          .count = runs * n};
}

// Elements of which each third run is of everyday numbers: the others are NaN in the end.
template <class T>
std::vector<T> runs_of(std::int64_t runs, std::int64_t n) {
  const std::vector<float> some = numbers(runs * n, 21);
  std::vector<T> x(some.begin(), some.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (static_cast<std::int64_t>(i) / n % 3 == 0) x[i] = static_cast<T>(std::sin(static_cast<double>(i)));
  }
  return x;
}

template <class T>
void check_folds(DType type, std::int64_t runs, std::int64_t n, bool by_row, bool cut) {
  constexpr ReduceOp kOps[] = {ReduceOp::sum, ReduceOp::mean, ReduceOp::prod,
                               ReduceOp::max, ReduceOp::min,  ReduceOp::norm};
  INFO(name_of(type) << ", " << runs << " of " << n << (by_row ? " by rows" : ""));
  const std::vector<T> x = runs_of<T>(runs, n), along = runs_of<T>(1, n), down = runs_of<T>(runs, 1);
  const void* const inputs[] = {x.data(), along.data(), down.data()};
  for (const ReduceOp op : kOps) {
    TileProgram program = folding_program(type, runs, n, by_row);
    std::vector<char> want(static_cast<std::size_t>(runs) * sizeof(T)), got = want;
    reduce_tiles(op, program, inputs, runs, n, 1, cut, want.data());
    program.fold = fold_of_code(op, program, n, 1);
    CHECK(program.fold.has_value() == (n >= 128));
    program.compiled = CompiledTiles::of(program);
    program.compiled->compile();
    REQUIRE(program.compiled->made());
    reduce_tiles(op, program, inputs, runs, n, 1, cut, got.data());
    INFO("reduction " << static_cast<int>(op));
    CHECK(difference(type, got, want, runs) == "");
    if (!program.fold) continue;
    // Vectors of either width keep the same running values.
    std::vector<std::vector<char>> kept;
    for (const int width : kWidths) {
      const auto code = make_machine_code(program, width);
      REQUIRE(code);
      alignas(64) char running[kRunning * sizeof(double)], rest[kMostLeft * sizeof(double)];
      kReduceBaseline.running[static_cast<int>(*program.fold)][static_cast<int>(type)].start(running);
      fold_tiles(program, *code, inputs, 0, n - n % kMostLeft, running, rest);
      kept.emplace_back(running, running + sizeof(running));
    }
    const DType accumulated = accumulator(*program.fold, type);
    CHECK(difference(accumulated, kept[0], kept[1], kRunning) == "");
  }
}

}  // namespace

TEST_CASE("machine code of each function gives the interpreter's bits", "[kernels]") {
  if (!load_machine_code_compiler()) return;
  const auto x = numbers(kMany, 1), y = numbers(kMany, 2);
  const float p = 1.25f;
  const std::vector<const void*> inputs = {x.data(), y.data(), &p};
  const std::vector<TileProgram::Input> of = {
      {DType::f32, Access::whole}, {DType::f32, Access::whole}, {DType::f32, Access::scalar}};
  int made = 0;
  const auto check = [&](const Step& step) {
    const TileProgram program{.inputs = of, .steps = {step}, .results = {step.to}, .count = kMany};
    if (!tile_supports(step) || !has_machine_code(program)) return;
    INFO("function " << static_cast<int>(step.function) << " of " << static_cast<int>(step.operand[1]));
    check_widths(program, inputs);
    ++made;
  };
  for (int op = 0; op < static_cast<int>(UnaryOp::count_); ++op)
    check(unary(static_cast<UnaryOp>(op), 0, kResult, 0.2));
  for (int op = 0; op < static_cast<int>(BinaryOp::count_); ++op) {
    check(binary(static_cast<BinaryOp>(op), 0, 1, kResult, 0.2));
    check(binary(static_cast<BinaryOp>(op), 0, 2, kResult, 0.2));
    check(binary(static_cast<BinaryOp>(op), 2, 1, kResult, 0.2));
  }
  CHECK(made == 22 + 3 * 29);
}

TEST_CASE("machine code of other dtypes gives the interpreter's bits", "[kernels]") {
  if (!load_machine_code_compiler()) return;
  constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32, DType::i64, DType::boolean};
  const std::int64_t many = std::getenv("TAPESCOPE_LONG") ? kMany : (1 << 15) + 45;
  int made = 0;
  for (const DType type : kTypes) {
    const auto x = elements(type, many, 1), y = elements(type, many, 2), one = elements(type, 1, 5),
               truths = elements(DType::boolean, many, 3);
    const std::vector<const void*> inputs = {x.data(), y.data(), one.data(), truths.data()};
    const auto check = [&](const Step& step) {
      const TileProgram program{.inputs = {{type, Access::whole},
                                           {type, Access::whole},
                                           {type, Access::scalar},
                                           {DType::boolean, Access::whole}},
                                .steps = {step},
                                .results = {step.to},
                                .count = many};
      if (!tile_supports(step) || !has_machine_code(program)) return;
      INFO("dtype " << name_of(type) << ", code " << static_cast<int>(step.code) << ", function "
                    << static_cast<int>(step.function) << ", to " << name_of(step.to));
      check_widths(program, inputs);
      ++made;
    };
    for (int op = 0; op < static_cast<int>(UnaryOp::count_) && type != DType::f32; ++op) {
      const DType to = gives_bool(static_cast<UnaryOp>(op)) ? DType::boolean : type;
      check(step(Code::unary, op, type, to, {0}, kResult, 0.2));
    }
    for (int op = 0; op < static_cast<int>(BinaryOp::count_) && type != DType::f32; ++op) {
      const DType to = gives_bool(static_cast<BinaryOp>(op)) ? DType::boolean : type;
      check(step(Code::binary, op, type, to, {0, 1}, kResult, 0.2));
      check(step(Code::binary, op, type, to, {0, 2}, kResult, 0.2));
    }
    check(step(Code::select, 0, type, type, {3, 0, 1}, kResult));
    for (const DType to : kTypes) check(step(Code::convert, 0, type, to, {0}, kResult));
  }
  for (const UnaryOp op : {UnaryOp::is_nan, UnaryOp::is_inf, UnaryOp::is_finite}) {
    const auto x = numbers(many, 4);
    const TileProgram program{
        .inputs = {{DType::f32, Access::whole}},
        .steps = {step(Code::unary, static_cast<int>(op), DType::f32, DType::boolean, {0}, kResult)},
        .results = {DType::boolean},
        .count = many};
    REQUIRE(has_machine_code(program));
    check_widths(program, {x.data()});
  }
  CHECK(made > 100);
}

TEST_CASE("machine code of random chains gives the interpreter's bits", "[kernels]") {
  if (!load_machine_code_compiler()) return;
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    INFO("round " << round);
    TileProgram program;
    program.count = 1 + static_cast<std::int64_t>(random() % 3000) + 32;
    std::vector<std::vector<float>> floats;
    std::vector<std::vector<std::uint8_t>> bools;
    std::vector<const void*> inputs;
    std::vector<int> numbers_at, truths_at;  // operands by dtype
    const int input_count = 2 + static_cast<int>(random() % 5);
    for (int i = 0; i < input_count; ++i) {
      const bool scalar = i > 0 && random() % 3 == 0, truth = i > 1 && random() % 4 == 0;
      const std::int64_t count = scalar ? 1 : program.count;
      program.inputs.push_back(
          {truth ? DType::boolean : DType::f32, scalar ? Access::scalar : Access::whole});
      floats.push_back(numbers(count, static_cast<unsigned>(random())));
      bools.emplace_back();
      for (std::int64_t k = 0; k < count; ++k) bools.back().push_back(random() % 2);
      inputs.push_back(truth ? static_cast<const void*>(bools.back().data()) : floats.back().data());
      // A function of numbers alone, or a selection by one, is none of the interpreter's: see the passes.
      (truth ? truths_at : numbers_at).push_back(i);
    }
    const auto any_of = [&](const std::vector<int>& places) { return places[random() % places.size()]; };
    const auto array_of = [&] {
      for (;;) {
        const int place = any_of(numbers_at);
        if (place >= kRegister || program.inputs[static_cast<std::size_t>(place)].access == Access::whole)
          return place;
      }
    };
    std::vector<int> free;
    for (int r = 0; r < TileProgram::kMaxRegisters; ++r) free.push_back(kRegister + r);
    // Of long ones not all values fit into registers.
    const int steps = 2 + static_cast<int>(random() % (round % 6 == 0 ? 60 : 14));
    for (int s = 0; s < steps; ++s) {
      Step step;
      do {
        const double param = 0.1;
        switch (random() % 4) {
          case 0:
            step = unary(static_cast<UnaryOp>(random() % static_cast<int>(UnaryOp::count_)), array_of(), 0,
                         param);
            break;
          case 1:
            if (!truths_at.empty()) {
              step = ::step(Code::select, 0, DType::f32, DType::f32,
                            {any_of(truths_at), any_of(numbers_at), any_of(numbers_at)}, 0);
              break;
            }
            [[fallthrough]];
          default: {
            const int a = array_of(), b = any_of(numbers_at);
            const bool turned = random() % 2;
            step = binary(static_cast<BinaryOp>(random() % static_cast<int>(BinaryOp::count_)),
                          turned ? b : a, turned ? a : b, 0, param);
          }
        }
      } while (!tile_supports(step) ||
               !has_machine_code({.inputs = program.inputs, .steps = {step}, .results = {step.to}}));
      const bool last = s + 1 == steps;
      const bool kept = last || (random() % 4 == 0 && program.results.size() < 4);
      if (kept) {
        step.target = static_cast<std::uint8_t>(kResult + static_cast<int>(program.results.size()));
        program.results.push_back(step.to);
      } else if (!free.empty()) {
        step.target = static_cast<std::uint8_t>(free.back());
        free.pop_back();
      } else {
        continue;
      }
      program.steps.push_back(step);
      (step.to == DType::f32 ? numbers_at : truths_at).push_back(step.target);
    }
    check_widths(program, inputs);
    // As a whole, with the elements that fill no vector.
    const auto want = results_of(program, inputs);
    program.compiled = CompiledTiles::of(program);
    REQUIRE(program.compiled);
    program.compiled->compile();
    REQUIRE(program.compiled->state() == CompiledTiles::State::compiled);
    const auto got = results_of(program, inputs);
    for (std::size_t r = 0; r < got.size(); ++r)
      CHECK(difference(program.results[r], got[r], want[r], program.count) == "");
  }
}

TEST_CASE("machine code repeats rows and columns as the interpreter does", "[kernels]") {
  if (!load_machine_code_compiler()) return;
  for (const std::int64_t row : {1, 7, 100, 511, 512, 513, 608, 1024, 5001}) {
    const std::int64_t rows = 7 + 3000 / row;
    const auto x = numbers(rows * row, 8), along = numbers(row, 9), down = numbers(rows, 10);
    const float p = 0.75f;
    const std::vector<const void*> inputs = {x.data(), along.data(), down.data(), &p};
    TileProgram program{
        .inputs = {{DType::f32, Access::whole},
                   {DType::f32, Access::row},
                   {DType::f32, Access::column},
                   {DType::f32, Access::scalar}},
        .steps = {binary(BinaryOp::mul, 0, 1, kRegister), binary(BinaryOp::sub, 2, kRegister, kRegister + 1),
                  binary(BinaryOp::less, kRegister + 1, 3, kResult + 1),
                  unary(UnaryOp::sigmoid, kRegister + 1, kResult)},
        .results = {DType::f32, DType::boolean},
        .row = row,
        .count = rows * row};
    const auto want = results_of(program, inputs);
    program.compiled = CompiledTiles::of(program);
    REQUIRE(program.compiled);
    program.compiled->compile();
    const auto got = results_of(program, inputs);
    for (std::size_t r = 0; r < 2; ++r)
      CHECK(difference(program.results[r], got[r], want[r], program.count) == "");
    // A part that begins and ends within rows.
    const std::int64_t begin = std::max<std::int64_t>(3, row - 100),
                       end = std::min(begin + 2 * row + 170, rows * row);
    std::vector<float> part(static_cast<std::size_t>(end - begin));
    std::vector<char> truths(part.size());
    void* const to[] = {part.data(), truths.data()};
    run_tiles(program, inputs.data(), begin, end, to);
    const std::vector<char> expected(want[0].begin() + 4 * begin, want[0].begin() + 4 * end);
    std::vector<char> bytes(4 * part.size());
    std::memcpy(bytes.data(), part.data(), bytes.size());
    CHECK(difference(DType::f32, bytes, expected, end - begin) == "");
    CHECK(std::equal(truths.begin(), truths.end(), want[1].begin() + begin));
  }
}

TEST_CASE("machine code folds runs to the bits of a stored result's fold", "[kernels]") {
  if (!load_machine_code_compiler()) return;
  struct Case {
    std::int64_t runs, n;
    bool by_row, cut;
  };
  // Short runs, whole rounds, a rest, and long runs that are cut into pieces.
  for (const auto [runs, n, by_row, cut] :
       {Case{5, 64, true, false}, Case{40, 128, true, false}, Case{9, 1024, false, false},
        Case{9, 1024, true, false}, Case{9, 5001, true, false}, Case{1, 300'013, false, false},
        Case{9, 70'000, true, true}}) {
    check_folds<float>(DType::f32, runs, n, by_row, cut);
    check_folds<double>(DType::f64, runs, n, by_row, cut);
  }
}

TEST_CASE("a result may lie where an input does", "[kernels]") {
  if (!load_machine_code_compiler()) return;
  const auto x = numbers(1000, 5), y = numbers(1000, 6);
  TileProgram program{
      .inputs = {{DType::f32, Access::whole}, {DType::f32, Access::whole}},
      .steps = {binary(BinaryOp::mul, 0, 1, kRegister), binary(BinaryOp::sub, kRegister, 0, kResult)},
      .results = {DType::f32},
      .count = 1000};
  const auto want = results_of(program, {x.data(), y.data()});
  program.compiled = CompiledTiles::of(program);
  program.compiled->compile();
  auto in_place = x;
  const void* inputs[] = {in_place.data(), y.data()};
  void* result = in_place.data();
  run_tiles(program, inputs, &result);
  CHECK(std::memcmp(in_place.data(), want[0].data(), want[0].size()) == 0);
}

TEST_CASE("equal programs share their code, and what cannot be made is interpreted", "[kernels]") {
  const TileProgram program{
      .inputs = {{DType::f32, Access::whole}, {DType::f32, Access::scalar}},
      .steps = {binary(BinaryOp::mul, 0, 1, kRegister), unary(UnaryOp::tanh, kRegister, kResult)},
      .results = {DType::f32},
      .count = 1000};
  TileProgram longer = program, library = program;
  longer.count = 5000;
  library.steps[1] = unary(UnaryOp::lgamma, kRegister, kResult);
  CHECK(CompiledTiles::of(library) == nullptr);
  const auto first = CompiledTiles::of(program), second = CompiledTiles::of(longer);
  if (!first) {
    CHECK(!has_machine_code(program));
    return;
  }
  first->compile();
  second->compile();
  if (!load_machine_code_compiler()) {
    CHECK(first->state() == CompiledTiles::State::missing);
    CHECK(first->code(1000) == nullptr);
    return;
  }
  REQUIRE(first->code(1000));
  CHECK(first->code(1000) == second->code(5000));
  CHECK(first->code(1000)->milliseconds > 0);
  CHECK(first->code(1000)->code_bytes > 0);
}

TEST_CASE("code is asked for when a program runs again", "[kernels]") {
  const TileProgram program{
      .inputs = {{DType::f32, Access::whole}},
      .steps = {unary(UnaryOp::exp, 0, kRegister), unary(UnaryOp::log1p, kRegister, kResult)},
      .results = {DType::f32},
      .count = 1000};
  const auto tiles = CompiledTiles::of(program);
  if (!tiles) {
    CHECK(!has_machine_code(program));
    return;
  }
  CHECK(tiles->code(400) == nullptr);
  CHECK(tiles->code(600) == nullptr);
  CHECK(tiles->state() == CompiledTiles::State::interpreted);
  tiles->code(400);
  CHECK(tiles->state() != CompiledTiles::State::interpreted);
  tiles->compile();
  CHECK((tiles->code(600) != nullptr) == load_machine_code_compiler());
}

TEST_CASE("a fork of a process that compiles interprets", "[kernels]") {
  TileProgram program{
      .inputs = {{DType::f32, Access::whole}},
      .steps = {unary(UnaryOp::square, 0, kRegister), unary(UnaryOp::rsqrt, kRegister, kResult)},
      .results = {DType::f32},
      .count = 1000};
  const auto x = numbers(1000, 7);
  const auto want = results_of(program, {x.data()});
  const auto compiled = CompiledTiles::of(program);
  if (!compiled) return;
  compiled->compile();
  TileProgram other = program;
  other.steps[1] = unary(UnaryOp::exp, kRegister, kResult);
  other.compiled = CompiledTiles::of(other);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    other.compiled->compile();
    program.compiled = compiled;
    const bool right = other.compiled->state() == CompiledTiles::State::refused &&
                       difference(DType::f32, results_of(program, {x.data()})[0], want[0], 1000).empty();
    other.compiled = nullptr;
    std::quick_exit(right ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

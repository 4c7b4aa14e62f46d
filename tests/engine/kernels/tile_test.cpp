// Programs run tile by tile give the bits of their functions one by one, also where two functions are one
// pass.
#include "engine/kernels/tile.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::kernels;

namespace {

using Access = TileProgram::Access;
using Code = TileProgram::Code;
constexpr int kRegister = TileProgram::kFirstRegister, kResult = TileProgram::kFirstResult;
constexpr std::int64_t kCount = 3 * kTileElements + 5;

std::vector<float> numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-2, 2);
  std::vector<float> list(static_cast<std::size_t>(count));
  for (float& x : list) x = between(random);
  list[0] = -0.f;
  if (count > 2) list[1] = std::numeric_limits<float>::infinity();
  return list;
}

TileProgram::Step binary(BinaryOp op, int a, int b, int target) {
  return {Code::binary,
          static_cast<std::uint8_t>(op),
          DType::f32,
          DType::f32,
          {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b), 0},
          static_cast<std::uint8_t>(target),
          0};
}

// Two arrays and two numbers.
struct Inputs {
  std::vector<float> x = numbers(kCount, 1), y = numbers(kCount, 2), p{0.75f}, q{-1.25f};
  const void* addresses[4] = {x.data(), y.data(), p.data(), q.data()};
};
const std::vector<TileProgram::Input> kInputs = {{DType::f32, Access::whole},
                                                 {DType::f32, Access::whole},
                                                 {DType::f32, Access::scalar},
                                                 {DType::f32, Access::scalar}};

// What the program says, a function and an element at a time.
std::vector<std::vector<float>> one_by_one(const TileProgram& program, const Inputs& given) {
  std::vector<std::vector<float>> places(static_cast<std::size_t>(kResult) + program.results.size(),
                                         std::vector<float>(kCount));
  for (int i = 0; i < 4; ++i) {
    const auto* from = static_cast<const float*>(given.addresses[i]);
    const std::int64_t step = program.inputs[static_cast<std::size_t>(i)].access == Access::whole;
    for (std::int64_t k = 0; k < kCount; ++k)
      places[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] = from[k * step];
  }
  for (const TileProgram::Step& step : program.steps) {
    std::vector<float> made(kCount);
    const auto &a = places[step.operand[0]], &b = places[step.operand[1]];
    if (step.code == Code::unary)
      map_unary(static_cast<UnaryOp>(step.function), DType::f32, a.data(), made.data(), kCount, step.param);
    else
      map_binary(static_cast<BinaryOp>(step.function), DType::f32, a.data(), b.data(), made.data(), kCount,
                 step.param);
    places[step.target] = made;
  }
  return {places.begin() + kResult, places.end()};
}

// The first element whose bits differ, with both; empty where none does. NaN of infinity less infinity has a
// sign that depends on the order of operands.
std::string difference(const std::vector<float>& got, const std::vector<float>& want) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool same =
        std::memcmp(&got[i], &want[i], sizeof(float)) == 0 || (std::isnan(got[i]) && std::isnan(want[i]));
    if (!same) return fmt::format("element {}: {}, expected {}", i, got[i], want[i]);
  }
  return {};
}

void check(TileProgram program) {
  program.inputs = kInputs;
  program.count = kCount;
  const Inputs given;
  std::vector<std::vector<float>> got(program.results.size(), std::vector<float>(kCount));
  std::vector<void*> to;
  for (auto& result : got) to.push_back(result.data());
  run_tiles(program, given.addresses, to.data());
  const auto want = one_by_one(program, given);
  for (std::size_t r = 0; r < got.size(); ++r) CHECK(difference(got[r], want[r]) == "");
}

}  // namespace

TEST_CASE("two functions in one pass give the bits of one after the other", "[kernels]") {
  const BinaryOp ops[] = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul, BinaryOp::div};
  for (const Instructions most : kInstructions) {
    limit_instructions(most);
    for (const BinaryOp f : ops) {
      for (const BinaryOp g : ops) {
        for (const int b : {0, 1, 2}) {
          for (const int c : {1, 3}) {
            for (const int side : {0, 1, 2, 3}) {
              const int first = side & 1 ? b : 0, second = side & 1 ? 0 : b;
              check(
                  {.inputs = {},
                   .steps = {binary(f, first, second, kRegister),
                             side & 2 ? binary(g, c, kRegister, kResult) : binary(g, kRegister, c, kResult)},
                   .results = {DType::f32}});
            }
          }
        }
      }
    }
  }
  limit_instructions(Instructions::avx512);
}

TEST_CASE("what a later function reads is not lost in a pair", "[kernels]") {
  const int r0 = kRegister, r1 = kRegister + 1;
  // The register is read again; overwritten in between; taken twice; a result is read on; a chain in one
  // register.
  check({.inputs = {},
         .steps = {binary(BinaryOp::mul, 0, 2, r0), binary(BinaryOp::add, r0, 1, r1),
                   binary(BinaryOp::sub, r0, r1, kResult)},
         .results = {DType::f32}});
  check({.inputs = {},
         .steps = {binary(BinaryOp::mul, 0, 2, r0), binary(BinaryOp::add, r0, 1, r1),
                   binary(BinaryOp::mul, 1, 3, r0), binary(BinaryOp::sub, r0, r1, kResult)},
         .results = {DType::f32}});
  check({.inputs = {},
         .steps = {binary(BinaryOp::mul, 0, 2, r0), binary(BinaryOp::mul, r0, r0, kResult)},
         .results = {DType::f32}});
  check({.inputs = {},
         .steps = {binary(BinaryOp::mul, 0, 2, kResult), binary(BinaryOp::add, kResult, 1, kResult + 1)},
         .results = {DType::f32, DType::f32}});
  TileProgram::Step relu{Code::unary,
                         static_cast<std::uint8_t>(UnaryOp::relu),
                         DType::f32,
                         DType::f32,
                         {static_cast<std::uint8_t>(r0), 0, 0},
                         static_cast<std::uint8_t>(kResult),
                         0};
  check({.inputs = {},
         .steps = {binary(BinaryOp::mul, 0, 2, r0), binary(BinaryOp::add, r0, 3, r0),
                   binary(BinaryOp::mul, r0, 0, r0), binary(BinaryOp::sub, r0, 3, r0), relu},
         .results = {DType::f32}});
}

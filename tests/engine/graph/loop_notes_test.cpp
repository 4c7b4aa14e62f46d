// What fused loops are made of and what runs them is in records.
#include "engine/graph/loop_notes.h"

#include <algorithm>

#include "engine/explain/retrace.h"
#include "engine/graph/function.h"
#include "engine/kernels/compiled_tiles.h"
#include "engine/kernels/tile.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "engine/tape/variable.h"
#include "tests/support/catch.h"
#include "tests/support/function_accounts.h"

using namespace tapescope;
using tapescope::test::accounts_of;

namespace {

constexpr std::string_view kReduction = "_FusedReduction", kChain = "_FusedElementwise";

struct AtOnce {
  AtOnce() { kernels::CompiledTiles::compile_at_once(true); }
  ~AtOnce() { kernels::CompiledTiles::compile_at_once(false); }
};

// The loops of the only graph of the function that the program calls.
std::vector<FusedLoopAccount> loops_of(const auto& program) {
  const auto accounts = accounts_of(program);
  REQUIRE(accounts.size() == 1);
  REQUIRE(accounts[0].graphs.size() == 1);
  return accounts[0].graphs[0]->loops;
}

Tensor chain(const Tensor& x) { return tanh(x * 1.25) + exp(x); }

// Whether this build and processor can have code, with LLVM.
bool could_have_code() {
  using namespace kernels;
  return has_machine_code({.inputs = {{DType::f32, TileProgram::Access::whole}},
                           .steps = {{.from = DType::f32, .to = DType::f32}}});
}
bool has_code() { return could_have_code() && kernels::load_machine_code_compiler(); }

}  // namespace

TEST_CASE("a compiled function's loops name their members and what runs them", "[graph]") {
  const AtOnce at_once;
  const auto loops = loops_of([] {
    Function f("f", chain, {.optimize = {.compiled = true}});
    for (int i = 0; i < 3; ++i) f(ones({2000}));
  });
  REQUIRE(loops.size() == 1);
  const FusedLoopAccount& loop = loops[0];
  CHECK(loop.op == kChain);
  REQUIRE(loop.members.size() == 4);
  double total = 0;
  for (const MemberAccount& member : loop.members) {
    CHECK(member.share >= 0);
    CHECK(location_text(site_with_id(member.site)).starts_with("loop_notes_test.cpp:"));
    total += member.share;
  }
  CHECK(total == Approx(1));
  CHECK(std::ranges::count(loop.members, "Tanh", &MemberAccount::op) == 1);
  if (has_code()) {
    CHECK(loop.code == LoopCode::machine_code);
    CHECK(loop.why.empty());
    CHECK(loop.bytes > 0);
  } else {
    CHECK(loop.code == LoopCode::interpreter);
    CHECK_FALSE(loop.why.empty());
  }
}

TEST_CASE("a loop that waits for its code says so, and one that has none says why", "[graph]") {
  const auto once = loops_of([] {
    Function f("f", [](const Tensor& x) { return tanh(x * 1.75) - exp(x); },
               {.optimize = {.compiled = true}});
    f(ones({2000}));
  });
  REQUIRE(once.size() == 1);
  CHECK(once[0].code == (could_have_code() ? LoopCode::waiting : LoopCode::interpreter));
  CHECK_FALSE(once[0].why.empty());

  // Made by another thread, sooner or later; that it is asked for is known.
  const auto twice = loops_of([] {
    Function f("f", [](const Tensor& x) { return tanh(x * 1.625) - exp(x); },
               {.optimize = {.compiled = true}});
    for (int i = 0; i < 2; ++i) f(ones({2000}));
  });
  REQUIRE(twice.size() == 1);
  CHECK((twice[0].why != once[0].why || !could_have_code()));

  const auto plain = loops_of([] {
    Function f("f", [](const Tensor& x) { return reduce_sum(chain(x)); });
    for (int i = 0; i < 3; ++i) f(ones({2000}));
  });
  REQUIRE(plain.size() == 1);
  CHECK(plain[0].op == kReduction);
  CHECK(plain[0].code == LoopCode::interpreter);
  CHECK(plain[0].why == "the function is not compiled");
  CHECK(plain[0].members.back().op == "Sum");
  CHECK(plain[0].members.back().share > 0);

  const auto library = loops_of([] {
    Function f("f", [](const Tensor& x) { return sin(x * 1.5); }, {.optimize = {.compiled = true}});
    f(ones({2000}));
  });
  REQUIRE(library.size() == 1);
  CHECK(library[0].code == LoopCode::interpreter);
  CHECK(library[0].why.starts_with("no machine code for"));
}

TEST_CASE("loops of a compiled training step that is looked at are noted as others", "[graph]") {
  const AtOnce at_once;
  const Variable v(ones({2000}), {.name = "v"});
  const auto accounts = accounts_of([&] {
    Function train("train",
                   [&](const Tensor& x) {
                     GradientTape tape;
                     tape.enter();
                     const Tensor y = reduce_sum(chain(x * v));
                     tape.exit();
                     v.assign_sub(0.01 * tape.gradient(y, v));
                     return y;
                   },
                   {.optimize = {.compiled = true}});
    for (int i = 0; i < 3; ++i) train(ones({2000}));
  });
  REQUIRE(accounts.size() == 1);
  REQUIRE(accounts[0].graphs.size() == 1);
  const auto& loops = accounts[0].graphs[0]->loops;
  REQUIRE_FALSE(loops.empty());
  for (const FusedLoopAccount& loop : loops) {
    CHECK(loop.members.size() >= 2);
    CHECK(loop.code == (has_code() ? LoopCode::machine_code : LoopCode::interpreter));
  }
}

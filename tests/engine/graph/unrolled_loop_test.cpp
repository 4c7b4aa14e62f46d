// A loop of the program that a trace turns into many copies of its body is pointed out.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/events/lasting.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/steps.h"
#include "engine/events/session.h"
#include "engine/explain/retrace.h"
#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::vector<Record> records_of(const std::function<Tensor(const Tensor&)>& program) {
  Session session;
  session.start();
  Function f("f", program);
  f(constant({1.0, 2.0}));
  session.stop();
  std::vector<Record> all;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    all.insert(all.end(), records.begin(), records.end());
  });
  return all;
}

std::vector<std::string> messages_of_tracing(const std::function<Tensor(const Tensor&)>& program) {
  std::vector<std::string> messages;
  for (const Record& record : records_of(program)) {
    if (record.is<MessageRecord>()) messages.emplace_back(name_text(record.as<MessageRecord>().text));
  }
  return messages;
}

std::vector<LoopAccount> loops_of(const std::function<Tensor(const Tensor&)>& program) {
  FunctionLog log;
  for (const Record& record : records_of(program)) log.add(1, record);
  const auto accounts = log.accounts();
  return accounts.empty() ? std::vector<LoopAccount>() : accounts.front().loops;
}

int tanh_line = 0;

Tensor unrolled(Tensor x, int rounds) {
  tanh_line = __LINE__ + 1;
  for (int i = 0; i < rounds; ++i) x = tanh(x);
  return x;
}

}  // namespace

TEST_CASE("a large unrolled loop is pointed out with its op and line", "[graph]") {
  const auto messages = messages_of_tracing([](const Tensor& x) { return unrolled(x, 300); });
  REQUIRE(messages.size() == 1);
  INFO(messages[0]);
  CHECK(
      messages[0].starts_with(fmt::format("300 of the 300 nodes of function 'f' are 300 rounds of one loop, "
                                          "from Tanh at unrolled_loop_test.cpp:{} on",
                                          tanh_line)));
  CHECK(messages[0].find("while_loop") != std::string::npos);
}

TEST_CASE("a short loop and one that is a node are not", "[graph]") {
  CHECK(messages_of_tracing([](const Tensor& x) { return unrolled(x, 200); }).empty());
  // Many nodes, and of no line many copies.
  CHECK(messages_of_tracing([](Tensor x) {
          for (int i = 0; i < 40; ++i) {
            x = sin(x);
            x = cos(x);
            x = tanh(x);
            x = exp(x);
            x = sqrt(x);
            x = square(x);
            x = sigmoid(x);
          }
          return x;
        }).empty());
  CHECK(messages_of_tracing([](const Tensor& x) {
          return std::get<1>(
              while_loop([](const Tensor& i, const Tensor&) { return i < 300; },
                         [](const Tensor& i, const Tensor& v) { return std::tuple(i + 1, tanh(v)); },
                         std::tuple(constant(0, DType::i32), x)));
        }).empty());
}

TEST_CASE("a loop of fewer rounds with many ops in each is large, too", "[graph]") {
  const auto messages = messages_of_tracing([](Tensor x) {
    for (int i = 0; i < 60; ++i) x = x + 0.05 * x * (1.0 - tanh(x));
    return x;
  });
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].find("60 rounds of one loop") != std::string::npos);
}

TEST_CASE("an unrolled loop is part of its trace's account", "[graph]") {
  const auto loops = loops_of([](const Tensor& x) {
    Tensor y = x + 1;
    for (int i = 0; i < 300; ++i) {
      y = y * x;
      y = tanh(y);
    }
    Tensor z = exp(y);
    for (int i = 0; i < 40; ++i) z = cos(z);
    for (int i = 0; i < 130; ++i) {
      z = z + 1;
      z = sin(z) * sin(z * 2);
    }
    return z;
  });
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].op == "Mul");
  CHECK(loops[0].rounds == 300);
  CHECK(loops[0].nodes == 600);
  CHECK(loops[0].trace_nodes == 1 + 600 + 1 + 40 + 130 * 5);
  CHECK(loops[0].trace == 1);
  CHECK(loops[0].ticks > 0);
  // Lines with an op twice have more copies than there are rounds.
  CHECK(loops[1].op == "AddV2");
  CHECK(loops[1].rounds == 130);
  CHECK(loops[1].nodes == 130 * 5);
  CHECK(loops_of([](const Tensor& x) { return unrolled(x, 200); }).empty());
}

TEST_CASE("an unrolled loop is sent to viewers that attach later, as long as its function lives", "[graph]") {
  const auto loops_sent = [] {
    const auto all = lasting_records();
    return std::count_if(all.begin(), all.end(),
                         [](const Lasting& l) { return l.records.front().is<UnrolledLoopRecord>(); });
  };
  {
    Function f("f", [](const Tensor& x) { return unrolled(x, 300); });
    f(constant(1.0));
    CHECK(loops_sent() == 1);
  }
  CHECK(loops_sent() == 0);
}

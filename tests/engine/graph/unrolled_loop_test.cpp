// A loop of the program that a trace turns into many copies of its body is pointed out.
#include <string>
#include <vector>

#include "engine/events/session.h"
#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::vector<std::string> messages_of_tracing(const std::function<Tensor(const Tensor&)>& program) {
  Session session;
  session.start();
  Function f("f", program);
  f(constant({1.0, 2.0}));
  session.stop();
  std::vector<std::string> messages;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.kind == RecordKind::message) messages.emplace_back(name_text(record.b));
    }
  });
  return messages;
}

Tensor unrolled(Tensor x, int rounds) {
  for (int i = 0; i < rounds; ++i) x = tanh(x);
  return x;
}

}  // namespace

TEST_CASE("a large unrolled loop is pointed out with its op and line", "[graph]") {
  const auto messages = messages_of_tracing([](const Tensor& x) { return unrolled(x, 300); });
  REQUIRE(messages.size() == 1);
  INFO(messages[0]);
  CHECK(messages[0].find("function 'f' holds 256 copies or more of Tanh from unrolled_loop_test.cpp:31") == 0);
  CHECK(messages[0].find("while_loop") != std::string::npos);
}

TEST_CASE("a short loop and one that is a node are not", "[graph]") {
  CHECK(messages_of_tracing([](const Tensor& x) { return unrolled(x, 200); }).empty());
  CHECK(messages_of_tracing([](const Tensor& x) {
          return std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 300; },
                                        [](const Tensor& i, const Tensor& v) { return std::tuple(i + 1, tanh(v)); },
                                        std::tuple(constant(0, DType::i32), x)));
        }).empty());
}

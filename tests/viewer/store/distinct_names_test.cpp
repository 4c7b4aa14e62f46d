// Which of several sources of one name keeps it.
#include "viewer/store/distinct_names.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

GradientAnswer asked(std::string_view name, TensorId source) {
  GradientAnswer answer{};
  answer.name = intern_name(name);
  answer.source = source;
  return answer;
}
VariableRow variable(std::string_view name, TensorId id) {
  VariableRow row{};
  row.name = name;
  row.id = id;
  return row;
}

}  // namespace

TEST_CASE("of variables of one name those that were asked for are numbered first", "[store]") {
  StepView view;
  for (const TensorId id : {3, 5, 7}) view.variables.push_back(variable("w", id));
  view.answers = {asked("w", 7), asked("b", 4)};
  tell_sources_apart(view);
  CHECK(name_text(view.answers[0].name) == "w");
  CHECK(name_text(view.answers[1].name) == "b");
  CHECK(view.variables[2].name == "w");
  CHECK(view.variables[0].name == "w#2");
  CHECK(view.variables[1].name == "w#3");
}

TEST_CASE("two sources of one name that are both asked for have two names", "[store]") {
  StepView view;
  view.answers = {asked("w", 7), asked("w", 4)};
  tell_sources_apart(view);
  CHECK(name_text(view.answers[0].name) == "w#2");
  CHECK(name_text(view.answers[1].name) == "w");
  CHECK(name_text(view.answers[0].given) == "w");
}

TEST_CASE("a tensor that one question asks for round after round is one source", "[store]") {
  StepView view;
  for (const char* place : {"net.cpp:4", "net.cpp:4", "net.cpp:9"}) {
    GradientCall call{};
    call.location = place;
    view.calls.push_back(call);
    view.answers.push_back(asked("x", 10 + view.calls.size()));
    view.answers.back().call = static_cast<std::uint32_t>(view.calls.size() - 1);
  }
  tell_sources_apart(view);
  CHECK(name_text(view.answers[0].name) == "x");
  CHECK(name_text(view.answers[1].name) == "x");
  CHECK(name_text(view.answers[2].name) == "x#2");
}

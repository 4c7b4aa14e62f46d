// Every sentence and remedy there is, in the words of both languages, as approved.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/core/names.h"
#include "engine/explain/python_words.h"
#include "engine/explain/words.h"
#include "engine/gate/op.h"
#include "tests/engine/explain/record_program.h"
#include "tests/support/approval.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// w is read and squared to x, x goes through an op of each kind to y.
struct Program {
  RecordProgram records;
  TensorId w = records.variable("w", 3), unnamed = records.constant(4),
           handed = records.constant(5, "handed"), read = 0, x = 0, y = 0;
  Program() {
    records.enter(1, 6);
    records.enter(2, 7);
    read = records.read(w, 8);
    x = records.op("Square", {read}, 9);
    y = records.op("Mul", {x, handed}, 10);
    records.name(y, "loss");
    records.exit(2, 11);
    records.exit(1, 12);
  }
};

SiteId site(std::uint32_t line) { return intern_site("program.cpp", "main", line, 0); }

// What the records of a break may say besides its reason.
std::vector<std::pair<const char*, Break>> kinds_of(Reason reason, const Program& p) {
  return {{"", {.reason = reason}},
          {"by a call", {.reason = reason, .site = site(20)}},
          {"another tape", {.reason = reason, .other = 2}},
          {"another tensor", {.reason = reason, .tensor = p.unnamed}},
          {"a named tensor", {.reason = reason, .tensor = p.handed}},
          {"an earlier one", {.reason = reason, .tensor = p.w}},
          {"came back", {.reason = reason, .back = site(21)}},
          {"a condition", {.reason = reason, .use = site(22), .condition = intern_name("if (on)")}},
          {"of training", {.reason = reason, .use = site(22), .condition = intern_name("if training:")}},
          {"probably", {.reason = reason, .guess = true}},
          {"uncalled", {.reason = reason, .uncalled = true}}};
}

PathItem edge_at(const Program& p, const History& history, TensorId output, const char* file) {
  PathItem edge = output == p.w ? item_of_leaf(history, p.w) : item_of(history, *history.producer(output));
  edge.location = std::string(file) + edge.location.substr(edge.location.rfind(':'));
  return edge;
}

}  // namespace

// Each sentence and remedy once, below the first break that has it; those of Python where they differ.
TEST_CASE("every reason has a sentence and a remedy in each language", "[explain]") {
  const Program p;
  const History history = p.records.history();
  std::string text;
  std::set<std::string> known;
  const auto add = [&](Reason reason, const char* file, const char* kind, const Break& cut, TensorId source,
                       TensorId output) {
    Explanation e{.reason = reason};
    e.edge = edge_at(p, history, output, file);
    e.location = e.edge.location;
    describe({history, history.tape(1), 1, p.y, source}, cut, e);
    std::string whole = fmt::format("    {}\n    -> {}\n", e.message, e.fix);
    for (std::size_t at; (at = whole.find(".py:")) != whole.npos;) whole.replace(at, 4, ".cpp:");
    if (known.insert(whole).second) text += fmt::format("  {} {}\n{}", file, kind, whole);
  };
  for (int number = 1; number <= static_cast<int>(Reason::empty_sources); ++number) {
    const auto reason = static_cast<Reason>(number);
    text += fmt::format("{}\n", name_of(reason));
    for (const char* file : {"program.cpp", "program.py"}) {
      const auto kinds = kinds_of(reason, p);
      for (const auto& [kind, cut] : kinds) add(reason, file, kind, cut, p.w, p.x);
      add(reason, file, "of a read", kinds[0].second, p.w, p.read);
      if (is_python(file)) continue;
      add(reason, file, "of the last op", kinds[0].second, p.w, p.y);
      add(reason, file, "of a tensor without a name", kinds[0].second, p.unnamed, p.x);
      add(reason, file, "overwritten", {.reason = reason, .tensor = p.handed}, p.w, p.w);
    }
  }
  approve("engine/approved/explain/every_sentence.txt", text);
}

TEST_CASE("every op without a gradient has a remedy in each language", "[explain]") {
  const Program p;
  const History history = p.records.history();
  std::map<std::string, std::string> ops;  // to their names, by what is said of them
  for (const Reason reason : {Reason::not_differentiable, Reason::argument_not_differentiable}) {
    for (const char* file : {"program.cpp", "program.py"}) {
      for (const OpDef* op : op_table()) {
        Explanation e{.reason = reason};
        e.edge = edge_at(p, history, p.x, file);
        e.edge.op = op->name;
        e.location = e.edge.location;
        describe({history, history.tape(1), 1, p.y, p.w}, {.reason = reason}, e);
        std::string said = e.fix;
        for (std::size_t at; (at = said.find(op->name)) != said.npos;)
          said.replace(at, op->name.size(), "OP");
        ops[fmt::format("{} in {}: {}", name_of(reason), file, said)] += fmt::format(" {}", op->name);
      }
    }
  }
  std::string text;
  for (const auto& [said, names] : ops) {
    const auto count = std::count(names.begin(), names.end(), ' ');
    text += fmt::format("{}\n   {}\n", said, count > 40 ? " all others" : names);
  }
  approve("engine/approved/explain/every_remedy.txt", text);
}

// Recordings that are made so that they have what few programs have, as text that was read and found good:
// long names, values of every kind, losses with gaps, findings of each kind, more ranks than rows have room
// for.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "engine/events/records/findings.h"
#include "engine/events/stats.h"
#include "engine/ops/ops.h"
#include "tests/gui/recorded_screen.h"
#include "tests/support/catch.h"
#include "tests/viewer/store/record_writer.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const char* const kLongName = "encoder/block_with_a_name_of_many_words/attention/query_projection/kernel";

record::RecordedValue value_of(const Tensor& tensor) {
  const auto* begin = static_cast<const std::uint8_t*>(tensor.raw());
  return {&tensor.type(), record::Bytes(begin, begin + tensor.bytes())};
}

// Elements that floats hold exactly, so that their figures are alike everywhere.
Tensor made_tensor(const Shape& shape, double (*element)(std::int64_t)) {
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(element(static_cast<std::int64_t>(i)));
  return make_from_bytes(DType::f32, shape, values.data());
}

StatsEntry stats_entry(const Tensor& gradient, std::string_view name, TensorId source, std::uint64_t step) {
  return {.stats = tensor_stats(gradient), .step = step, .source = intern_name(name), .source_id = source};
}

void message(test::RecordWriter& w, std::uint8_t severity, std::string_view text, bool has_site = true) {
  w.records.push_back(
      MessageRecord{.severity = severity, .text = intern_name(text), .site = has_site ? w.site(14) : 0});
}

struct Source {
  std::string name;
  Tensor value, gradient;
};

// Steps of dense layers whose sources have those values, beside three metrics.
MadeRecording dense_training(const std::vector<Source>& sources, std::uint64_t steps) {
  MadeRecording made;
  test::RecordWriter w;
  std::vector<TensorId> variables;
  for (const Source& source : sources) variables.push_back(w.variable(source.name, source.value.shape()));
  const TensorId x = w.create({32, 784});
  for (std::uint64_t step = 0; step < steps; ++step) {
    w.begin_step(step);
    TensorId sum = w.op("Mul", {x}, {32, 784}, TapeAnswer::no_watched_input, 0, 9);
    std::vector<TensorId> outputs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const TensorId read = w.read(variables[i], sources[i].value.shape());
      w.ticks += 500 * (i + step);
      sum = w.op(i % 2 == 0 ? "MatMul" : "Add", {sum, read}, {32, 10}, TapeAnswer::recorded, 0,
                 static_cast<std::uint32_t>(10 + i), i < 2 ? "dense_of_a_long_scope/inner" : "head");
      outputs.push_back(read);
      outputs.push_back(sum);
    }
    const TensorId loss = w.op("Mean", {sum}, {}, TapeAnswer::recorded, 0, 30);
    w.records.push_back(GradientAskRecord{.tape = 1,
                                          .targets = 1,
                                          .sources = static_cast<std::uint32_t>(sources.size()),
                                          .site = w.site(40),
                                          .call = ++w.calls});
    w.records.push_back(TargetRecord{.name = intern_name("loss"), .tensor = loss});
    for (std::size_t i = 0; i < sources.size(); ++i)
      w.records.push_back(SourceRecord{.name = intern_name(sources[i].name), .tensor = variables[i]});
    w.backward_begin();
    w.backward_step(loss);
    TensorId given = w.backward_op("RealDiv", {loss}, {32, 10});
    for (std::size_t i = outputs.size(); i-- > 0;) {
      w.backward_step(outputs[i]);
      if (i % 2 == 1) given = w.backward_op("MatMul", {given}, {32, 10});
    }
    w.backward_end();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      w.result(variables[i], w.next++, i, sources[i].gradient ? ResultKind::value : ResultKind::none);
      if (sources[i].gradient)
        made.statistics.push_back(stats_entry(sources[i].gradient, sources[i].name, variables[i], step));
    }
    w.op("AssignSub", {x}, {784, 10}, TapeAnswer::absent, 0, 50);
    const auto number = static_cast<double>(step);
    w.scalar("loss", step % 7 == 3 ? kNaN : step % 7 == 5 ? kInfinity : 8 / (number + 1) - 2, step);
    w.scalar("accuracy", std::min(1.0, number / 16), step);
    w.scalar("a metric with a name of many words", 1, step);
    message(w, static_cast<std::uint8_t>(step % 3),
            step % 2 == 0 ? "epoch ends"
                          : "a message of so many words that a row of the log has no room for all of "
                            "them beside the line that it came from, whichever width the window has");
    w.end_step(step);
  }
  made.records = w.take();
  made.results.loss.assign(steps, 0.5);
  for (const Source& source : sources) {
    if (source.gradient) made.results.gradients.emplace_back(source.name, value_of(source.gradient));
    made.results.outputs.emplace_back(source.name, value_of(source.value));
  }
  return made;
}

// Values of every kind; each source stands for what one of them looks like.
MadeRecording values_of_every_kind() {
  const auto counted = [](std::int64_t i) { return static_cast<double>(i); };
  const auto signed_ = [](std::int64_t i) { return static_cast<double>(i % 2 == 0 ? i : -i) / 8; };
  const auto tiny = [](std::int64_t i) { return std::ldexp(i % 3 == 0 ? -1.0 : 1.0, -static_cast<int>(i)); };
  const auto broken = [](std::int64_t i) { return i % 5 == 1 ? kNaN : i % 5 == 3 ? -kInfinity : 2.0; };
  const auto zero = [](std::int64_t) { return 0.0; };
  const auto negative = [](std::int64_t i) { return -1.0 - static_cast<double>(i); };
  const std::vector<Source> sources = {
      {"w", made_tensor({3, 5}, counted), made_tensor({3, 5}, signed_)},
      {kLongName, made_tensor({40, 100}, signed_), made_tensor({40, 100}, counted)},
      {"tiny", made_tensor({12}, tiny), made_tensor({12}, tiny)},
      {"broken", made_tensor({6, 7}, counted), made_tensor({6, 7}, broken)},
      {"zero", made_tensor({2, 2, 3}, zero), made_tensor({2, 2, 3}, zero)},
      {"bias", made_tensor({1}, negative), made_tensor({1}, negative)},
      {"negative", made_tensor({2, 70}, negative), made_tensor({2, 70}, negative)},
      {"none", made_tensor({4}, counted), {}},
  };
  return dense_training(sources, 20);
}

void finding(test::RecordWriter& w, std::string_view kind, std::string_view subject,
             std::string_view detail) {
  w.records.push_back(FindingRecord{
      .about = FindingKind::alert,
      .op = intern_op_name("MatMul"),
      .subject = intern_name(subject),
      .reason = intern_name(kind),
      .site = w.site(21),
      .message = intern_name("what is wrong, in a sentence that is longer than one line of the panel, "
                             "and one more."),
      .fix = intern_name("What to do about it, which takes more than a line as well, wherever it is read."),
      .detail = intern_name(detail)});
}

// Findings of each kind, with short names and long ones.
MadeRecording findings_of_every_kind() {
  test::RecordWriter w;
  const TensorId x = w.create({32, 784}), v = w.variable("w", {784, 10});
  for (std::uint64_t step = 0; step < 3; ++step) {
    w.dense_step(step, x, v);
    if (step != 1) continue;
    for (const char* kind : {"none", "empty_sources", "nonfinite", "retrace", "vanishing", "exploding",
                             "dead", "diverged", "programs", "straggler", "leak", "other"}) {
      finding(w, kind, "w", "backward nan");
      finding(w, kind, kLongName, "all");
    }
  }
  MadeRecording made;
  made.records = w.take();
  return made;
}

// A rank whose step and loss depend on its number.
MadeRecording rank_of(int rank, int size) {
  test::RecordWriter w;
  const TensorId x = w.create({32, 784}), v = w.variable("w", {784, 10});
  for (std::uint64_t step = 0; step < 5; ++step) {
    w.begin_step(step);
    const TensorId product = w.op("MatMul", {x, w.read(v, {784, 10})}, {32, 10});
    w.ticks += 1000 * static_cast<std::uint64_t>(rank % 7) * (step + 1);
    w.op("Mean", {product}, {});
    w.scalar("loss", rank % 9 == 4 && step == 2 ? kNaN : 1.0 / static_cast<double>(1 + rank % 4 + step),
             step);
    w.end_step(step);
  }
  MadeRecording made;
  made.records = w.take();
  made.facts = {{"name", "fit"},
                {"rank", std::to_string(rank)},
                {"size", std::to_string(size)},
                {"job", "9"},
                {"pid", std::to_string(100 + rank)}};
  return made;
}

}  // namespace

TEST_CASE("tensors of every kind have their pictures as they were approved") {
  Screen screen;
  screen.write(values_of_every_kind(), "values");
  screen.run("open values.tape");
  Walk walk(screen);
  for (const char* source : {"w", kLongName, "tiny", "broken", "zero", "bias", "negative", "none"}) {
    walk.run(std::string("select source ") + source);
    walk.over("inspector/tensor/", 2);
  }
  walk.run("size 1600x1400");
  walk.run("maximize inspector");
  for (const char* source : {"w", kLongName, "tiny", "broken", "negative", "zero"}) {
    walk.run(std::string("select source ") + source);
    walk.over("inspector/", 3);
    walk.onto("inspector/", 1);
    walk.wheel("inspector/tensor/0", -4);
  }
  walk.approve("made/walk-values");
}

TEST_CASE("gradients, losses and messages with gaps and long names look as they were approved") {
  Screen screen;
  screen.write(values_of_every_kind(), "values");
  screen.run("open values.tape");
  Walk walk(screen);
  for (const char* panel : {"loss", "log", "gradients", "memory"}) {
    walk.run(std::string("panel ") + panel);
    for (const char* size : {"1280x800", "800x500", "1600x1000"}) {
      walk.run(std::string("size ") + size);
      walk.over(std::string(panel) + "/", 3);
    }
    walk.onto(std::string(panel) + "/", 1);
    walk.run("last-step");
  }
  walk.run("panel loss");
  for (const float x : {-300.0f, -100.0f, 50.0f, 210.0f}) walk.drag("loss/chart", {x, 0});
  walk.run("filter ends");
  walk.run("panel log");
  walk.run("filter no such");
  walk.run("filter");
  walk.run("scale 1.75");
  for (const char* panel : {"loss", "log", "gradients"}) walk.run(std::string("panel ") + panel);
  walk.approve("made/walk-gaps");
}

TEST_CASE("a timeline is read from all of its steps to one of its ops as it was approved") {
  Screen screen;
  screen.write(values_of_every_kind(), "values");
  screen.run("open values.tape");
  Walk walk(screen);
  walk.run("size 1600x1000");
  walk.run("panel timeline");
  walk.run("maximize timeline");
  walk.over("timeline/", 3);
  const std::vector<std::string> all = walk.items("timeline/", 1);
  for (const float turn : {-3.0f, -3.0f, -3.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f})
    if (!all.empty()) walk.wheel(all.back(), turn);
  walk.over("timeline/", 3);
  for (const ImVec2 by : {ImVec2{300, 0}, ImVec2{-200, 20}})
    if (!all.empty()) walk.drag(all.back(), by);
  walk.run("go-step 4");
  walk.run("choose-steps 3 9");
  walk.run("choose-steps none");
  for (const char* chord : {"+", "+", "+", "+", "-", "D", "A", "Shift+F", "F"}) walk.key(chord);
  walk.over("timeline/", 3);
  walk.approve("made/walk-timeline");
}

TEST_CASE("findings of every kind are read as it was approved") {
  Screen screen;
  screen.write(findings_of_every_kind(), "findings");
  screen.run("open findings.tape");
  Walk walk(screen);
  walk.run("maximize alerts");
  walk.over("alerts/", 30);
  walk.run("size 1280x2000");
  for (int i = 0; i < 24; ++i) walk.run("select alert " + std::to_string(i));
  walk.onto("alerts/step/", 2);
  walk.run("maximize alerts");
  walk.run("size 900x700");
  walk.run("select alert 3");
  walk.over("alerts/", 30);
  for (const char* chord : {"F8", "F8", "Shift+F8", "Shift+F8"}) walk.key(chord);
  walk.approve("made/walk-findings");
}

TEST_CASE("a job of a few ranks looks at every width as it was approved") {
  Screen screen;
  for (int rank = 0; rank < 8; ++rank) screen.write(rank_of(rank, 8), "rank-" + std::to_string(rank));
  screen.run("job .");
  Walk walk(screen);
  walk.over("jobs/", 3);
  walk.run("maximize jobs");
  walk.over("jobs/", 3);
  walk.onto("jobs/colour/", 4);
  for (const char* line : {"size 800x600", "size 500x400", "scale 1.5", "size 1600x1000"}) walk.run(line);
  walk.onto("jobs/", 2);
  walk.run("maximize jobs");
  for (const char* panel : {"timeline", "loss"}) {
    walk.run(std::string("panel ") + panel);
    walk.over(std::string(panel) + "/", 2);
  }
  walk.approve("made/walk-job");
}

TEST_CASE("ranks of a job have lower rows where they are more than sixty-four, as it was approved") {
  Screen screen;
  for (int rank = 0; rank < 64; ++rank) screen.write(rank_of(rank, 65), fmt::format("rank-{:02}", rank));
  screen.run("job .");
  Walk walk(screen);
  walk.run("maximize jobs");
  screen.write(rank_of(64, 65), "rank-64");
  walk.run("open-beside rank-64.tape");
  walk.over("jobs/rank/", 1);
  walk.run("maximize jobs");
  walk.click("programs/more");
  walk.over("programs/", 2);
  walk.approve("made/walk-many-ranks");
}

TEST_CASE("a job whose ranks differ looks as it was approved") {
  Screen screen;
  for (int rank = 0; rank < 3; ++rank)
    screen.open(fmt::format("answers/jobs/data-parallel-diverging-{}", rank), "",
                rank == 0 ? "open" : "open-beside");
  Walk walk(screen);
  walk.run("panel jobs");
  walk.over("jobs/", 3);
  walk.onto("jobs/", 3);
  walk.run("panel alerts");
  walk.over("alerts/", 3);
  walk.onto("alerts/row/", 3);
  walk.run("panel timeline");
  walk.over("timeline/", 2);
  walk.approve("made/walk-diverging");
}

// Where a None is placed in a program's text: at the call of a helper that is right as it stands.
#include "viewer/store/none_places.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

const SourceFile kWaves{.path = "waves.py",
                        .lines = {
                            "class Net:",                             // 1
                            "    def __call__(self, x):",             // 2
                            "        hidden = x @ self.kernel",       // 3
                            "        return hidden + self.bias",      // 4
                            "def scaled(x):",                         // 5
                            "    return x * gain",                    // 6
                            "def start(kind):",                       // 7
                            "    return tf.zeros([3])",               // 8
                            "def step(net, x):",                      // 9
                            "    seen = net(x)",                      // 10
                            "    wide = scaled(x)",                   // 11
                            "    with tf.GradientTape() as tape:",    // 12
                            "        again = net(x)",                 // 13
                            "        loss = tf.reduce_sum(seen)",     // 14
                            "    return tape.gradient(loss, net.w)",  // 15
                            "def learn():",                           // 16
                            "    net, rate = Net(), 0.1",             // 17
                            "    level = start('low')",               // 18
                            "    return step(net, level)",            // 19
                        }};
const auto kFiles = std::make_shared<const SourceFiles>(SourceFiles{{"waves.py", kWaves}});

GradientRow row_at(const char* reason, const char* location) {
  GradientRow row;
  row.status = GradientStatus::none;
  row.reason = reason;
  row.location = row.edge.location = location;
  row.asked_at = "waves.py:15";
  row.fix = std::string("move Mul at ") + location + " inside the tape's with block";
  row.name = "level";
  row.source_id = row.edge.output = 7;
  return row;
}

std::string placed(const char* reason, const char* location) {
  std::vector<GradientRow> rows{row_at(reason, location)};
  NonePlaces().put_into(rows, kFiles, {});
  CHECK(rows[0].edge.location == rows[0].location);
  return rows[0].location;
}

}  // namespace

TEST_CASE("a helper that ran before the block is placed at its call outside of it", "[none_places]") {
  CHECK(placed("outside_tape_before", "waves.py:6") == "waves.py:11");
  CHECK(placed("outside_tape_before", "waves.py:3") == "waves.py:10");  // not 13, which is in the block
  CHECK(placed("outside_tape_before", "waves.py:11") == "waves.py:11");
  std::vector<GradientRow> rows{row_at("outside_tape_before", "waves.py:6")};
  NonePlaces().put_into(rows, kFiles, {});
  CHECK(rows[0].fix == "move the call at waves.py:11 inside the tape's with block");
  CHECK(rows[0].message.find("waves.py:11") != std::string::npos);
}

TEST_CASE("a function that leads to the block is changed itself", "[none_places]") {
  CHECK(placed("outside_tape_before", "waves.py:17") == "waves.py:17");
  CHECK(placed("outside_tape_before", "waves.py:19") == "waves.py:19");
}

TEST_CASE("a tensor that no tape watched is placed where it gets its name", "[none_places]") {
  CHECK(placed("not_watched", "waves.py:8") == "waves.py:18");
  CHECK(placed("not_watched", "waves.py:11") == "waves.py:11");
}

TEST_CASE("other reasons, other languages and missing texts keep their lines", "[none_places]") {
  CHECK(placed("stop_gradient", "waves.py:6") == "waves.py:6");
  CHECK(placed("outside_tape_before", "waves.cpp:6") == "waves.cpp:6");
  std::vector<GradientRow> rows{row_at("other_tape", "waves.py:6")};
  NonePlaces().put_into(rows, nullptr, {});
  CHECK(rows[0].location == "waves.py:6");
}

TEST_CASE("a place that was found holds until the files are others", "[none_places]") {
  NonePlaces places;
  for (int round = 0; round < 2; ++round) {
    std::vector<GradientRow> rows{row_at("outside_tape_before", "waves.py:6")};
    places.put_into(rows, kFiles, {});
    CHECK(rows[0].location == "waves.py:11");
  }
  std::vector<GradientRow> rows{row_at("outside_tape_before", "waves.py:6")};
  SourceFile without_calls = kWaves;
  without_calls.lines.resize(9);
  places.put_into(rows, std::make_shared<const SourceFiles>(SourceFiles{{"waves.py", without_calls}}), {});
  CHECK(rows[0].location == "waves.py:6");
}

TEST_CASE("what another tape's block did with a result is placed at the call that took it", "[none_places]") {
  const SourceFile gan{.path = "gan.py",
                       .lines = {
                           "class Critic:",                               // 1
                           "    def __call__(self, x):",                  // 2
                           "        return x @ self.w",                   // 3
                           "critic = Critic()",                           // 4
                           "def losses(real, noise):",                    // 5
                           "    with tf.GradientTape() as painting:",     // 6
                           "        fakes = painter(noise)",              // 7
                           "    with tf.GradientTape() as judging:",      // 8
                           "        good = critic(real)",                 // 9
                           "        bad = critic(fakes)",                 // 10
                           "    return painting.gradient(bad, weights)",  // 11
                       }};
  GradientRow row = row_at("outside_tape_after", "gan.py:3");
  row.asked_at = "gan.py:11";
  std::vector<GradientRow> rows{row};
  NonePlaces().put_into(rows, std::make_shared<const SourceFiles>(SourceFiles{{"gan.py", gan}}), {});
  CHECK(rows[0].location == "gan.py:10");
}

TEST_CASE("what ran while a tape was paused is placed in the block that paused it", "[none_places]") {
  const SourceFile rover{.path = "rover.py",
                         .lines = {
                             "def move(place, plan):",                     // 1
                             "    return place + plan @ engine",           // 2
                             "def quiet(tape):",                           // 3
                             "    return tape.stop_recording()",           // 4
                             "def ahead(tape):",                           // 5
                             "    place = move(start, plan)",              // 6
                             "    with quiet(tape):",                      // 7
                             "        for _ in range(3):",                 // 8
                             "            place = move(place, plan)",      // 9
                             "    return place",                           // 10
                             "def cost():",                                // 11
                             "    with tf.GradientTape() as tape:",        // 12
                             "        loss = tf.reduce_sum(ahead(tape))",  // 13
                             "        with tape.stop_recording():",        // 14
                             "            level = loss * gain",            // 15
                             "    return tape.gradient(loss, engine)",     // 16
                         }};
  const auto files = std::make_shared<const SourceFiles>(SourceFiles{{"rover.py", rover}});
  const auto place = [&](const char* location) {
    GradientRow row = row_at("paused", location);
    row.asked_at = "rover.py:16";
    row.fix = "move Mul out of the block of stop_recording(), or remove stop_recording";
    std::vector<GradientRow> rows{row};
    NonePlaces().put_into(rows, files, {});
    return std::pair(rows[0].location, rows[0].fix);
  };
  CHECK(place("rover.py:2") ==
        std::pair<std::string, std::string>("rover.py:9",
                                            "move the call at rover.py:9 out of the block of "
                                            "stop_recording(), or remove stop_recording"));
  CHECK(place("rover.py:15").first == "rover.py:15");
}

namespace {

const SourceFile kReader{.path = "reader.cpp",
                         .lines = {
                             "Tensor corrected(const Tensor& counts) { return counts - background; }",  // 1
                             "Tensor scaled(const Tensor& counts) {",                                   // 2
                             "  return gain * counts;",                                                 // 3
                             "}",                                                                       // 4
                             "Tensor read(const Tensor& counts) {",                                     // 5
                             "  const Tensor cleaned = corrected(counts);",                             // 6
                             "  GradientTape tape;",                                                    // 7
                             "  Tensor misfit;",                                                        // 8
                             "  {",                                                                     // 9
                             "    auto recording = tape.record();",                                     // 10
                             "    const Tensor signal = corrected(counts) + cleaned;",                  // 11
                             "    misfit = reduce_sum(signal);",                                        // 12
                             "  }",                                                                     // 13
                             "  const Tensor late = scaled(misfit);",                                   // 14
                             "  return tape.gradient(late, gain);",                                     // 15
                             "}",                                                                       // 16
                             "void train(Model& model) {",                                              // 17
                             "  model.backbone.set_trainable(false);",                                  // 18
                             "  read(model(counts));",                                                  // 19
                             "}",                                                                       // 20
                         }};

std::pair<std::string, std::string> placed_in_reader(const char* reason, const char* location) {
  GradientRow row = row_at(reason, location);
  row.asked_at = "reader.cpp:15";
  row.name = "model/backbone/kernel";
  row.fix = fmt::format("move Mul at {} inside the tape's block", location);
  std::vector<GradientRow> rows{row};
  NonePlaces().put_into(rows, std::make_shared<const SourceFiles>(SourceFiles{{"reader.cpp", kReader}}), {});
  return {rows[0].location, rows[0].fix};
}

}  // namespace

TEST_CASE("a helper of C++ that ran beside the block is placed at its call outside of it", "[none_places]") {
  using Placed = std::pair<std::string, std::string>;
  CHECK(placed_in_reader("outside_tape_before", "reader.cpp:1") ==
        Placed("reader.cpp:6", "move the call at reader.cpp:6 inside the tape's block"));
  CHECK(placed_in_reader("outside_tape_after", "reader.cpp:3").first == "reader.cpp:14");
  CHECK(placed_in_reader("outside_tape_before", "reader.cpp:6").first == "reader.cpp:6");
  CHECK(placed_in_reader("host_round_trip", "reader.cpp:3").first == "reader.cpp:3");
}

TEST_CASE("a variable of a layer that was frozen before it was built is placed where it was",
          "[none_places]") {
  const auto [location, fix] = placed_in_reader("not_trainable", "reader.cpp:19");
  CHECK(location == "reader.cpp:18");
  CHECK_THAT(fix, contains_text("set_trainable(true)"));
}

TEST_CASE("in C++ what another thread ran is placed where that was started", "[none_places]") {
  const SourceFile gauges{.path = "gauges.cpp",
                          .lines = {
                              "Tensor travel(const Gauge& gauge) {",                        // 1
                              "  const Tensor away = place - gauge.along;",                 // 2
                              "  return sqrt(away);",                                       // 3
                              "}",                                                          // 4
                              "Tensor all(const Gauge& gauge) {",                           // 5
                              "  if (in_turn) return travel(gauge);",                       // 6
                              "  return std::async([&] { return travel(gauge); }).get();",  // 7
                              "}",                                                          // 8
                              "void fit() {",                                               // 9
                              "  GradientTape tape;",                                       // 10
                              "  auto recording = tape.record();",                          // 11
                              "  const Tensor seen = travel(first);",                       // 12
                              "  tape.watch(place);",                                       // 13
                              "  tape.gradient(all(first) + seen, place);",                 // 14
                              "}",                                                          // 15
                          }};
  const auto files = std::make_shared<const SourceFiles>(SourceFiles{{"gauges.cpp", gauges}});
  const auto place = [&](const char* reason, const char* fix) {
    GradientRow row = row_at(reason, "gauges.cpp:2");
    row.asked_at = "gauges.cpp:14";
    row.fix = fix;
    std::vector<GradientRow> rows{row};
    NonePlaces().put_into(rows, files, {});
    return std::pair(rows[0].location, rows[0].fix);
  };
  using Placed = std::pair<std::string, std::string>;
  CHECK(place("other_thread", "run Sub at gauges.cpp:2 on the thread that opened the tape") ==
        Placed("gauges.cpp:7", "run the call at gauges.cpp:7 on the thread that opened the tape"));
  CHECK(place("watched_too_late", "move tape.watch(place) before Sub at gauges.cpp:2") ==
        Placed("gauges.cpp:2", "move tape.watch(place) before the call at gauges.cpp:12"));
}

TEST_CASE("where the program records who called a helper, that call is the place", "[none_places]") {
  const auto site = [](std::uint32_t line) { return intern_site("waves.py", "f", line, 0); };
  Surroundings known;
  known.learn(CallersRecord{.site = site(3), .nearest = site(13), .second = site(19), .order = 5});
  std::vector<GradientRow> rows{row_at("outside_tape_before", "waves.py:3")};
  NonePlaces().put_into(rows, kFiles, known);
  CHECK(rows[0].location == "waves.py:13");  // by the text it is line 10
}

TEST_CASE("the call beside the tape's block is the one to move, past a loop that ran the helper",
          "[none_places]") {
  const SourceFile pipes{.path = "pipes.py",
                         .lines = {
                             "def scaled(x):",                        // 1
                             "    return x * gain",                   // 2
                             "def prepared(x, steps):",               // 3
                             "    for one in steps:",                 // 4
                             "        x = one(x)",                    // 5
                             "    return x",                          // 6
                             "def step(x):",                          // 7
                             "    ready = prepared(x, [scaled])",     // 8
                             "    with tf.GradientTape() as tape:",   // 9
                             "        loss = tf.reduce_sum(ready)",   // 10
                             "    return tape.gradient(loss, gain)",  // 11
                         }};
  const auto files = std::make_shared<const SourceFiles>(SourceFiles{{"pipes.py", pipes}});
  const auto site = [](std::uint32_t line) { return intern_site("pipes.py", "f", line, 0); };
  Surroundings known;
  known.learn(CallersRecord{.site = site(2), .nearest = site(5), .second = site(8), .order = 5});
  GradientRow row = row_at("outside_tape_before", "pipes.py:2");
  row.asked_at = "pipes.py:11";
  std::vector<GradientRow> rows{row};
  NonePlaces().put_into(rows, files, known);
  CHECK(rows[0].location == "pipes.py:8");
  // A script that asks has no function.
  const SourceFile script{.path = "script.py",
                          .lines = {
                              "ready = prepared(x, [scaled])",      // 1
                              "with tf.GradientTape() as tape:",    // 2
                              "    loss = tf.reduce_sum(ready)",    // 3
                              "slope = tape.gradient(loss, gain)",  // 4
                          }};
  const auto both =
      std::make_shared<const SourceFiles>(SourceFiles{{"pipes.py", pipes}, {"script.py", script}});
  Surroundings run;
  run.learn(CallersRecord{
      .site = site(2), .nearest = site(5), .second = intern_site("script.py", "<module>", 1, 0), .order = 5});
  rows = {row};
  rows[0].asked_at = "script.py:4";
  NonePlaces().put_into(rows, both, run);
  CHECK(rows[0].location == "script.py:1");
}

TEST_CASE("a helper that ran in the block of another tape is not to be moved by its call there",
          "[none_places]") {
  const SourceFile ships{.path = "ships.py",
                         .lines = {
                             "def loss(x, task):",                       // 1
                             "    seen = x * gain",                      // 2
                             "    return tf.reduce_sum(seen)",           // 3
                             "def gradients(x):",                        // 4
                             "    total = 0.0",                          // 5
                             "    for task in tasks:",                   // 6
                             "        with tf.GradientTape() as tape:",  // 7
                             "            total += loss(x, task)",       // 8
                             "    return tape.gradient(total, gain)",    // 9
                             "def train(x):",                            // 10
                             "    for _ in range(3):",                   // 11
                             "        apply(step(x))",                   // 12
                         }};
  const auto files = std::make_shared<const SourceFiles>(SourceFiles{{"ships.py", ships}});
  const auto site = [](std::uint32_t line) { return intern_site("ships.py", "f", line, 0); };
  Surroundings known;
  known.learn(CallersRecord{.site = site(2), .nearest = site(8), .second = site(12), .order = 5});
  GradientRow row = row_at("outside_tape_before", "ships.py:2");
  row.asked_at = "ships.py:12";
  std::vector<GradientRow> rows{row};
  NonePlaces().put_into(rows, files, known);
  CHECK(rows[0].location == "ships.py:2");
}

// Where a None is placed in a Python program: at the call of a helper that is right as it stands.
#include "viewer/store/none_places.h"

#include <memory>

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
  NonePlaces().put_into(rows, kFiles);
  CHECK(rows[0].edge.location == rows[0].location);
  return rows[0].location;
}

}  // namespace

TEST_CASE("a helper that ran before the block is placed at its call outside of it", "[none_places]") {
  CHECK(placed("outside_tape_before", "waves.py:6") == "waves.py:11");
  CHECK(placed("outside_tape_before", "waves.py:3") == "waves.py:10");  // not 13, which is in the block
  CHECK(placed("outside_tape_before", "waves.py:11") == "waves.py:11");
  std::vector<GradientRow> rows{row_at("outside_tape_before", "waves.py:6")};
  NonePlaces().put_into(rows, kFiles);
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
  NonePlaces().put_into(rows, nullptr);
  CHECK(rows[0].location == "waves.py:6");
}

TEST_CASE("a place that was found holds until the files are others", "[none_places]") {
  NonePlaces places;
  for (int round = 0; round < 2; ++round) {
    std::vector<GradientRow> rows{row_at("outside_tape_before", "waves.py:6")};
    places.put_into(rows, kFiles);
    CHECK(rows[0].location == "waves.py:11");
  }
  std::vector<GradientRow> rows{row_at("outside_tape_before", "waves.py:6")};
  SourceFile without_calls = kWaves;
  without_calls.lines.resize(9);
  places.put_into(rows, std::make_shared<const SourceFiles>(SourceFiles{{"waves.py", without_calls}}));
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
  NonePlaces().put_into(rows, std::make_shared<const SourceFiles>(SourceFiles{{"gan.py", gan}}));
  CHECK(rows[0].location == "gan.py:10");
}

TEST_CASE("what ran while a tape was paused is placed in the block that paused it", "[none_places]") {
  const SourceFile rover{.path = "rover.py",
                         .lines = {
                             "def move(place, plan):",                              // 1
                             "    return place + plan @ engine",                    // 2
                             "def quiet(tape):",                                    // 3
                             "    return tape.stop_recording()",                    // 4
                             "def ahead(tape):",                                    // 5
                             "    place = move(start, plan)",                       // 6
                             "    with quiet(tape):",                               // 7
                             "        for _ in range(3):",                          // 8
                             "            place = move(place, plan)",               // 9
                             "    return place",                                    // 10
                             "def cost():",                                         // 11
                             "    with tf.GradientTape() as tape:",                 // 12
                             "        loss = tf.reduce_sum(ahead(tape))",           // 13
                             "        with tape.stop_recording():",                 // 14
                             "            level = loss * gain",                     // 15
                             "    return tape.gradient(loss, engine)",              // 16
                         }};
  const auto files = std::make_shared<const SourceFiles>(SourceFiles{{"rover.py", rover}});
  const auto place = [&](const char* location) {
    GradientRow row = row_at("paused", location);
    row.asked_at = "rover.py:16";
    row.fix = "move Mul out of the block of stop_recording(), or remove stop_recording";
    std::vector<GradientRow> rows{row};
    NonePlaces().put_into(rows, files);
    return std::pair(rows[0].location, rows[0].fix);
  };
  CHECK(place("rover.py:2") ==
        std::pair<std::string, std::string>("rover.py:9",
                                            "move the call at rover.py:9 out of the block of "
                                            "stop_recording(), or remove stop_recording"));
  CHECK(place("rover.py:15").first == "rover.py:15");
}

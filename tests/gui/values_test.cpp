// The values of any op of the step that is shown: read by a key, kept by a recording, or said why not.
#include <filesystem>

#include "tests/gui/driver.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

void start(UiDriver& ui, const std::string& sample, const std::string& variant, int steps = 2) {
  REQUIRE(ui.run("sample " + sample).empty());
  if (!variant.empty()) REQUIRE(ui.run("variant " + variant).empty());
  REQUIRE(ui.run("steps " + std::to_string(steps)).empty());
}

nlohmann::json values_of(UiDriver& ui, std::size_t op) {
  REQUIRE(ui.run("select op " + std::to_string(op)).empty());
  ui.frame(2);
  return state_of(ui)["values"];
}

bool all_kept(const nlohmann::json& values) {
  return !values.empty() && std::all_of(values.begin(), values.end(), [](const nlohmann::json& value) {
    return value["kept"] == true || value["shape"].is_null() || value["dtype"] == "resource";
  });
}

const nlohmann::json* with_role(const nlohmann::json& values, const char* role) {
  for (const nlohmann::json& value : values) {
    if (value["role"] == role) return &value;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("one key reads what every op of the step read and made, of a run that is over") {
  // Layers and an optimizer, a function with a gradient outside, a whole step in a function, a tape in a
  // tape.
  const auto [sample, variant] =
      GENERATE(table<const char*, const char*>({{"linear-regression", "unoptimized"},
                                                {"mnist-mlp", "unoptimized"},
                                                {"mnist-mlp", "optimized"},
                                                {"rnn-cell", "unoptimized"},
                                                {"second-derivative", ""},
                                                {"momentum", "optimizer"}}));
  CAPTURE(sample, variant);
  UiDriver ui;
  start(ui, sample, variant);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  const auto view = ui.bench->a->shown();
  REQUIRE(view);
  CHECK_FALSE(all_kept(values_of(ui, 0)));
  CHECK(ui.on_screen("inspector/read"));
  ui.key("V");
  REQUIRE(ui.settle());
  std::size_t forward = 0, backward = 0;
  for (std::size_t op = 0; op < view->ops.size(); ++op) {
    const OpRow& row = view->ops[op];
    INFO("op " << op << " " << row.op << " " << name_of(row.direction));
    const nlohmann::json values = values_of(ui, op);
    const bool on_the_way = row.direction == Direction::forward || row.direction == Direction::backward;
    if (!on_the_way && !all_kept(values)) {
      // An update in place is not looked at; the inspector says so.
      CHECK(ui.bench->panel("inspector")->text(ui.bench->context()).find("not known: ") != std::string::npos);
      continue;
    }
    CHECK(all_kept(values));
    CHECK(
        with_role(values, row.direction == Direction::backward && !row.in_graph ? "cotangent_in" : "output"));
    (row.direction == Direction::backward ? backward : forward)++;
  }
  CHECK(forward > 0);
  CHECK(ui.bench->status.mode == RunMode::finished);
  check_clean(ui);
}

TEST_CASE("values that were read are those where the program stops") {
  UiDriver ui;
  start(ui, "linear-regression", "unoptimized");
  REQUIRE(ui.run("break backward").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  const std::string hash = state_of(ui)["frame_hash"];
  ui.key("V");
  REQUIRE(ui.settle());
  // The program stands where it stood.
  CHECK(ui.bench->status.mode == RunMode::paused);
  CHECK(state_of(ui)["frame_hash"] == hash);
  const auto view = ui.bench->a->complete;
  REQUIRE(view);
  int compared = 0;
  for (std::size_t op = 0; op < view->ops.size(); ++op) {
    const OpRow& row = view->ops[op];
    const bool walked = row.direction == Direction::backward;
    const std::int64_t node = walked ? view->backward_steps[row.backward_step].node : row.node;
    if (node < 0) continue;
    const nlohmann::json read = values_of(ui, op);
    REQUIRE(ui.run("seek " + std::to_string(node + 1)).empty());
    REQUIRE(ui.settle());
    const nlohmann::json frame = state_of(ui)["frame"];
    const nlohmann::json& there = frame[walked ? "cotangents_in" : "outputs"];
    const nlohmann::json* const value = with_role(read, walked ? "cotangent_in" : "output");
    REQUIRE(value);
    CHECK((*value)["norm"] == there[0]["norm"]);
    CHECK((*value)["shape"] == there[0]["shape"]);
    ++compared;
  }
  CHECK(compared > 8);
  check_clean(ui);
}

TEST_CASE("a recording shows the values that it keeps, and says why where it keeps none") {
  const std::string path = std::filesystem::temp_directory_path() / "tapescope-values.tape";
  {
    UiDriver ui;
    start(ui, "linear-regression", "unoptimized");
    REQUIRE(ui.run("run").empty());
    REQUIRE(ui.settle());
    REQUIRE(ui.run("save " + path).empty());
  }
  UiDriver ui;
  REQUIRE(ui.run("open " + path).empty());
  REQUIRE(ui.settle());
  const auto view = ui.bench->a->shown();
  REQUIRE(view);
  int recorded = 0;
  for (std::size_t op = 0; op < view->ops.size(); ++op) {
    const OpRow& row = view->ops[op];
    const nlohmann::json values = values_of(ui, op);
    if (row.node >= 0 || row.direction == Direction::backward) {
      INFO("op " << op << " " << row.op);
      CHECK(all_kept(values));
      ++recorded;
    } else if (!all_kept(values)) {
      CHECK(ui.bench->panel("inspector")->text(ui.bench->context()).find("no tape recorded it") !=
            std::string::npos);
    }
  }
  CHECK(recorded > 4);
  CHECK_FALSE(ui.on_screen("inspector/read"));
  CHECK_FALSE(ui.run("read-values").empty());
  check_clean(ui);
  std::filesystem::remove(path);
}

TEST_CASE("a program that runs has its values read after a pause alone") {
  UiDriver ui;
  CHECK_FALSE(ui.run("read-values").empty());
  start(ui, "linear-regression", "unoptimized");
  CHECK(ui.run("read-values").find("no step to look at") != std::string::npos);
}

TEST_CASE("a pinned tensor stays beside the one that is selected, and its history grows with the steps") {
  UiDriver ui;
  start(ui, "mnist-mlp", "unoptimized", 4);
  REQUIRE(ui.run("break op Relu hit 1").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.bench->status.mode == RunMode::paused);
  REQUIRE(ui.on_screen("inspector/tensor/0/pin"));
  ui.click("inspector/tensor/0/pin");
  ui.frame(2);
  REQUIRE(ui.on_screen("inspector/pinned"));
  const std::string was = ui.bench->map.find("inspector/pinned")->label;
  CHECK(was.find("step 1") != std::string::npos);
  // Another op is selected: the pinned one stays.
  REQUIRE(ui.run("select op 1").empty());
  ui.frame(3);
  REQUIRE(ui.on_screen("inspector/pinned"));
  CHECK(ui.bench->map.find("inspector/pinned")->label == was);
  REQUIRE(ui.run("select none").empty());
  REQUIRE(ui.run("step-training 1").empty());
  REQUIRE(ui.settle());
  ui.frame(2);
  REQUIRE(ui.on_screen("inspector/pinned/norm"));
  CHECK(ui.bench->map.find("inspector/pinned/norm")->label == "2");
  CHECK(ui.bench->map.find("inspector/pinned")->label.find("step 2") != std::string::npos);
  REQUIRE(ui.run("select op 1").empty());
  ui.frame(3);
  ui.click("inspector/unpin");
  ui.frame(2);
  CHECK_FALSE(ui.on_screen("inspector/pinned"));
  check_clean(ui);
}

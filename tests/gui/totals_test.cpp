// Figures of the tables add up to those of the step, which the status bar and the JSON say.
#include <sstream>

#include <fmt/format.h>

#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/debugger/headless.h"
#include "viewer/export/report_json.h"
#include "viewer/model/units.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

// A panel's table as it is copied for a spreadsheet, without what stands beneath it.
class Table {
 public:
  Table(UiDriver& ui, std::string_view panel) {
    REQUIRE(ui.run(fmt::format("panel {}", panel)).empty());
    ui.frame(3);
    std::istringstream lines(ui.bench->panel(panel)->csv(ui.bench->context()));
    for (std::string line; std::getline(lines, line) && line.size() > 1;) {
      if (line.back() == '\r') line.pop_back();
      std::vector<std::string>& row = rows_.emplace_back(1);
      bool quoted = false;
      for (const char letter : line) {
        if (letter == '"') quoted = !quoted;
        else if (letter == ',' && !quoted) row.emplace_back();
        else row.back() += letter;
      }
    }
    REQUIRE(rows_.size() > 1);
  }

  // Of the rows whose first cell does not begin with a space: a flame's other rows are parts of these.
  double sum(std::string_view heading) const {
    const auto column = std::ranges::find(rows_[0], heading) - rows_[0].begin();
    REQUIRE(column < static_cast<std::ptrdiff_t>(rows_[0].size()));
    double sum = 0;
    for (const std::vector<std::string>& row : std::span(rows_).subspan(1))
      if (row[0][0] != ' ') sum += std::stod(row[static_cast<std::size_t>(column)]);
    return sum;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

TEST_CASE("tables add up to what the status bar and the JSON say of the step") {
  const char* const sample = GENERATE("mnist-mlp", "rnn-cell", "convolution", "train-step");
  INFO(sample);
  UiDriver ui;
  REQUIRE(ui.run(fmt::format("sample {}", sample)).empty());
  REQUIRE(ui.run("steps 3").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  const Table ops(ui, "ops"), memory(ui, "memory"), flame(ui, "flame");
  const Json document = json_of(report_of(ui.bench->debuggee.so_far(), 0));
  const Json& tape = document.at("tape");

  const double ran = tape.at("executed").get<double>() + tape.at("backward_ops").get<double>();
  CHECK(ops.sum("calls") == ran);
  CHECK(flame.sum("calls") == ran);
  CHECK(ops.sum("share") == Approx(1).margin(0.01));
  CHECK(ops.sum("saved_bytes") == tape.at("saved_bytes").get<double>());
  CHECK(memory.sum("bytes") == tape.at("peak_bytes").get<double>());

  const std::string said = ui.bench->map.find("words/counts")->label;
  INFO(said);
  CHECK(said.starts_with(fmt::format("{} recorded, {} not recorded,", tape.at("recorded").get<int>(),
                                     tape.at("executed").get<int>() - tape.at("recorded").get<int>())));
  CHECK(said.find("saved " + format_bytes(ops.sum("saved_bytes"))) != std::string::npos);
}

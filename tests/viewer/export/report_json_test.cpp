// The JSON documents keep the fields that others rely on.
#include "viewer/export/report_json.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("numbers that are not finite are words", "[json]") {
  CHECK(json_number(std::nan("")) == "NaN");
  CHECK(json_number(std::numeric_limits<double>::infinity()) == "Infinity");
  CHECK(json_number(-std::numeric_limits<double>::infinity()) == "-Infinity");
  CHECK(json_number(1.5) == 1.5);
}

TEST_CASE("tensors are nested lists, None is null, floats keep their short form", "[json]") {
  const double values[] = {0.1, 2, 3, 4, 5, 6};
  CHECK(json_values(make_tensor(values, {2, 3}, DType::f32)).dump() == "[[0.1,2.0,3.0],[4.0,5.0,6.0]]");
  CHECK(json_values(make_full({}, 6, DType::f32)) == 6.0);
  CHECK(json_values(make_full({}, 6, DType::i32)).dump() == "6");
  CHECK(json_values(Tensor()).is_null());
  CHECK(json_values(make_full({0}, 0, DType::f32)).dump() == "[]");
}

TEST_CASE("a run document has every field, with or without events", "[json]") {
  for (const bool events : {false, true}) {
    RunReport report;
    report.sample = "derivative";
    report.steps = 1;
    report.has_events = events;
    report.loss = {1, std::nan("")};
    report.step = {1, 1, 1, 1};
    report.forward = report.backward = report.update = quantiles_of({});
    const Json document = json_of(report);
    for (const char* field :
         {"schema", "sample", "variant", "seed", "steps", "threads", "loss", "metrics", "outputs", "errors",
          "time", "tape", "functions", "gradients", "ops", "alerts", "advice"}) {
      CHECK(document.contains(field));
    }
    CHECK(document["schema"] == 1);
    CHECK(document["loss"][1] == "NaN");
    CHECK(document["tape"].is_null() == !events);
    CHECK(document["time"]["forward"].is_null());
  }
}

TEST_CASE("explain carries the path and the edge, run does not", "[json]") {
  RunReport report;
  GradientRow row;
  row.source = "y";
  row.status = GradientStatus::none;
  row.reason = "stop_gradient";
  row.path = {{"Mul", "g", "a.cpp:1", 1}};
  row.edge = {"Mul", "s", "a.cpp:2", 2};
  report.gradients = {row};
  const Json run = json_of(report), explained = explain_json(report);
  CHECK_FALSE(run["gradients"][0].contains("path"));
  CHECK(explained["gradients"][0]["path"][0]["location"] == "a.cpp:1");
  CHECK(explained["gradients"][0]["edge"]["location"] == "a.cpp:2");
  CHECK(explained["gradients"][0]["norm"].is_null());
  CHECK(explained["gradients"][0]["status"] == "none");
}

TEST_CASE("text that is no UTF-8 does not break a document", "[json]") {
  CHECK_NOTHROW(json_text(Json{{"text", "a\xff z"}}));
}

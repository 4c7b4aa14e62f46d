// The graph as a picture: whatever names a recording holds.
#include "tests/support/catch.h"
#include "tests/support/made_up_step.h"
#include "viewer/export/files.h"

using namespace tapescope;

TEST_CASE("a graph whose names are no UTF-8 is drawn, with the words that follow") {
  const auto picture_of = [](std::string_view first, std::string_view last) {
    test::StepMaker maker;
    const TensorId x = maker.op(first, {maker.constant()}, "8", "8", 1);
    maker.op(last, {x}, "8", "8", 1);
    return graph_png(*maker.finish());
  };
  const std::string picture = picture_of("A\xff\xfe", "Tanh");
  CHECK(picture.starts_with("\x89PNG\r\n"));
  CHECK(picture != picture_of("A\xff\xfe", "Sinh"));
  CHECK(picture == picture_of("A\xff\xfe", "Tanh"));
}

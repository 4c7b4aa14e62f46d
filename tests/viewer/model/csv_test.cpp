// Fields are quoted where they must be.
#include "viewer/model/csv.h"

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a field is quoted when it holds a comma, a quote or a line's end") {
  CHECK(csv_field("") == "");
  CHECK(csv_field("a b") == "a b");
  CHECK(csv_field("[2, 3]") == "\"[2, 3]\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_field("a\nb") == "\"a\nb\"");
}

TEST_CASE("a field that a spreadsheet would compute is text, and a number stays one") {
  CHECK(csv_field("=1+1") == "'=1+1");
  CHECK(csv_field("@sum(a1,a2)") == "\"'@sum(a1,a2)\"");
  CHECK(csv_field("+cmd") == "'+cmd");
  CHECK(csv_field("-2 KiB") == "'-2 KiB");
  for (const char* number : {"-2", "-1.5e-07", "+3", "-inf", "-nan", "-", "2"})
    CHECK(csv_field(number) == number);
}

TEST_CASE("lines with tabs become lines of CSV") {
  CHECK(csv_of_tabs("") == "");
  CHECK(csv_of_tabs("name\tshape\n  x\t[2, 3]\n\t\n") == "name,shape\r\n  x,\"[2, 3]\"\r\n,\r\n");
  CHECK(csv_of_tabs("no end\tof line") == "no end,of line");
}

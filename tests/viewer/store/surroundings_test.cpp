// What a program's records say of who called the functions that its ops ran in.
#include "viewer/store/surroundings.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

SiteId site(std::uint32_t line) { return intern_site("orchard.py", "f", line, 0); }

}  // namespace

TEST_CASE("an op was called by what was recorded last before it", "[surroundings]") {
  Surroundings known;
  CHECK(known.callers("orchard.py", 3, 9).empty());
  known.learn(CallersRecord{.site = site(3), .nearest = site(10), .second = site(20), .order = 5});
  known.learn(CallersRecord{.site = site(3), .nearest = site(11), .order = 8});
  CHECK(known.callers("orchard.py", 3, 7) == std::vector<SiteId>{site(10), site(20)});
  CHECK(known.callers("orchard.py", 3, 8) == std::vector<SiteId>{site(11)});
  CHECK(known.callers("orchard.py", 3, 4).empty());
  CHECK(known.callers("orchard.py", 4, 8).empty());
  CHECK(known.callers("orchard.py", 3, 0) == std::vector<SiteId>{site(11)});  // no output: the last
}

TEST_CASE("a long chain of callers goes on in a second record", "[surroundings]") {
  Surroundings known;
  known.learn(CallersRecord{.site = site(3),
                            .nearest = site(10),
                            .second = site(11),
                            .third = site(12),
                            .fourth = site(13),
                            .order = 5});
  known.learn(CallersRecord{.first = 1, .site = site(3), .nearest = site(14), .order = 5});
  CHECK(known.callers("orchard.py", 3, 6) ==
        std::vector<SiteId>{site(10), site(11), site(12), site(13), site(14)});
  known.clear();
  CHECK(known.callers("orchard.py", 3, 6).empty());
  // Of another run, whose lines have other callers.
  known.learn(CallersRecord{.site = site(4), .nearest = site(20), .order = 5});
  CHECK(known.callers("orchard.py", 3, 6).empty());
  CHECK(known.callers("orchard.py", 4, 6) == std::vector<SiteId>{site(20)});
}

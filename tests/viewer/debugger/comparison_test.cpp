// Whether two programs that ran apart compute the same.
#include "viewer/debugger/comparison.h"

#include "tests/support/catch.h"
#include "viewer/store/snapshot.h"

using namespace tapescope;

namespace {

// A program that is no sample, whose last question was about w.
Snapshot answered(GradientStatus status, double norm = 0) {
  Snapshot snapshot;
  GradientRow row;
  row.source = "w";
  row.status = status;
  row.norm = norm;
  row.has_stats = status != GradientStatus::none;
  snapshot.gradients.push_back(row);
  return snapshot;
}

Comparison compared(const Snapshot& a, const Snapshot& b) {
  Comparison c;
  add_results(c, compare_results({}, {}, &a, &b));
  c.verdict = verdict_of(c);
  return c;
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("programs that are no samples are compared by what their gradients are", "[compare]") {
  const Comparison none = compared(answered(GradientStatus::none), answered(GradientStatus::value, 1));
  CHECK_FALSE(none.same_gradients);
  CHECK(none.first_difference == "gradient of w, none against value");
  CHECK(says(none.verdict, "do not compute the same gradients"));
  CHECK(
      compared(answered(GradientStatus::value, 1), answered(GradientStatus::value, 1.00001)).same_gradients);
  const Comparison far = compared(answered(GradientStatus::value, 1), answered(GradientStatus::value, 1.1));
  CHECK_FALSE(far.same_gradients);
  CHECK(far.max_gradient_difference == Approx(0.1 / 1.1));
  CHECK(says(comparison_text(far), "norm 0.0909 of the larger one"));
}

TEST_CASE("norms are compared in the steps of which both are known", "[compare]") {
  // B's gradients are inside a function, which is looked at in some of its calls.
  Snapshot a = answered(GradientStatus::value, 0.5), b = answered(GradientStatus::value, 2);
  a.gradients[0].health = {{.step = 0, .norm = 4}, {.step = 1, .norm = 2}, {.step = 2, .norm = 0.5}};
  b.gradients[0].health = {{.step = 0, .norm = 4}, {.step = 1, .norm = 2}};
  CHECK(compared(a, b).same_gradients);
  CHECK(compared(a, b).max_gradient_difference == 0);
  b.gradients[0].health[1].norm = 3;
  CHECK_FALSE(compared(a, b).same_gradients);
  // The first ten steps say whether they compute the same.
  for (Snapshot* one : {&a, &b}) one->gradients[0].health[1].step = 12;
  CHECK(compared(a, b).same_gradients);
  CHECK(compared(a, b).max_gradient_difference == Approx(1 / 3.0));
}

TEST_CASE("gradients are not called the same where no more than that there are any is known", "[compare]") {
  Snapshot a = answered(GradientStatus::value, 1), b = answered(GradientStatus::value, 2);
  for (Snapshot* one : {&a, &b}) one->gradients[0].has_stats = false;
  const Comparison seen = compared(a, b);
  CHECK(seen.compared == Compared::losses);
  CHECK(says(seen.verdict, "the same loss."));
  CHECK(says(comparison_text(seen), "norms of gradients were not recorded"));
  CHECK_FALSE(says(comparison_text(seen), "saved bytes"));
  // One that is None in B alone still differs.
  b.gradients[0].status = GradientStatus::none;
  CHECK_FALSE(compared(a, b).same_gradients);
}

TEST_CASE("nothing that both programs have is no agreement", "[compare]") {
  const Comparison nothing = compared(answered(GradientStatus::value, 1), Snapshot());
  CHECK(nothing.compared == Compared::nothing);
  CHECK(says(nothing.verdict, "no loss and no gradient that both have"));
  CHECK_FALSE(says(nothing.verdict, "compute the same"));
  CHECK(says(comparison_text(nothing), "results: none that both have"));
}

TEST_CASE("samples are compared by the elements they kept", "[compare]") {
  ProgramResult a, b;
  a.loss = b.loss = {1.0};
  a.step_us = b.step_us = {10.0};
  a.gradients = {{"w", make_full({2}, 1, DType::f32)}};
  b.gradients = {{"w", make_full({2}, 2, DType::f32)}};
  const Snapshot seen = answered(GradientStatus::value, 1);
  const ComparisonResult result = compare_results(a, b, &seen, &seen);
  CHECK(result.compared == Compared::elements);
  CHECK_FALSE(result.same_gradients);
}

// What a program does with a number that it reads, in its text.
#include "engine/gate/printed_reads.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Of the line that holds the mark.
bool printed(std::string_view program) {
  const std::size_t mark = program.find("//!");
  REQUIRE(mark != std::string_view::npos);
  return is_printed(
      program, static_cast<std::uint32_t>(1 + std::count(program.begin(), program.begin() + mark, '\n')));
}

}  // namespace

TEST_CASE("a number that goes into output alone is printed", "[printed]") {
  CHECK(printed("std::printf(\"%g\\n\", item(loss));  //!"));
  CHECK(printed(
      "if (i % 10 == 0) std::fprintf(stderr, \"%d: %g (%g)\", i, item(loss), std::sqrt(item(x)));  //!"));
  CHECK(printed("std::printf(\"%d %g\\n\", i,\n            item(reduce_mean(square(a - b))));  //!"));
  CHECK(printed("std::cout << \"loss = \" << item(loss) << '\\n';  //!"));
  CHECK(printed("for (;;) {\n  log_file << i << ',' << 100.0 * item(loss);  //!\n}"));
  CHECK(printed("CHECK_STREAM(\"loss \" << item(loss));  //!"));
  CHECK(printed("LOG(INFO) << \"at; \" << item(loss);  //!"));
  CHECK(printed("fmt::print(\"{}\\n\", fmt::join(host_values(x), \", \"));  //!"));
  CHECK(printed("const std::string text = std::to_string(item(x));  //!\nstd::puts(text.c_str());"));
  CHECK(printed("log.info(\"loss {}\", item(loss));  //!"));
  CHECK(printed("logger_->info(\"loss {}\", item(loss));  //!"));
  CHECK(printed("spdlog::info(\"loss {}\", item(loss));  //!"));
}

TEST_CASE("elements that are printed are printed, in a loop and alone", "[printed]") {
  CHECK(printed("std::printf(\"%g %g\\n\", element(x, 0), element(x, 1));  //!"));
  CHECK_FALSE(printed("{\n  if (op) y = y + at(c, i);\n  else y = y + element(c, i);  //!\n}"));
  CHECK_FALSE(printed("do y = y + element(c, i);  //!\nwhile (y < 2);"));
}

TEST_CASE("a variable that is printed alone is printed, too", "[printed]") {
  CHECK(
      printed("void f() {\n  const double mean = item(x) / 2;  //!\n  std::cout << mean;\n}\ndouble mean = "
              "2;\nuse(mean);"));
  CHECK(
      printed("{\n  auto m = item(x);  //!\n  const double root = std::sqrt(m);\n  std::printf(\"%g %g\", m, "
              "root);\n}"));
  CHECK(printed("{\n  double m = item(x);  //!\n  print(other.m, m);\n}"));
  CHECK_FALSE(printed("{\n  double m = item(x);  //!\n  std::cout << m;\n  y = y * m;\n}"));
  CHECK_FALSE(printed("{\n  double m = item(x);  //!\n  return m;\n}"));
  CHECK_FALSE(printed("{\n  last_ = item(x);  //!\n}"));
  CHECK_FALSE(printed(
      "{\n  double m = item(x);  //!\n  const double k = m + 1;\n  std::cout << m;\n  y = k * y;\n}"));
  CHECK_FALSE(printed("double f = [&] { return item(x); }();  //!"));
}

TEST_CASE("a number that may be used otherwise is not printed", "[printed]") {
  CHECK_FALSE(printed("y = item(x) * z;  //!"));
  CHECK_FALSE(printed("return log(item(x));  //!"));
  CHECK_FALSE(printed("return trace(item(x)) + error(item(y));  //!"));
  CHECK_FALSE(printed("if (item(x) > 0.5) std::printf(\"large\");  //!"));
  CHECK_FALSE(printed("std::printf(\"%g\", total += item(x));  //!"));
  CHECK_FALSE(printed("const int n = 1 << static_cast<int>(item(x));  //!\nuse(n);"));
  CHECK_FALSE(printed("use(1 << static_cast<int>(item(x)));  //!"));
  CHECK_FALSE(printed("values.push_back(item(x));  //!"));
  CHECK_FALSE(printed("std::printf(\"%g\", item(x)), y = leaky_relu(z, item(a));  //!"));
  CHECK_FALSE(printed("std::printf(\"item(x)\");  // item(x) //!"));
  CHECK_FALSE(printed("y = z;  /* printf(item(x)) */ //!"));
  CHECK_FALSE(is_printed("item(x);", 0));
  CHECK_FALSE(is_printed("item(x);", 7));
  CHECK_FALSE(is_printed("", 1));
}

// Functions and their calls in the text of a program.
#include "viewer/store/call_lines.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

const SourceFile kShop{.path = "shop.cpp",
                       .lines = {
                           "class Shop {",                                               // 1
                           " public:",                                                   // 2
                           "  Tensor loss(const Tensor& days,",                          // 3
                           "              const Tensor& orders) {",                      // 4
                           "    for (int i = 0; i < 2; ++i) {",                          // 5
                           "      if (i > 0)",                                           // 6
                           "        keep(model(days));",                                 // 7
                           "    }",                                                      // 8
                           "    return square(days);",                                   // 9
                           "  }",                                                        // 10
                           "  Tensor twice(const Tensor& x) { return double_of(x); }",   // 11
                           "};",                                                         // 12
                           "",                                                           // 13
                           "Tensor loss(const Tensor&);",                                // 14
                           "int main() {",                                               // 15
                           "  const auto error = [&](const Tensor& x) {",                // 16
                           "    return x - shop.twice(x);  // not loss(x)",              // 17
                           "  };",                                                       // 18
                           "  const Tensor first = shop.loss(days, orders);",            // 19
                           "  const Tensor other = my_loss(days) + 2.0 * error(days);",  // 20
                           "  return print(shop.loss(days, orders));",                   // 21
                           "}",                                                          // 22
                           "const auto half = [] { return tanh(0.5); };",                // 23
                       }};
const SourceFile kPython{.path = "shop.py",
                         .lines = {
                             "class Shop:",                          // 1
                             "    def loss(self, days):",            // 2
                             "        if days:",                     // 3
                             "            return square(days)",      // 4
                             "        return 0",                     // 5
                             "for day in days:",                     // 6
                             "    first = shop.loss(day)",           // 7
                             "    other = shop.loss(day)  # loss(",  // 8
                         }};

using Lines = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a function on one line whose body names a lambda keeps its name", "[callers]") {
  const SourceFile file{.path = "short.cpp",
                        .lines = {"int f() { auto the_name_of_another = [] { return 1; }; return 2; }",
                                  "int g (int x) { return x; }"}};
  CHECK(function_around(file, 1).name == "f");
  CHECK(function_around(file, 2).name == "g");
}

TEST_CASE("a line's function is that whose body it stands in", "[callers]") {
  for (const std::uint32_t line : {5, 7, 9}) {
    CHECK(function_around(kShop, line).name == "loss");
    CHECK(function_around(kShop, line).line == 3);
  }
  CHECK(function_around(kShop, 11).name == "twice");
  CHECK(function_around(kShop, 17).name == "error");
  CHECK(function_around(kShop, 19).name == "main");
  CHECK(function_around(kShop, 23).name == "half");
  CHECK(function_around(kPython, 4).name == "loss");
  for (const std::uint32_t line : {0, 1, 3, 14, 15, 99}) CHECK(function_around(kShop, line).name.empty());
  CHECK(function_around(kPython, 7).name.empty());
}

TEST_CASE("a block of statements and a bracket below its function are no functions without a name",
          "[callers]") {
  const SourceFile file{.path = "shop.cpp",
                        .lines = {
                            "Tensor gradient_of(const Variable& v,",  // 1
                            "                   const Tensor& x)",    // 2
                            "{",                                      // 3
                            "  GradientTape tape;",                   // 4
                            "  for (int i = 0; i < 3; ++i) {",        // 5
                            "    keep(x);",                           // 6
                            "  }",                                    // 7
                            "  Tensor loss;",                         // 8
                            "  {",                                    // 9
                            "    auto recording = tape.record();",    // 10
                            "    loss = loss_of(x);",                 // 11
                            "  }",                                    // 12
                            "  if (keep)",                            // 13
                            "  {",                                    // 14
                            "    keep(loss);",                        // 15
                            "  }",                                    // 16
                            "}",                                      // 17
                        }};
  for (const std::uint32_t line : {4, 6, 11, 15}) {
    CHECK(function_around(file, line).name == "gradient_of");
    CHECK(function_around(file, line).line == 1);
  }
}

TEST_CASE("declarations, other names and comments are no calls", "[callers]") {
  CHECK(lines_that_call(kShop, function_around(kShop, 9)) == Lines{19, 21});
  CHECK(lines_that_call(kShop, function_around(kShop, 11)) == Lines{17});
  CHECK(lines_that_call(kShop, function_around(kShop, 17)) == Lines{20});
  CHECK(lines_that_call(kPython, function_around(kPython, 4)) == Lines{7, 8});
  CHECK(lines_that_call(kShop, {}).empty());
}

TEST_CASE("a function of a class that stands in another file is declared there, not called", "[callers]") {
  const SourceFile file{.path = "shop.cpp",
                        .lines = {
                            "Tensor Shop::loss(const Tensor& days) const {",  // 1
                            "  return shop::loss(days) + Shop::loss(days);",  // 2
                            "}",                                              // 3
                            "x = flow::Shop::loss(days);",                    // 4
                            "std::vector<Tensor> flow::Shop::loss(days) {",   // 5
                        }};
  CHECK(lines_that_call(file, {.name = "loss"}) == Lines{2, 4});
}

TEST_CASE("the call that is meant is the second one, or that between two lines", "[callers]") {
  const SourceFiles files{{"shop.cpp", kShop}};
  const auto call = [&](std::uint32_t line, const WantedCall& wanted) {
    return calling_line(files, {"shop.cpp", line}, wanted).line;
  };
  CHECK(call(9, {.again = true}) == 21);
  CHECK(call(9, {.file = "shop.cpp", .first = 20, .last = 22}) == 21);
  CHECK(call(9, {.again = true, .file = "shop.cpp", .last = 21}) == 21);
  CHECK(call(9, {.again = true, .file = "shop.cpp", .last = 20}) == 0);
  // twice() is a part of error(), which line 20 calls.
  CHECK(call(11, {.file = "shop.cpp", .first = 19, .last = 21}) == 20);
  CHECK(call(19, {}) == 0);
}

TEST_CASE("a call stands in another file than the function", "[callers]") {
  const SourceFile header{.path = "model.h",
                          .lines = {
                              "Tensor decay(const Tensor& days);",          // 1
                              "inline Tensor price(const Tensor& days) {",  // 2
                              "  return exp(-days);",                       // 3
                              "}",                                          // 4
                              "inline Tensor offer(const Tensor& days) {",  // 5
                              "  return 2.0 * price(days);",                // 6
                              "}",                                          // 7
                          }};
  const SourceFile program{.path = "main.cpp",
                           .lines = {
                               "#include \"model.h\"",                 // 1
                               "Tensor decay(const Tensor& days) {",   // 2
                               "  return days - 1.0;",                 // 3
                               "}",                                    // 4
                               "int main() {",                         // 5
                               "  const Tensor all = offer(days);",    // 6
                               "  auto recording = tape.record();",    // 7
                               "  loss = offer(days) - decay(days);",  // 8
                               "  again = offer(days);",               // 9
                               "}",                                    // 10
                           }};
  const SourceFiles files{{"main.cpp", program}, {"model.h", header}};
  const auto place = [&](SourcePlace line, const WantedCall& wanted) {
    const SourcePlace call = calling_line(files, line, wanted);
    return std::string(call.file) + ":" + std::to_string(call.line);
  };
  // price() is a part of offer(), the header's other function.
  CHECK(place({"model.h", 3}, {.file = "main.cpp", .first = 7, .last = 9}) == "main.cpp:8");
  CHECK(place({"model.h", 3}, {.again = true, .file = "main.cpp", .last = 9}) == "main.cpp:9");
  CHECK(place({"model.h", 3}, {}) == "model.h:6");
  CHECK(place({"main.cpp", 3}, {}) == "main.cpp:8");
  // A range of lines belongs to one file.
  CHECK(place({"model.h", 6}, {.file = "model.h", .first = 1, .last = 20}) == ":0");
  CHECK(place({"missing.h", 6}, {}) == ":0");
}

TEST_CASE("an object that is called like a function runs the operator of its class", "[callers]") {
  const SourceFile file{.path = "net.cpp",
                        .lines = {
                            "struct Net {",                                                    // 1
                            "  Variable w;",                                                   // 2
                            "  Tensor operator()(const Tensor& x) const {",                    // 3
                            "    return matmul(x, w);",                                        // 4
                            "  }",                                                             // 5
                            "};",                                                              // 6
                            "class Pair {",                                                    // 7
                            " public:",                                                        // 8
                            "  Tensor operator()(const Tensor& x) { return two_(one_(x)); }",  // 9
                            " private:",                                                       // 10
                            "  Net one_{4}, two_{5};",                                         // 11
                            "};",                                                              // 12
                            "Tensor error(const Net& net, const Tensor& x) {",                 // 13
                            "  return square(net(x));",                                        // 14
                            "}",                                                               // 15
                            "int main() {",                                                    // 16
                            "  const Pair pair;",                                              // 17
                            "  loss = pair(x);",                                               // 18
                            "}",                                                               // 19
                            "Net made(int size) {",                                            // 20
                            "  return Net(size);",                                             // 21
                            "}",                                                               // 22
                            "for (const Pair& each : pairs) use(each);",                       // 23
                            "Net",                                                             // 24
                        }};
  CHECK(function_around(file, 4).of_class == "Net");
  CHECK(function_around(file, 9).of_class == "Pair");
  CHECK(objects_of(file, "Net") == std::vector<std::string>{"net", "one_", "two_"});
  CHECK(objects_of(file, "Pair") == std::vector<std::string>{"each", "pair"});
  const SourceFiles files{{"net.cpp", file}};
  CHECK(calling_line(files, {"net.cpp", 4}, {}).line == 9);
  CHECK(calling_line(files, {"net.cpp", 4}, {.again = true}).line == 14);
  CHECK(calling_line(files, {"net.cpp", 9}, {}).line == 18);
}

TEST_CASE("an object of Python that is called runs __call__ or call of its class", "[callers]") {
  const SourceFile file{.path = "grow.py",
                        .lines = {
                            "class Forecast(tf.keras.Model):",                                     // 1
                            "    def call(self, vines):",                                          // 2
                            "        return self.sugar(self.leaf(vines))",                         // 3
                            "class Rain:",                                                         // 4
                            "    def __call__(self, days):",                                       // 5
                            "        return tf.sin(days)",                                         // 6
                            "class Grower:",                                                       // 7
                            "    def __init__(self, kept):",                                       // 8
                            "        self.seen, self.model = max(kept, 1), Forecast(name=\"f\")",  // 9
                            "        self.rains = [Rain(), Rain()]",                               // 10
                            "        rain = Rain()",                                               // 11
                            "    def error(self, vines):",                                         // 12
                            "        return tf.reduce_mean(self.model(vines))",                    // 13
                            "    def step(self, vines):",                                          // 14
                            "        with tf.GradientTape() as tape:",                             // 15
                            "            loss = self.error(vines) + rain(vines)",                  // 16
                            "            gap = self.error(self.seen)",                             // 17
                        }};
  CHECK(function_around(file, 3).of_class == "Forecast");
  CHECK(function_around(file, 13).of_class.empty());
  CHECK(objects_of(file, "Forecast") == std::vector<std::string>{"model"});
  CHECK(objects_of(file, "Rain") == std::vector<std::string>{"rain", "rains"});
  const SourceFiles files{{"grow.py", file}};
  CHECK(calling_line(files, {"grow.py", 3}, {}).line == 13);
  CHECK(calling_line(files, {"grow.py", 6}, {}).line == 16);
  // The model is read by a method that the block calls twice.
  const WantedCall second{.again = true, .file = "grow.py", .first = 15, .last = 17};
  CHECK(calling_line(files, {"grow.py", 3}, second).line == 17);
}

TEST_CASE("of the calls of a method that a class overrides that of the block is meant", "[callers]") {
  const SourceFile file{.path = "beams.py",
                        .lines = {
                            "class Beam:",                                    // 1
                            "    @property",                                  // 2
                            "    def phases(self):",                          // 3
                            "        return tf.cos(self.places)",             // 4
                            "    def steering(self):",                        // 5
                            "        return tf.sin(self.phases)",             // 6
                            "    def power(self):",                           // 7
                            "        return self.steering() * self.weights",  // 8
                            "class Stored(Beam):",                            // 9
                            "    def __init__(self):",                        // 10
                            "        self.stored = super().steering()",       // 11
                            "def tune(beam):",                                // 12
                            "    with tf.GradientTape() as tape:",            // 13
                            "        power = beam.power()",                   // 14
                            "    return tape.gradient(power, beam.weights)",  // 15
                        }};
  const SourceFiles files{{"beams.py", file}};
  const WantedCall block{.file = "beams.py", .first = 13, .last = 15};
  CHECK(lines_that_call(file, function_around(file, 4)) == Lines{6});
  CHECK(calling_line(files, {"beams.py", 6}, block).line == 8);
  CHECK(calling_line(files, {"beams.py", 8}, block).line == 14);
}

TEST_CASE("what one line alone calls in a loop it calls again", "[callers]") {
  const SourceFile file{.path = "glosses.py",
                        .lines = {
                            "def encode(clip):",                      // 1
                            "    return tf.tanh(clip)",               // 2
                            "def translate(clip, words):",            // 3
                            "    for word in words:",                 // 4
                            "        state = word + encode(clip)",    // 5
                            "    return state",                       // 6
                            "translated = translate(clips, spoken)",  // 7
                        }};
  const SourceFiles files{{"glosses.py", file}};
  CHECK(calling_line(files, {"glosses.py", 2}, {.again = true}).line == 5);
}

TEST_CASE("the call that is meant stands in a loop", "[callers]") {
  const SourceFile file{.path = "flight.cpp",
                        .lines = {
                            "Tensor moved(const Tensor& x) {",  // 1
                            "  return x + 0.1 * speed;",        // 2
                            "}",                                // 3
                            "Tensor flight(Tensor x) {",        // 4
                            "  if (once) return moved(x);",     // 5
                            "  for (int i = 0; i < 9; ++i)",    // 6
                            "    x = moved(x);",                // 7
                            "  while (far(x)) {",               // 8
                            "    if (windy) {",                 // 9
                            "      x = tanh(x);",               // 10
                            "    }",                            // 11
                            "  }",                              // 12
                            "  return x;",                      // 13
                            "}",                                // 14
                        }};
  const SourceFiles files{{"flight.cpp", file}};
  CHECK(calling_line(files, {"flight.cpp", 2}, {}).line == 5);
  CHECK(calling_line(files, {"flight.cpp", 2}, {.in_loop = true}).line == 7);
  CHECK(calling_line(files, {"flight.cpp", 10}, {.in_loop = true}).line == 0);
}

TEST_CASE("of two objects of a class the one that is meant is called", "[callers]") {
  const SourceFile file{.path = "distil.py",
                        .lines = {
                            "class Tagger(keras.Model):",                          // 1
                            "    def call(self, songs):",                          // 2
                            "        return self.tag(songs)",                      // 3
                            "class Distiller:",                                    // 4
                            "    def __init__(self):",                             // 5
                            "        self.teacher = Tagger(1)",                    // 6
                            "    def labels(self):",                               // 7
                            "        return tf.argmax(self.teacher(self.songs))",  // 8
                            "    def train(self):",                                // 9
                            "        for _ in range(9):",                          // 10
                            "            labels = self.labels()",                  // 11
                            "            guess = self.student(self.songs)",        // 12
                            "    def adopt(self):",                                // 13
                            "        self.student = Tagger(2)",                    // 14
                        }};
  const SourceFiles files{{"distil.py", file}};
  CHECK(names_part_of(file, 12, "student/tag/kernel"));
  CHECK(names_part_of(file, 12, "student_kernel"));
  CHECK_FALSE(names_part_of(file, 12, "studentship"));
  CHECK_FALSE(names_part_of(file, 12, ""));
  CHECK(calling_line(files, {"distil.py", 3}, {.in_loop = true, .of = "student/tag/MatMul"}).line == 12);
  // The teacher's call stands in a method that the loop calls.
  CHECK(calling_line(files, {"distil.py", 3}, {.in_loop = true, .of = "teacher/tag/MatMul"}).line == 11);
}

TEST_CASE("of the lines that led to one the nearest that is wanted is its call", "[callers]") {
  const SourceFile file{.path = "press.py",
                        .lines = {
                            "def kernel(a, b):",              // 1
                            "    return tf.exp(a - b)",       // 2
                            "def smooth(kernel):",            // 3
                            "    return kernel(a, a) @ w",    // 4
                            "def fit(kernel):",               // 5
                            "    for _ in range(9):",         // 6
                            "        loss = smooth(kernel)",  // 7
                        }};
  const SourceFiles files{{"press.py", file}};
  const auto site = [](std::uint32_t line) { return intern_site("press.py", "f", line, 0); };
  const std::vector<SiteId> way{site(2), site(4), site(7), intern_site("main.py", "f", 3, 0)};
  CHECK(calling_line(files, way, {}).line == 4);
  CHECK(calling_line(files, way, {.in_loop = true}).line == 7);
  CHECK(calling_line(files, way, {.file = "press.py", .first = 5, .last = 9}).line == 7);
  CHECK(calling_line(files, way, {.file = "press.py", .first = 8, .last = 9}).line == 0);
  CHECK(calling_line(files, {site(7), site(4)}, {.in_loop = true}).line == 0);  // it stands in one itself
}

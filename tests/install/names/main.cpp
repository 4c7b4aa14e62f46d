// A program that gives its own things the names that come to mind, beside `using namespace tapescope`. It
// compiles and links only while none of them is a name of the library's inside; its own functions win over
// the library's.
#include <cstdio>

#include "engine/tapescope.h"

using namespace tapescope;

struct Block {
  virtual ~Block() = default;
  virtual int id() const { return 7; }
};
struct Batch {
  Tensor x, y;
};
struct Model {
  Variable w{2.0, {.name = "w"}};
  Tensor operator()(const Tensor& x) const { return x * w; }
};
struct BatchNorm {};
struct Bytes {};
struct Chunk {};
struct Clock {};
struct Computation {};
struct Config {};
struct Context {};
struct Cost {
  double value = 0;
};
struct Cursor {};
struct Entry {};
struct Event {};
struct Fans {};
struct Frame {};
struct Graph {};
struct History {};
struct Inputs {};
struct Item {};
struct Nest {};
struct Net {};
struct Node {};
struct Number {};
struct Outputs {};
struct Pair {};
struct Point {};
struct Queue {};
struct Range {};
struct Record {};
struct Sampler {};
struct Session {};
struct Site {};
struct Slice {};
struct Stage {};
struct State {};
struct Step {};
struct Store {};
struct Stream {};
struct Structure {};
struct Task {};
struct Trace {};
struct Writer {};
// An ambiguous name is an error where it is used alone.
template <class... T>
constexpr int count_of() {
  return sizeof...(T);
}
constexpr int kOwn = count_of<BatchNorm, Bytes, Chunk, Clock, Computation, Config, Context, Cursor, Entry,
                              Event, Fans, Frame, Graph, History, Inputs, Item, Nest, Net, Node, Number,
                              Outputs, Pair, Point, Queue, Range, Record, Sampler, Session, Site, Slice,
                              Stage, State, Step, Store, Stream, Structure, Task, Trace, Writer>();
static_assert(kOwn > 30);

// Public names of the library belong into a namespace of the program's.
namespace mine {
struct Dense {
  Tensor operator()(const Tensor& x) const { return x + 1.0; }
};
}  // namespace mine

Tensor gelu(const Tensor& x) { return x * 0.0 + 5.0; }
Tensor relu(const Tensor& x) { return x * 0.0 + 6.0; }
Tensor softmax(Tensor x) { return x * 0.0 + 7.0; }
double square(double x) { return x * x + 1; }
bool all(const std::vector<bool>& flags) { return flags.empty(); }
Tensor mse(const Tensor& a, const Tensor& b) { return reduce_mean(square(a - b)); }

int main() {
  const Tensor x = constant({1.0, 2.0});
  const Batch batch{x, x};
  const Model model;
  const double sum = item(gelu(x)[0]) + item(relu(x)(0)) + item(softmax(x)[0]) + square(1.0) + Block().id() +
                     item(reduce_sum(x(all))) + item(mse(model(batch.x), batch.y)) +
                     item(mine::Dense()(x)[0]) + (all(std::vector<bool>()) ? 1 : 0);
  std::printf("%g\n", sum);  // 5 + 6 + 7 + 2 + 7 + 3 + 2.5 + 2 + 1
  return sum == 35.5 ? 0 : 1;
}

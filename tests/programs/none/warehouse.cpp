// Cost of a warehouse by the stock of each article and the price of keeping it.
#include "report.h"

using namespace tapescope;

struct Article {
  Variable stock, keeping;
  Article(const char* name, int pieces, double cost, DType counted)
      : stock(constant(pieces, counted), {.name = std::string(name) + "/stock"}),  //!
        keeping(constant(cost), {.name = std::string(name) + "/keeping"}) {}
  Tensor cost() const { return cast(stock * stock, DType::f32) * keeping / 100.0; }  //~
};

int main(int argc, char**) {
  const DType counted = argc > 1 ? DType::f32 : DType::i32;
  const Article bolts("bolts", 240, 0.02, counted);  //~
  const Article pumps("pumps", 6, 3.5, DType::f32);
  GradientTape tape;
  Tensor total;
  {
    auto recording = tape.record();
    total = bolts.cost() + pumps.cost();
  }
  const auto gradients = tape.gradient(total, {bolts.stock, bolts.keeping, pumps.stock});
  report("bolts/stock", gradients[0]);
  report("bolts/keeping", gradients[1]);
  report("pumps/stock", gradients[2]);
}

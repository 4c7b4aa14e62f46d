// Controls a glass furnace; the plant's diary wants figures of each shift.
#include "report.h"

using namespace tapescope;

struct Diary {
  std::vector<double> spread, hottest;
  void note(const Tensor& melt) {
    const Tensor apart = melt - reduce_mean(melt);
    spread.push_back(item(sqrt(reduce_mean(square(apart)))));  //!
    hottest.push_back(item(reduce_max(melt)));
  }
};

class Furnace {
 public:
  Variable burners{linspace(0.3, 0.7, 64), {.name = "burners"}};

  Tensor melt(const Tensor& glass) const { return 900.0 + 600.0 * sigmoid(glass * burners); }
};

int main(int argc, char**) {
  const Furnace furnace;
  Diary diary;
  const Tensor glass = reshape(0.5 + sin(linspace(0.0, 40.0, 128 * 64)), {128, 64});
  Tensor gradient;
  double recorded = 0;
  for (int shift = 0; shift < 9; ++shift) {
    GradientTape tape;
    Tensor error, melt;
    {
      auto recording = tape.record();
      melt = furnace.melt(glass);
      if (argc == 1) diary.note(melt);  //~
      error = reduce_mean(square((melt - 1250.0) / 100.0));
    }
    if (argc > 1) diary.note(melt);
    recorded = static_cast<double>(tape.counts().recorded);
    gradient = tape.gradient(error, furnace.burners);
    furnace.burners.assign_sub(0.05 * gradient);
  }
  report_cost("recorded", recorded);
  report("burners", gradient);
}

// Salt where a river meets the sea: a grid that mixes with its neighbours. How salt the sea beyond it is, is
// to be found.
#include "report.h"

using namespace tapescope;

Tensor with_shores(const Tensor& grid, const Variable& sea, bool by_hand) {
  if (!by_hand) return pad(grid, {{1, 1}, {1, 1}}, PadMode::constant, sea);  //!
  const Tensor inner = pad(grid - sea, {{1, 1}, {1, 1}});
  return inner + sea;
}

Tensor mixed(const Tensor& grid, const Variable& sea, const Variable& mixing, bool by_hand) {
  const Tensor wide = with_shores(grid, sea, by_hand);  //~
  const int rows = static_cast<int>(grid.dim(0)), columns = static_cast<int>(grid.dim(1));
  const Tensor around = slice(wide, {0, 1}, {rows, columns}) + slice(wide, {2, 1}, {rows, columns}) +
                        slice(wide, {1, 0}, {rows, columns}) + slice(wide, {1, 2}, {rows, columns});
  return grid + mixing * (around - 4.0 * grid);
}

int main(int argc, char**) {
  const Variable sea(0.9, {.name = "sea"}), mixing(0.15, {.name = "mixing"});
  const Tensor measured = fill({3, 4}, 0.5);
  std::map<std::string, Tensor> gradients;
  for (int tide = 0; tide < 3; ++tide) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      Tensor grid = zeros({3, 4});
      for (int hour = 0; hour < 5; ++hour) grid = mixed(grid, sea, mixing, argc > 1);
      miss = reduce_mean(square(grid - measured));
    }
    gradients = tape.gradient(miss, {{"sea", sea}, {"mixing", mixing}});
    mixing.assign_sub(0.1 * gradients.at("mixing"));
  }
  for (const auto& [name, gradient] : gradients) report(name, gradient);
}

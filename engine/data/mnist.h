// Handwritten digits: finds and reads the four MNIST files.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/public.h"
#include "engine/data/rows.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct DigitSet {
  SharedBytes pixels;  // 28 x 28 bytes an image
  SharedBytes labels;  // 0 to 9
  std::int64_t count = 0;

  // float32 [28, 28] in [0, 1], and one-hot float32 [10].
  Rows images() const { return Rows::of_bytes(pixels, {28, 28}, 255); }
  Rows one_hot_labels() const { return Rows::one_hot(labels, 10); }
};

struct Mnist {
  DigitSet train, test;
};

struct MnistFolder {
  std::string path;
  bool generated = false;  // the digits that the project made itself
};

// Where the files are, in this order: `given` (by --data), $TAPESCOPE_MNIST, the user's data directory
// ($XDG_DATA_HOME or ~/.local/share, then tapescope/mnist) if it holds any of the files, else `generated`.
MnistFolder find_mnist(const std::string& given, const std::string& generated);

// Reads train-images-idx3-ubyte and its three companions, plain or ending in .gz. Throws Error (surroundings)
// in one sentence with the remedy for a folder or file that is missing or damaged. The last set read is kept,
// and given again for the same files with the same size and time.
Mnist load_mnist(const std::string& folder);

}  // namespace tapescope

// Random programs: made from a seed, printed, and made smaller while they still fail.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/tensor.h"

namespace tapescope::random_programs {

enum class Kind : std::uint8_t {
  // One operand, element by element.
  sin,
  tanh,
  exp,
  square,
  negative,
  sigmoid,
  relu,
  sqrt,
  log,
  floor,
  stop_gradient,
  to_f32,
  to_f64,
  through_int,
  identity,
  wrong_square,
  // Two operands that broadcast.
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  where_less,
  // Along an axis; -1 over all.
  sum,
  mean,
  largest,
  cumsum,
  softmax,
  // Elements moved, repeated or left out.
  flatten,
  transpose,
  slice,
  reverse,
  broadcast,
  expand,
  tile,
  pad,
  gather,
  part,
  row,
  // Others of two operands.
  concat,
  stack,
  matmul,
  count
};

// Operands are values: the leaves first, then the instructions' results.
struct Instruction {
  Kind kind;
  int a = 0, b = 0;
  int axis = 0;
  bool keep = false;
};

struct Leaf {
  Shape shape;
  DType dtype = DType::f64;
  std::vector<double> values;
  bool watched = true;
  bool variable = false;
};

// How derivatives are asked for.
enum class Question : std::uint8_t { gradient, twice, second, jacobian, tangent, count };

struct Program {
  std::uint64_t seed = 0;
  Question question = Question::gradient;
  std::vector<Leaf> leaves;
  std::vector<Instruction> instructions;
  std::vector<int> targets;  // floating values; more than one only for gradients

  std::string text() const;
};

int operand_count(Kind kind);

// Of up to `most` instructions. None of its values is large, and none near a kink of what takes it.
Program random_program(std::uint64_t seed, int most = 60);

// A smaller program that fails in `check` too ("" is success); tries until no step makes it smaller.
Program shrunk(Program program, const std::function<std::string(const Program&)>& check);

}  // namespace tapescope::random_programs

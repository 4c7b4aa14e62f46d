// The batching mode: ops on tensors that stand for one row of a stack run once for all rows.
//
// A batched tensor has the type of one row and carries the stack [rows, ...] of them; the mode takes each op
// that meets one and runs the op's rule on the stacks, in public ops, so that outer tapes, traces,
// accumulators and batches see it.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/gate/state.h"

namespace tapescope {

// Of a batch whose rows are rows of a diagonal matrix over a row's elements: row r holds factors[first + r]
// at element first + r and zeros elsewhere.
struct DiagonalRows {
  std::int64_t first = -1;  // -1: the rows are any
  Tensor factors;           // one for each of a row's elements; absent: ones, rows of the identity
  explicit operator bool() const { return first >= 0; }
};

// What a rule sees: the inputs with the rows in front where they are batched. It sets every output with them
// in front.
class BatchContext {
 public:
  BatchContext(const OpDef& op, std::span<const Tensor> inputs, std::span<const Type* const> types,
               std::span<const DiagonalRows> diagonals, const Attrs& attrs, std::int64_t rows,
               std::span<Tensor> outputs, std::span<const Type* const> out_types)
      : op_(op),
        inputs_(inputs),
        types_(types),
        diagonals_(diagonals),
        attrs_(attrs),
        rows_(rows),
        outputs_(outputs),
        out_types_(out_types) {}

  const OpDef& op() const { return op_; }
  const Attrs& attrs() const { return attrs_; }
  std::int64_t rows() const { return rows_; }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  // Of one row.
  const Type& in_type(int i) const { return *types_[static_cast<std::size_t>(i)]; }
  const Type& out_type(int i = 0) const { return *out_types_[static_cast<std::size_t>(i)]; }
  bool batched(int i) const { return in(i).rank() > in_type(i).shape.rank(); }
  // As it comes: [rows, ...] where it is batched, else without.
  const Tensor& in(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
  // What is known of the rows of operand i; its stack holds them all the same.
  const DiagonalRows& diagonal(int i) const { return diagonals_[static_cast<std::size_t>(i)]; }
  // [rows, ...] in any case: what is not batched is repeated.
  Tensor spread(int i) const;
  // [rows, 1, ..., 1, ...] with `rank` dimensions beside the rows, where it is batched.
  Tensor aligned(int i, int rank) const;
  std::vector<Tensor> spread_all() const;

  void set(int i, Tensor stacked) { outputs_[static_cast<std::size_t>(i)] = std::move(stacked); }
  // Runs the op itself on other operands; its outputs become this call's as they are.
  void run(std::span<const Tensor> inputs, const Attrs& attrs);
  // The same for one output, which is given back.
  Tensor call(std::initializer_list<Tensor> inputs, const Attrs& attrs) const;

 private:
  const OpDef& op_;
  std::span<const Tensor> inputs_;
  std::span<const Type* const> types_;
  std::span<const DiagonalRows> diagonals_;
  const Attrs& attrs_;
  std::int64_t rows_;
  std::span<Tensor> outputs_;
  std::span<const Type* const> out_types_;
};

// On the calling thread from its making to its end. Modes nest: an inner one's stacks may be batched by an
// outer one. Batched tensors mean nothing outside; unwrap() them before.
class BatchMode final : private Interceptor {
 public:
  explicit BatchMode(std::int64_t rows);
  ~BatchMode() override;
  BatchMode(const BatchMode&) = delete;
  BatchMode& operator=(const BatchMode&) = delete;

  // Goes on with another number of rows; batched tensors of before mean nothing any more.
  void restart(std::int64_t rows);
  // One row of `stack` [rows, ...], which lives on as it is. Its elements, where read, are the first
  // row's.
  Tensor wrap(const Tensor& stack) const;
  // The same of rows `first` and following of the identity over a row's elements, which a product then need
  // not compute.
  Tensor wrap_identity(const Tensor& stack, std::int64_t first) const;
  // The stack [rows, ...]; a tensor that is not batched is repeated.
  Tensor unwrap(const Tensor& tensor) const;

 private:
  bool apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& location,
             TensorList& outputs) override;
  const Tensor* stack_of(const TensorImpl* tensor) const;
  Tensor wrap(const Tensor& stack, const Type* row, DiagonalRows diagonal) const;
  void run_rule(const OpDef& op, BatchContext& context);
  void run_loop(const OpDef& op, BatchContext& context);

  std::int64_t rows_;
  std::uint64_t level_;
  std::vector<const OpDef*> told_;  // ops without a rule that left their record
};

}  // namespace tapescope

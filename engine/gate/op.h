// One definition per op: a row of plain data that the gate, the tape, the tracer and the tests all read.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/attrs.h"
#include "engine/core/public.h"
#include "engine/core/tensor.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct OpDef;

// A short list of tensors with room for the usual number of them; grows on the heap beyond.
class TensorList {
 public:
  TensorList() = default;
  TensorList(const TensorList&) = delete;
  TensorList& operator=(const TensorList&) = delete;
  ~TensorList() { delete[] heap_; }
  void resize(int count) {
    if (count > kInline) heap_ = new Tensor[count];
    size_ = count;
  }
  int size() const { return size_; }
  Tensor* data() { return heap_ ? heap_ : inline_; }
  Tensor& operator[](int i) { return data()[i]; }
  std::span<Tensor> span() { return {data(), static_cast<std::size_t>(size_)}; }

 private:
  static constexpr int kInline = 4;
  Tensor inline_[kInline];
  Tensor* heap_ = nullptr;
  int size_ = 0;
};

// Borrowed inputs of a call; none is null.
using OpInputs = std::span<TensorImpl* const>;

// What shape and dtype inference sees: it says how many outputs there are and of which type.
struct InferContext {
  static constexpr int kInline = 4;
  const OpDef& op;
  OpInputs inputs;
  const Attrs& attrs;
  const Location& location;

  const Type& in(int i) const { return *inputs[i]->type; }
  int input_count() const { return static_cast<int>(inputs.size()); }
  // Throws ErrorKind::invalid_argument: "[MatMul] message (at file:line)".
  [[noreturn]] void fail(std::string_view message) const;
  void set_outputs(int count);  // 1 unless set
  void out(int i, const Type* type) { types()[i] = type; }
  void out(const Type* type) { types()[0] = type; }
  void out(DType dtype, const Shape& shape) { types()[0] = intern_type(dtype, shape); }
  const Type** types() { return heap ? heap : inline_types; }

  const Type* inline_types[kInline] = {};
  const Type** heap = nullptr;
  int outputs = 1;
  ~InferContext() { delete[] heap; }
};

// What a kernel sees: inputs to read, outputs to fill. It allocates nothing but scratch from the pool.
struct KernelContext {
  OpInputs inputs;
  std::span<Tensor> outputs;
  const Attrs& attrs;

  const Type& in_type(int i) const { return *inputs[i]->type; }
  const Type& out_type(int i = 0) const { return outputs[i].type(); }
  template <class T>
  const T* in(int i) const {
    return static_cast<const T*>(inputs[i]->data);
  }
  template <class T>
  T* out(int i = 0) const {
    return static_cast<T*>(outputs[i].impl()->data);
  }
};

// What a vector-Jacobian product sees. It reads only what its row says it saves, and computes in public ops.
class VjpContext {
 public:
  virtual ~VjpContext() = default;
  virtual const OpDef& op() const = 0;
  virtual const Attrs& attrs() const = 0;
  virtual int input_count() const = 0;
  virtual int output_count() const = 0;
  // The cotangent of output i. Never absent unless the row says kAbsentGradients.
  virtual const Tensor& grad(int i = 0) const = 0;
  virtual const Tensor& in(int i) const = 0;
  virtual const Tensor& out(int i = 0) const = 0;
  virtual const Type& in_type(int i) const = 0;
  virtual const Type& out_type(int i = 0) const = 0;
  // Whether the cotangent of input i is used; otherwise it need not be computed.
  virtual bool needs(int i) const = 0;
  // Sets the cotangent of input i; a shape that broadcast is summed back by the engine. Left unset it is
  // None.
  virtual void set(int i, Tensor cotangent) = 0;
};

// What a custom rule for a batch dimension, or for forward mode, sees.
class BatchContext;
class JvpContext;

// How forward mode follows from the vjp (design/engine.md, decision 3).
enum class Linearity : std::uint8_t {
  none,         // has its own jvp, or the double-vjp way is taken
  linear,       // jvp = the op applied to the tangents
  diagonal,     // elementwise: jvp = sum of the vjps fed the tangents
  multilinear,  // linear in each input apart: sum over inputs with that input replaced by its tangent
};

// How a batch dimension in front is carried through.
enum class BatchRule : std::uint8_t { loop, elementwise, custom };

// Why a row has no vjp; none when it has one.
enum class NoGradient : std::uint8_t { none, not_differentiable, unregistered };

struct OpCost {
  double flops = 0;
  double bytes = 0;
};

// Where a gradient check takes its inputs from.
struct OpSampler {
  double low = -2, high = 2;
  // Shapes of the inputs to try; empty when the row's family writes its own test.
  const char* shapes = "";  // "3,4;3,4" - dimensions by comma, inputs by semicolon, cases by '|'
};

struct OpDef {
  // Bits of `saves`: what the vjp may read.
  static constexpr std::uint32_t in_bit(int i) { return 1u << i; }
  static constexpr std::uint32_t out_bit(int i) { return 1u << (16 + i); }
  static constexpr std::uint32_t kAllInputs = 0xffffu;
  // Bits of `flags`.
  static constexpr std::uint32_t kView = 1;             // output 0 shares the elements of input 0; no kernel
  static constexpr std::uint32_t kAbsentGradients = 2;  // the vjp takes absent cotangents itself
  static constexpr std::uint32_t kRandom = 4;           // never merged with an equal call
  static constexpr std::uint32_t kStateful = 8;         // has a side effect
  static constexpr std::uint32_t kCommutative = 16;
  static constexpr std::uint32_t kMakesOutputs = 32;  // the kernel makes its outputs itself
  // The result depends on attributes that its type does not show, such as a slope.
  static constexpr std::uint32_t kHasParameters = 64;
  // Waits for other processes: its time never starts where the last op's ended.
  static constexpr std::uint32_t kWaits = 128;

  std::string_view name;  // TensorFlow's op type, "MatMul"
  void (*infer)(InferContext&) = nullptr;
  void (*kernel)(KernelContext&) = nullptr;
  std::uint32_t saves = 0;
  void (*vjp)(VjpContext&) = nullptr;
  Linearity linearity = Linearity::none;
  BatchRule batch = BatchRule::loop;
  // Runs the op with a dimension in front of those inputs that are batched; where `batch` is custom.
  void (*batched)(BatchContext&) = nullptr;
  // The op's tangent from those of its inputs; where `linearity` is none and double vjp is not wanted.
  void (*jvp)(JvpContext&) = nullptr;
  std::uint32_t flags = 0;
  // Recordings ask for it with types that the op itself would refuse, and without attributes.
  OpCost (*cost)(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) = nullptr;
  NoGradient no_gradient = NoGradient::none;
  // Inputs that never get a gradient although others do (indices, conditions), by in_bit.
  std::uint32_t never = 0;
  std::string_view doc;  // one line: formula and conventions
  OpSampler sampler{};
  // Set when the table is made.
  mutable OpNameId id = 0;
};

// Every row, in the order of the families. Made on first use.
std::span<const OpDef* const> op_table();
// The row of that name; null when there is none.
const OpDef* find_op(std::string_view name);

}  // namespace tapescope

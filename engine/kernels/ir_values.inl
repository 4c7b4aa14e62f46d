// Values that stand for LLVM instructions: operators add instructions to the function that is being made, so
// that the text of polynomials.inl, unary_functions.inl and binary_functions.inl computes as code what it
// computes as numbers. Takes the place of vector.inl.

#define TAPESCOPE_INLINE inline

namespace {

// Makes vectors of `lanes` elements in the function that is being made.
struct Emitter {
  const Llvm& llvm;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  unsigned lanes;
  LLVMTypeRef byte, i32, i64, f32, pointer;  // elements
  LLVMTypeRef vector(LLVMTypeRef element) const { return llvm.LLVMVectorType(element, lanes); }
  LLVMValueRef splat(LLVMValueRef constant) const {
    const std::vector<LLVMValueRef> all(lanes, constant);
    return llvm.LLVMConstVector(const_cast<LLVMValueRef*>(all.data()), lanes);
  }
};
thread_local const Emitter* g_emit = nullptr;

// A vector of T: float, or 32-bit integers. Comparisons give Ir<int32_t>, lanes of -1 or 0.
template <class T>
class Ir {
 public:
  static constexpr bool kFloat = std::is_same_v<T, float>;

  Ir() : Ir(T(0)) {}
  Ir(T constant) {
    std::uint32_t word;
    std::memcpy(&word, &constant, sizeof(word));
    const LLVMValueRef integer = g_emit->llvm.LLVMConstInt(g_emit->i32, word, 0);
    value_ = g_emit->splat(kFloat ? g_emit->llvm.LLVMConstBitCast(integer, g_emit->f32) : integer);
  }
  static Ir of(LLVMValueRef value) { return Ir(value, nullptr); }
  static Ir of_bits(LLVMValueRef bits) { return Ir(nullptr, bits); }

  LLVMValueRef value() const {
    if (value_) return value_;
    return g_emit->llvm.LLVMBuildSExt(g_emit->builder, bits_, g_emit->vector(g_emit->i32), "");
  }
  // Of what a comparison gave: one bit a lane.
  LLVMValueRef mask() const { return bits_; }

  friend Ir operator+(Ir a, Ir b) {
    return binary(kFloat ? g_emit->llvm.LLVMBuildFAdd : g_emit->llvm.LLVMBuildAdd, a, b);
  }
  friend Ir operator-(Ir a, Ir b) {
    return binary(kFloat ? g_emit->llvm.LLVMBuildFSub : g_emit->llvm.LLVMBuildSub, a, b);
  }
  friend Ir operator*(Ir a, Ir b) {
    return binary(kFloat ? g_emit->llvm.LLVMBuildFMul : g_emit->llvm.LLVMBuildMul, a, b);
  }
  friend Ir operator/(Ir a, Ir b) requires kFloat { return binary(g_emit->llvm.LLVMBuildFDiv, a, b); }
  friend Ir operator-(Ir a) requires kFloat {
    return of(g_emit->llvm.LLVMBuildFNeg(g_emit->builder, a.value(), ""));
  }
  friend Ir operator<<(Ir a, int count) {
    return binary(g_emit->llvm.LLVMBuildShl, a, Ir(static_cast<T>(count)));
  }
  friend Ir operator>>(Ir a, int count) requires std::is_same_v<T, std::int32_t> {
    return binary(g_emit->llvm.LLVMBuildAShr, a, Ir(count));
  }
  friend Ir operator&(Ir a, Ir b) { return binary(g_emit->llvm.LLVMBuildAnd, a, b); }
  friend Ir operator|(Ir a, Ir b) {
    if (a.bits_ && b.bits_) return of_bits(g_emit->llvm.LLVMBuildOr(g_emit->builder, a.bits_, b.bits_, ""));
    return binary(g_emit->llvm.LLVMBuildOr, a, b);
  }

  // As in C++: only != is true of NaN.
  friend Ir<std::int32_t> operator<(Ir a, Ir b) { return compare(LLVMRealOLT, a, b); }
  friend Ir<std::int32_t> operator<=(Ir a, Ir b) { return compare(LLVMRealOLE, a, b); }
  friend Ir<std::int32_t> operator>(Ir a, Ir b) { return compare(LLVMRealOGT, a, b); }
  friend Ir<std::int32_t> operator>=(Ir a, Ir b) { return compare(LLVMRealOGE, a, b); }
  friend Ir<std::int32_t> operator==(Ir a, Ir b) { return compare(LLVMRealOEQ, a, b); }
  friend Ir<std::int32_t> operator!=(Ir a, Ir b) { return compare(LLVMRealUNE, a, b); }

 private:
  using Build = LLVMValueRef (*)(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char*);

  Ir(LLVMValueRef value, LLVMValueRef bits) : value_(value), bits_(bits) {}
  static Ir binary(Build build, Ir a, Ir b) { return of(build(g_emit->builder, a.value(), b.value(), "")); }
  static Ir<std::int32_t> compare(LLVMRealPredicate how, Ir a, Ir b) requires kFloat {
    return Ir<std::int32_t>::of_bits(
        g_emit->llvm.LLVMBuildFCmp(g_emit->builder, how, a.value(), b.value(), ""));
  }

  LLVMValueRef value_ = nullptr, bits_ = nullptr;  // one of them
};
using F = Ir<float>;
using I = Ir<std::int32_t>;
using U = Ir<std::uint32_t>;

template <class V>
V splat(double value) {
  return V(static_cast<float>(value));
}
template <class To, class T>
To bits(Ir<T> from) {
  const LLVMTypeRef element = To::kFloat ? g_emit->f32 : g_emit->i32;
  return To::of(g_emit->llvm.LLVMBuildBitCast(g_emit->builder, from.value(), g_emit->vector(element), ""));
}
// Chosen as bits: of numbers LLVM would make maxima, which flush denormals where the thread's mode does,
// while the loops move them as they are.
inline F choose(I mask, F a, F b) {
  const LLVMValueRef chosen =
      g_emit->llvm.LLVMBuildSelect(g_emit->builder, mask.mask(), bits<I>(a).value(), bits<I>(b).value(), "");
  return bits<F>(I::of(chosen));
}
inline F to_float(I n) {
  return F::of(g_emit->llvm.LLVMBuildSIToFP(g_emit->builder, n.value(), g_emit->vector(g_emit->f32), ""));
}
inline F magnitude(F x) { return choose(x < F{}, -x, x) + F{}; }  // as vector.inl
inline F sqrt_of(F x) {
  const Llvm& llvm = g_emit->llvm;
  LLVMTypeRef type = g_emit->vector(g_emit->f32);
  const unsigned id = llvm.LLVMLookupIntrinsicID("llvm.sqrt", 9);
  const LLVMValueRef function = llvm.LLVMGetIntrinsicDeclaration(g_emit->module, id, &type, 1);
  LLVMValueRef argument = x.value();
  return F::of(llvm.LLVMBuildCall2(g_emit->builder, llvm.LLVMIntrinsicGetType(g_emit->context, id, &type, 1),
                                   function, &argument, 1, ""));
}

}  // namespace

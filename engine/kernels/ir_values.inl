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
  LLVMTypeRef byte, i32, i64, f32, f64, pointer;  // elements
  LLVMTypeRef vector(LLVMTypeRef element) const { return llvm.LLVMVectorType(element, lanes); }
  LLVMValueRef splat(LLVMValueRef constant) const {
    const std::vector<LLVMValueRef> all(lanes, constant);
    return llvm.LLVMConstVector(const_cast<LLVMValueRef*>(all.data()), lanes);
  }
};
thread_local const Emitter* g_emit = nullptr;

// A vector of T: float, double, or integers of 32 or 64 bits. Comparisons give Ir<int32_t>, lanes of -1 or 0.
template <class T>
class Ir {
 public:
  using Element = T;
  static constexpr bool kFloat = std::is_floating_point_v<T>, kWide = sizeof(T) == 8;

  Ir() : Ir(T(0)) {}
  Ir(T constant) {
    const auto word = std::bit_cast<std::conditional_t<kWide, std::uint64_t, std::uint32_t>>(constant);
    const LLVMValueRef integer = g_emit->llvm.LLVMConstInt(whole(), word, 0);
    value_ = g_emit->splat(kFloat ? g_emit->llvm.LLVMConstBitCast(integer, element()) : integer);
  }
  static Ir of(LLVMValueRef value) { return Ir(value, nullptr); }
  static Ir of_bits(LLVMValueRef bits) { return Ir(nullptr, bits); }

  // Of an element, and of an integer of its size.
  static LLVMTypeRef element() {
    if constexpr (kFloat) return kWide ? g_emit->f64 : g_emit->f32;
    else return whole();
  }
  static LLVMTypeRef whole() { return kWide ? g_emit->i64 : g_emit->i32; }

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
  friend Ir operator-(Ir a) {
    if constexpr (kFloat) return of(g_emit->llvm.LLVMBuildFNeg(g_emit->builder, a.value(), ""));
    else return Ir() - a;
  }
  friend Ir operator<<(Ir a, int count) {
    return binary(g_emit->llvm.LLVMBuildShl, a, Ir(static_cast<T>(count)));
  }
  friend Ir operator>>(Ir a, int count) requires std::is_same_v<T, std::int32_t> {
    return binary(g_emit->llvm.LLVMBuildAShr, a, Ir(count));
  }
  friend Ir operator&(Ir a, Ir b) {
    if (a.bits_ && b.bits_) return of_bits(g_emit->llvm.LLVMBuildAnd(g_emit->builder, a.bits_, b.bits_, ""));
    return binary(g_emit->llvm.LLVMBuildAnd, a, b);
  }
  friend Ir operator|(Ir a, Ir b) {
    if (a.bits_ && b.bits_) return of_bits(g_emit->llvm.LLVMBuildOr(g_emit->builder, a.bits_, b.bits_, ""));
    return binary(g_emit->llvm.LLVMBuildOr, a, b);
  }

  // As in C++: of NaN only != is true.
  friend Ir<std::int32_t> operator<(Ir a, Ir b) { return compare(LLVMRealOLT, LLVMIntSLT, a, b); }
  friend Ir<std::int32_t> operator<=(Ir a, Ir b) { return compare(LLVMRealOLE, LLVMIntSLE, a, b); }
  friend Ir<std::int32_t> operator>(Ir a, Ir b) { return compare(LLVMRealOGT, LLVMIntSGT, a, b); }
  friend Ir<std::int32_t> operator>=(Ir a, Ir b) { return compare(LLVMRealOGE, LLVMIntSGE, a, b); }
  friend Ir<std::int32_t> operator==(Ir a, Ir b) { return compare(LLVMRealOEQ, LLVMIntEQ, a, b); }
  friend Ir<std::int32_t> operator!=(Ir a, Ir b) { return compare(LLVMRealUNE, LLVMIntNE, a, b); }

 private:
  using Build = LLVMValueRef (*)(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, const char*);

  Ir(LLVMValueRef value, LLVMValueRef bits) : value_(value), bits_(bits) {}
  static Ir binary(Build build, Ir a, Ir b) { return of(build(g_emit->builder, a.value(), b.value(), "")); }
  static Ir<std::int32_t> compare(LLVMRealPredicate real, LLVMIntPredicate whole, Ir a, Ir b) requires(
      kFloat || std::is_signed_v<T>) {
    const Llvm& llvm = g_emit->llvm;
    return Ir<std::int32_t>::of_bits(
        kFloat ? llvm.LLVMBuildFCmp(g_emit->builder, real, a.value(), b.value(), "")
               : llvm.LLVMBuildICmp(g_emit->builder, whole, a.value(), b.value(), ""));
  }

  LLVMValueRef value_ = nullptr, bits_ = nullptr;  // one of them
};
using F = Ir<float>;
using D = Ir<double>;
using I = Ir<std::int32_t>;
using L = Ir<std::int64_t>;
using U = Ir<std::uint32_t>;

template <class V>
V splat(double value) {
  return V(static_cast<typename V::Element>(value));
}
template <class To, class T>
To bits(Ir<T> from) {
  return To::of(
      g_emit->llvm.LLVMBuildBitCast(g_emit->builder, from.value(), g_emit->vector(To::element()), ""));
}
// Chosen as bits: of numbers LLVM would make maxima, which flush denormals where the thread's mode does,
// while the loops move them as they are.
template <class T>
Ir<T> choose(I mask, Ir<T> a, Ir<T> b) {
  using Whole = std::conditional_t<Ir<T>::kWide, L, I>;
  const LLVMValueRef x = bits<Whole>(a).value(), y = bits<Whole>(b).value();
  const LLVMValueRef chosen = g_emit->llvm.LLVMBuildSelect(g_emit->builder, mask.mask(), x, y, "");
  return bits<Ir<T>>(Whole::of(chosen));
}
inline F to_float(I n) {
  return F::of(g_emit->llvm.LLVMBuildSIToFP(g_emit->builder, n.value(), g_emit->vector(g_emit->f32), ""));
}
// As vector.inl: adding zero takes the sign of -0 away.
template <class V>
V magnitude(V x) {
  if constexpr (V::kFloat) return choose(x < V{}, -x, x) + V{};
  else return choose(x < V{}, -x, x);
}
template <class V>
V sqrt_of(V x) {
  const Llvm& llvm = g_emit->llvm;
  LLVMTypeRef type = g_emit->vector(V::element());
  const unsigned id = llvm.LLVMLookupIntrinsicID("llvm.sqrt", 9);
  const LLVMValueRef function = llvm.LLVMGetIntrinsicDeclaration(g_emit->module, id, &type, 1);
  LLVMValueRef argument = x.value();
  return V::of(llvm.LLVMBuildCall2(g_emit->builder, llvm.LLVMIntrinsicGetType(g_emit->context, id, &type, 1),
                                   function, &argument, 1, ""));
}

// Elements of another type, as convert_loops.inl.
template <class To, class From>
Ir<To> converted(Ir<From> x) {
  const Llvm& llvm = g_emit->llvm;
  const auto build = [&](auto make) {
    return Ir<To>::of(make(g_emit->builder, x.value(), g_emit->vector(Ir<To>::element()), ""));
  };
  if constexpr (std::is_same_v<From, To>) {
    return x;
  } else if constexpr (Ir<From>::kFloat && Ir<To>::kFloat) {
    return build(sizeof(To) > sizeof(From) ? llvm.LLVMBuildFPExt : llvm.LLVMBuildFPTrunc);
  } else if constexpr (Ir<To>::kFloat) {
    return build(llvm.LLVMBuildSIToFP);
  } else if constexpr (!Ir<From>::kFloat) {
    return build(sizeof(To) > sizeof(From) ? llvm.LLVMBuildSExt : llvm.LLVMBuildTrunc);
  } else {
    // A number beyond the range has no whole one: the nearest end; NaN becomes 0.
    constexpr From kEnd = sizeof(To) == 4 ? From(2147483648.0) : From(9223372036854775808.0);
    constexpr To kLargest = std::numeric_limits<To>::max(), kSmallest = std::numeric_limits<To>::min();
    const Ir<To> inside = build(llvm.LLVMBuildFPToSI);
    return choose(x >= Ir<From>(kEnd), Ir<To>(kLargest),
                  choose(x < Ir<From>(-kEnd), Ir<To>(kSmallest), choose(x == x, inside, Ir<To>())));
  }
}

}  // namespace

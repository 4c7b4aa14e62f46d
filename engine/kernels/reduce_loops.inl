// Folding loops over [outer, n, inner], once per instruction set. After vector.inl.
//
// Lanes are counted in elements, not in vectors: kRunning values whatever the width, combined in one order.

namespace {

using tapescope::DType;
using tapescope::kernels::Fold;
using tapescope::kernels::ColumnTable;
using tapescope::kernels::ReduceTable;

template <class T>
constexpr bool kIsReal = T(0.5) != T(0);

struct SumFold {
  template <class V>
  static TAPESCOPE_INLINE V step(V a, V x) {
    return a + x;
  }
  template <class V>
  static TAPESCOPE_INLINE V join(V a, V b) {
    return a + b;
  }
  template <class A>
  static constexpr A start() {
    return A(0);
  }
};
struct SquaresFold {
  template <class V>
  static TAPESCOPE_INLINE V step(V a, V x) {
    return a + x * x;
  }
  template <class V>
  static TAPESCOPE_INLINE V join(V a, V b) {
    return a + b;
  }
  template <class A>
  static constexpr A start() {
    return A(0);
  }
};
struct ProdFold {
  template <class V>
  static TAPESCOPE_INLINE V step(V a, V x) {
    return a * x;
  }
  template <class V>
  static TAPESCOPE_INLINE V join(V a, V b) {
    return a * b;
  }
  template <class A>
  static constexpr A start() {
    return A(1);
  }
};
template <class A>
constexpr A lowest() {
  if constexpr (kIsReal<A>) return -static_cast<A>(__builtin_inf());
  else if constexpr (sizeof(A) == 4) return A(-0x7fffffff - 1);
  else return A(-0x7fffffffffffffffll - 1);
}
// A NaN among the values stays.
struct MaxFold {
  template <class V>
  static TAPESCOPE_INLINE V step(V a, V x) {
    return x > a ? x : x == x ? a : x;
  }
  template <class V>
  static TAPESCOPE_INLINE V join(V a, V b) {
    return step(a, b);
  }
  template <class A>
  static constexpr A start() {
    return lowest<A>();
  }
};
struct MinFold {
  template <class V>
  static TAPESCOPE_INLINE V step(V a, V x) {
    return x < a ? x : x == x ? a : x;
  }
  template <class V>
  static TAPESCOPE_INLINE V join(V a, V b) {
    return step(a, b);
  }
  template <class A>
  static constexpr A start() {
    if constexpr (kIsReal<A>) return static_cast<A>(__builtin_inf());
    else return static_cast<A>(-(lowest<A>() + 1));
  }
};

using tapescope::kernels::kRunning;

// `Acc` vectors' worth of elements of type T, widened.
template <class T, class Acc>
TAPESCOPE_INLINE Vec<Acc> widened(const T* from) {
  if constexpr (__is_same(T, Acc)) {
    return load<Vec<Acc>>(from);
  } else {
    typedef T Part __attribute__((vector_size(kLanes<Acc> * sizeof(T))));
    Part part;
    __builtin_memcpy(&part, from, sizeof(Part));
    return __builtin_convertvector(part, Vec<Acc>);
  }
}

template <class Acc>
constexpr i64 kRunningVectors = kRunning / kLanes<Acc>;

// What `run` and the elements from x on are folded into.
template <class Op, class T, class Acc>
TAPESCOPE_INLINE Acc fold_on(Vec<Acc> (&run)[kRunningVectors<Acc>], const T* x, i64 n) {
  using V = Vec<Acc>;
  i64 i = 0;
  for (; i + kRunning <= n; i += kRunning) {
#pragma GCC unroll 8
    for (i64 q = 0; q < kRunningVectors<Acc>; ++q)
      run[q] = Op::template step<V>(run[q], widened<T, Acc>(x + i + q * kLanes<Acc>));
  }
  // Lane k with lane k + 8, then k + 4, and so on: whole vectors first.
#pragma GCC unroll 4
  for (i64 width = kRunningVectors<Acc> / 2; width > 0; width /= 2) {
#pragma GCC unroll 4
    for (i64 q = 0; q < width; ++q) run[q] = Op::template join<V>(run[q], run[q + width]);
  }
  V last = run[0];
#pragma GCC unroll 4
  for (i64 width = kLanes<Acc> / 2; width > 0; width /= 2) {
#pragma GCC unroll 4
    for (i64 k = 0; k < width; ++k) last[k] = Op::template join<Acc>(last[k], last[k + width]);
  }
  Acc result = last[0];
  for (; i < n; ++i) result = Op::template step<Acc>(result, static_cast<Acc>(x[i]));
  return result;
}

template <class Op, class T, class Acc>
Acc fold_run(const T* x, i64 n) {
  Acc result = Op::template start<Acc>();
  if (n >= kRunning) {
    Vec<Acc> run[kRunningVectors<Acc>];
    for (Vec<Acc>& v : run) v = Vec<Acc>{} + result;
    return fold_on<Op, T, Acc>(run, x, n);
  }
  for (i64 i = 0; i < n; ++i) result = Op::template step<Acc>(result, static_cast<Acc>(x[i]));
  return result;
}

template <class Op, class Acc>
void start_running(void* running) {
  for (i64 k = 0; k < kRunning; ++k) static_cast<Acc*>(running)[k] = Op::template start<Acc>();
}
template <class Op, class T, class Acc>
void end_running(const void* running, const void* rest, i64 n, void* acc) {
  Vec<Acc> run[kRunningVectors<Acc>];
  for (i64 q = 0; q < kRunningVectors<Acc>; ++q)
    run[q] = load<Vec<Acc>>(static_cast<const Acc*>(running) + q * kLanes<Acc>);
  *static_cast<Acc*>(acc) = fold_on<Op, T, Acc>(run, static_cast<const T*>(rest), n);
}

// A strip of columns at a time, whose running values stay in the first cache.
template <class Op, class T, class Acc>
void fold_columns(const T* x, i64 n, i64 inner, Acc* acc) {
  using V = Vec<Acc>;
  constexpr i64 kStrip = 256;
  for (i64 from = 0; from < inner; from += kStrip) {
    const i64 width = inner - from < kStrip ? inner - from : kStrip;
    Acc* a = acc + from;
    for (i64 k = 0; k < width; ++k) a[k] = Op::template start<Acc>();
    for (i64 j = 0; j < n; ++j) {
      const T* row = x + j * inner + from;
      i64 k = 0;
      for (; k + kLanes<Acc> <= width; k += kLanes<Acc>) {
        store(a + k, Op::template step<V>(load<V>(a + k), widened<T, Acc>(row + k)));
      }
      for (; k < width; ++k) a[k] = Op::template step<Acc>(a[k], static_cast<Acc>(row[k]));
    }
  }
}

template <class Op, class T, class Acc>
void run_loop(const void* x, i64 outer, i64 n, i64, void* acc) {
  for (i64 o = 0; o < outer; ++o)
    static_cast<Acc*>(acc)[o] = fold_run<Op, T, Acc>(static_cast<const T*>(x) + o * n, n);
}
template <class Op, class T, class Acc>
void column_loop(const void* x, i64 outer, i64 n, i64 inner, void* acc) {
  for (i64 o = 0; o < outer; ++o) {
    fold_columns<Op, T, Acc>(static_cast<const T*>(x) + o * n * inner, n, inner,
                             static_cast<Acc*>(acc) + o * inner);
  }
}

// Of booleans: whether any byte equals `kStop`.
template <bool kStop>
void bool_loop(const void* from, i64 outer, i64 n, i64 inner, void* to) {
  const std::uint8_t* x = static_cast<const std::uint8_t*>(from);
  std::uint8_t* acc = static_cast<std::uint8_t*>(to);
  for (i64 o = 0; o < outer; ++o) {
    for (i64 k = 0; k < inner; ++k) acc[o * inner + k] = !kStop;
    for (i64 j = 0; j < n; ++j) {
      for (i64 k = 0; k < inner; ++k) {
        if ((x[(o * n + j) * inner + k] != 0) == kStop) acc[o * inner + k] = kStop;
      }
    }
  }
}

// Calls add.template operator()<Op, T, Acc>(fold, dtype) for each fold of numbers and what it accumulates in.
template <class Op>
constexpr void each_sum(Fold fold, auto add) {
  add.template operator()<Op, float, double>(fold, DType::f32);
  add.template operator()<Op, double, double>(fold, DType::f64);
  // Unsigned: overflow wraps. An int32 is widened with its sign.
  add.template operator()<Op, std::int32_t, std::uint64_t>(fold, DType::i32);
  add.template operator()<Op, std::uint64_t, std::uint64_t>(fold, DType::i64);
}
template <class Op>
constexpr void each_extreme(Fold fold, auto add) {
  add.template operator()<Op, float, float>(fold, DType::f32);
  add.template operator()<Op, double, double>(fold, DType::f64);
  add.template operator()<Op, std::int32_t, std::int32_t>(fold, DType::i32);
  add.template operator()<Op, i64, i64>(fold, DType::i64);
}
constexpr void each_fold(auto add) {
  each_sum<SumFold>(Fold::sum, add);
  each_sum<SquaresFold>(Fold::squares, add);
  each_sum<ProdFold>(Fold::prod, add);
  each_extreme<MaxFold>(Fold::max, add);
  each_extreme<MinFold>(Fold::min, add);
}

constexpr ColumnTable make_column_table() {
  ColumnTable t;
  each_fold([&t]<class Op, class T, class Acc>(Fold fold, DType type) {
    t.fold[static_cast<int>(fold)][static_cast<int>(type)] = column_loop<Op, T, Acc>;
  });
  t.fold[static_cast<int>(Fold::all)][static_cast<int>(DType::boolean)] = bool_loop<false>;
  t.fold[static_cast<int>(Fold::any)][static_cast<int>(DType::boolean)] = bool_loop<true>;
  return t;
}

constexpr ReduceTable make_reduce_table() {
  ReduceTable t;
  t.columns = make_column_table();
  each_fold([&t]<class Op, class T, class Acc>(Fold fold, DType type) {
    t.run[static_cast<int>(fold)][static_cast<int>(type)] = run_loop<Op, T, Acc>;
    // Machine code folds runs of these.
    if constexpr (kIsReal<T>) {
      t.running[static_cast<int>(fold)][static_cast<int>(type)] = {start_running<Op, Acc>,
                                                                   end_running<Op, T, Acc>};
    }
  });
  t.run[static_cast<int>(Fold::all)][static_cast<int>(DType::boolean)] = bool_loop<false>;
  t.run[static_cast<int>(Fold::any)][static_cast<int>(DType::boolean)] = bool_loop<true>;
  return t;
}

}  // namespace

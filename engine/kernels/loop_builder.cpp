// Which steps can be instructions, the instructions of a step, and the loop around them.
//
// No optimization passes follow but those of code generation: the loop is written as it shall run.
#if defined(TAPESCOPE_LLVM) && defined(__x86_64__)
#include "engine/kernels/loop_builder.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/kernels/map_table.h"
#include "engine/kernels/special.h"
#include "engine/kernels/tile.h"

// Each needs those before it.
// clang-format off
namespace { using tapescope::kernels::Llvm; }
#include "engine/kernels/ir_values.inl"
#include "engine/kernels/polynomials.inl"
#include "engine/kernels/unary_functions.inl"
#include "engine/kernels/binary_functions.inl"
// clang-format on

namespace tapescope::kernels {
namespace {

using Access = TileProgram::Access;
using Code = TileProgram::Code;
using Step = TileProgram::Step;

// ---- which functions can be made

// Whether functions of these elements take vectors V; bools are made apart.
template <class V>
constexpr bool takes(Elements elements) {
  switch (elements) {
    case Elements::real:
    case Elements::test: return V::kFloat;
    case Elements::numeric:
    case Elements::wrapping:
    case Elements::compare:
    case Elements::equality: return true;
    case Elements::truth:
    case Elements::logic: break;
  }
  return false;
}

template <class Op, class V>
concept ByVector = requires(V x) {
  Op::vec(x, 0.0);
};
template <class Op, class V>
concept ByAll = requires(V x) {
  Op::of(x, 0.0);
};
template <class Op, class V>
concept ByVector2 = requires(V x) {
  Op::vec(x, x, 0.0);
};
template <class Op, class V>
concept ByAll2 = requires(V x) {
  Op::of(x, x, 0.0);
};

template <class V, class Op, Elements kElements>
constexpr bool makes_one() {
  return takes<V>(kElements) && (kElements == Elements::test || ByVector<Op, V> || ByAll<Op, V>);
}
template <class V, class Op, Elements kElements>
constexpr bool makes_two() {
  return takes<V>(kElements) && (kElements >= Elements::compare || ByVector2<Op, V> || ByAll2<Op, V>);
}
template <class V>
constexpr bool makes(UnaryOp op) {
#define TAPESCOPE_MAKES(code, Function, elements, flops, work) makes_one<V, Function, Elements::elements>(),
  constexpr bool kMakes[] = {TAPESCOPE_UNARY_FUNCTIONS(TAPESCOPE_MAKES)};
#undef TAPESCOPE_MAKES
  return kMakes[static_cast<int>(op)];
}
template <class V>
constexpr bool makes(BinaryOp op) {
#define TAPESCOPE_MAKES(code, Function, elements, flops, work) makes_two<V, Function, Elements::elements>(),
  constexpr bool kMakes[] = {TAPESCOPE_BINARY_FUNCTIONS(TAPESCOPE_MAKES)};
#undef TAPESCOPE_MAKES
  return kMakes[static_cast<int>(op)];
}

// Calls visit(std::type_identity<T>()) for the type of the elements; `otherwise` for bools and half types.
template <class Visit, class R>
R with_type(DType type, R otherwise, Visit visit) {
  switch (type) {
    case DType::f32: return visit(std::type_identity<float>());
    case DType::f64: return visit(std::type_identity<double>());
    case DType::i32: return visit(std::type_identity<std::int32_t>());
    case DType::i64: return visit(std::type_identity<std::int64_t>());
    default: return otherwise;
  }
}
bool is_number(DType type) {
  return with_type(type, false, [](auto) { return true; });
}
bool is_known(DType type) { return type == DType::boolean || is_number(type); }

template <class Op>
bool makes(Op op, DType from, DType to) {
  if (to != (gives_bool(op) ? DType::boolean : from)) return false;
  const Elements elements = row_of(op).elements;
  if (from == DType::boolean)
    return elements == Elements::truth || elements == Elements::logic || elements == Elements::equality;
  return with_type(from, false, [&]<class T>(std::type_identity<T>) { return makes<Ir<T>>(op); });
}
bool makes(const Step& step) {
  switch (step.code) {
    case Code::unary: return makes(static_cast<UnaryOp>(step.function), step.from, step.to);
    case Code::binary: return makes(static_cast<BinaryOp>(step.function), step.from, step.to);
    case Code::select: return is_known(step.to);
    case Code::convert: return is_known(step.from) && is_known(step.to);
  }
  return false;
}

// ---- the instructions of a step

template <class Op, Elements kElements, class V>
LLVMValueRef make(V x, double param) {
  if constexpr (!makes_one<V, Op, kElements>()) return nullptr;
  else if constexpr (kElements == Elements::test) return Op::one(x, param).mask();
  else if constexpr (ByVector<Op, V>) return Op::vec(x, param).value();
  else return Op::of(x, param).value();
}
template <class Op, Elements kElements, class V>
LLVMValueRef make(V a, V b, double param) {
  if constexpr (!makes_two<V, Op, kElements>()) return nullptr;
  else if constexpr (kElements >= Elements::compare) return Op::of(a, b).mask();
  else if constexpr (ByVector2<Op, V>) return Op::vec(a, b, param).value();
  else return Op::of(a, b, param).value();
}
template <class V>
LLVMValueRef make(UnaryOp op, V x, double param) {
  switch (op) {
#define TAPESCOPE_MAKE(code, Function, elements, flops, work) \
  case UnaryOp::code: return make<Function, Elements::elements>(x, param);
    TAPESCOPE_UNARY_FUNCTIONS(TAPESCOPE_MAKE)
#undef TAPESCOPE_MAKE
    case UnaryOp::count_: break;
  }
  return nullptr;
}
template <class V>
LLVMValueRef make(BinaryOp op, V a, V b, double param) {
  switch (op) {
#define TAPESCOPE_MAKE(code, Function, elements, flops, work) \
  case BinaryOp::code: return make<Function, Elements::elements>(a, b, param);
    TAPESCOPE_BINARY_FUNCTIONS(TAPESCOPE_MAKE)
#undef TAPESCOPE_MAKE
    case BinaryOp::count_: break;
  }
  return nullptr;
}
// Of bools, each one bit.
LLVMValueRef make_of_bools(UnaryOp, I x) { return (x == I()).mask(); }  // there is but logical_not
LLVMValueRef make_of_bools(BinaryOp op, I a, I b) {
  switch (op) {
    case BinaryOp::logical_and: return (a & b).mask();
    case BinaryOp::logical_or: return (a | b).mask();
    case BinaryOp::equal: return (a == b).mask();
    default: return (a != b).mask();
  }
}

// ---- the loop

class LoopBuilder {
 public:
  LoopBuilder(const Emitter& emit, const TileProgram& program) : e_(emit), program_(program) {}

  void build(int vector_bits) {
    LLVMTypeRef parameters[] = {e_.pointer, e_.pointer, e_.i64, e_.i64};
    const LLVMValueRef function = l_.LLVMAddFunction(
        e_.module, kLoopName, l_.LLVMFunctionType(l_.LLVMVoidTypeInContext(e_.context), parameters, 4, 0));
    set_attributes(function, vector_bits);
    const LLVMBasicBlockRef entry = l_.LLVMAppendBasicBlockInContext(e_.context, function, ""),
                            loop = l_.LLVMAppendBasicBlockInContext(e_.context, function, ""),
                            end = l_.LLVMAppendBasicBlockInContext(e_.context, function, "");
    l_.LLVMPositionBuilderAtEnd(e_.builder, entry);
    const LLVMValueRef begin = l_.LLVMGetParam(function, 2);
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      inputs_[i] = address(l_.LLVMGetParam(function, 0), i);
      const Access access = program_.inputs[i].access;
      // Rows beyond a tile come one by one; what repeats in shorter ones is written out by the caller.
      const bool column = access == Access::column && (program_.row > kTileElements || program_.fold);
      if (access == Access::scalar || column) values_[i] = broadcast(i);
    }
    for (std::size_t r = 0; r < program_.results.size(); ++r)
      results_[r] = address(l_.LLVMGetParam(function, 1), r);
    LLVMValueRef running = nullptr, folded = nullptr;
    if (program_.fold) {
      running = l_.LLVMBuildLoad2(e_.builder, accumulators(), results_[0], "");
      l_.LLVMSetAlignment(running, 64);
    }
    l_.LLVMBuildBr(e_.builder, loop);

    l_.LLVMPositionBuilderAtEnd(e_.builder, loop);
    at_ = l_.LLVMBuildPhi(e_.builder, e_.i64, "");
    const LLVMValueRef so_far = program_.fold ? l_.LLVMBuildPhi(e_.builder, accumulators(), "") : nullptr;
    for (const Step& step : program_.steps) values_[step.target] = value_of(step);
    if (program_.fold) {
      folded = fold(so_far);
      LLVMValueRef values[] = {running, folded};
      LLVMBasicBlockRef from[] = {entry, loop};
      l_.LLVMAddIncoming(so_far, values, from, 2);
    } else {
      // Stored when everything is computed: a result may lie where an input does.
      const LLVMValueRef place = l_.LLVMBuildSub(e_.builder, at_, begin, "");
      for (std::size_t r = 0; r < program_.results.size(); ++r) store(r, place);
    }
    LLVMValueRef next = l_.LLVMBuildAdd(e_.builder, at_, l_.LLVMConstInt(e_.i64, e_.lanes, 0), "");
    LLVMValueRef from[] = {begin, next};
    LLVMBasicBlockRef blocks[] = {entry, loop};
    l_.LLVMAddIncoming(at_, from, blocks, 2);
    l_.LLVMBuildCondBr(e_.builder,
                       l_.LLVMBuildICmp(e_.builder, LLVMIntSLT, next, l_.LLVMGetParam(function, 3), ""), loop,
                       end);
    l_.LLVMPositionBuilderAtEnd(e_.builder, end);
    if (folded) l_.LLVMSetAlignment(l_.LLVMBuildStore(e_.builder, folded, results_[0]), 64);
    l_.LLVMBuildRetVoid(e_.builder);
  }

 private:
  void set_attributes(LLVMValueRef function, int vector_bits) {
    const auto add = [&](LLVMAttributeRef attribute) {
      l_.LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
    };
    const auto add_text = [&](std::string_view name, std::string_view text) {
      add(l_.LLVMCreateStringAttribute(e_.context, name.data(), static_cast<unsigned>(name.size()),
                                       text.data(), static_cast<unsigned>(text.size())));
    };
    // Without tables for unwinding: nothing in it throws.
    add(l_.LLVMCreateEnumAttribute(e_.context, l_.LLVMGetEnumAttributeKindForName("nounwind", 8), 0));
    const std::string bits = std::to_string(vector_bits);
    add_text("prefer-vector-width", bits);
    add_text("min-legal-vector-width", bits);
    // The caller's floating-point mode may flush denormals.
    add_text("denormal-fp-math", "dynamic,dynamic");
  }

  LLVMTypeRef element(DType type) const {
    return with_type(type, e_.byte, []<class T>(std::type_identity<T>) { return Ir<T>::element(); });
  }
  // The address that lies at [i] of an array of them.
  LLVMValueRef address(LLVMValueRef array, std::size_t i) {
    LLVMValueRef index = l_.LLVMConstInt(e_.i64, i, 0);
    return l_.LLVMBuildLoad2(e_.builder, e_.pointer,
                             l_.LLVMBuildGEP2(e_.builder, e_.pointer, array, &index, 1, ""), "");
  }
  // Bytes of 1 or 0 become bits.
  LLVMValueRef from_memory(DType type, LLVMValueRef loaded) {
    if (type != DType::boolean) return loaded;
    return l_.LLVMBuildICmp(e_.builder, LLVMIntNE, loaded, l_.LLVMConstNull(e_.vector(e_.byte)), "");
  }
  LLVMValueRef broadcast(std::size_t i) {
    const LLVMTypeRef type = element(program_.inputs[i].dtype), vector = e_.vector(type);
    const LLVMValueRef poison = l_.LLVMGetPoison(vector),
                       first = l_.LLVMBuildInsertElement(e_.builder, poison,
                                                         l_.LLVMBuildLoad2(e_.builder, type, inputs_[i], ""),
                                                         l_.LLVMConstInt(e_.i32, 0, 0), "");
    return from_memory(
        program_.inputs[i].dtype,
        l_.LLVMBuildShuffleVector(e_.builder, first, poison, l_.LLVMConstNull(e_.vector(e_.i32)), ""));
  }
  // An input is read where it is first used.
  LLVMValueRef operand(std::uint8_t place) {
    if (values_[place]) return values_[place];
    const DType dtype = program_.inputs[place].dtype;
    const LLVMTypeRef type = element(dtype);
    const LLVMValueRef loaded = l_.LLVMBuildLoad2(
        e_.builder, e_.vector(type), l_.LLVMBuildGEP2(e_.builder, type, inputs_[place], &at_, 1, ""), "");
    l_.LLVMSetAlignment(loaded, static_cast<unsigned>(size_of(dtype)));
    return values_[place] = from_memory(dtype, loaded);
  }
  I truth(std::uint8_t place) { return I::of_bits(operand(place)); }
  LLVMValueRef value_of(const Step& step) {
    if (step.code == Code::convert) return conversion(step);
    const bool selects = step.code == Code::select;
    const DType type = selects ? step.to : step.from;
    if (!is_number(type)) return value_of_bools(step);
    return with_type(type, LLVMValueRef(nullptr), [&]<class T>(std::type_identity<T>) {
      const auto number = [&](int k) { return Ir<T>::of(operand(step.operand[k])); };
      if (selects) {
        const I mask = truth(step.operand[0]);
        const Ir<T> a = number(1), b = number(2);
        return choose(mask, a, b).value();
      }
      if (step.code == Code::unary) return make(static_cast<UnaryOp>(step.function), number(0), step.param);
      const Ir<T> a = number(0), b = number(1);
      return make(static_cast<BinaryOp>(step.function), a, b, step.param);
    });
  }
  LLVMValueRef value_of_bools(const Step& step) {
    const I first = truth(step.operand[0]);
    if (step.code == Code::unary) return make_of_bools(static_cast<UnaryOp>(step.function), first);
    const I second = truth(step.operand[1]);
    if (step.code == Code::binary) return make_of_bools(static_cast<BinaryOp>(step.function), first, second);
    const I third = truth(step.operand[2]);
    return l_.LLVMBuildSelect(e_.builder, first.mask(), second.mask(), third.mask(), "");
  }
  LLVMValueRef conversion(const Step& step) {
    const LLVMValueRef given = operand(step.operand[0]);
    if (step.from == step.to) return given;
    if (step.from == DType::boolean) {
      return with_type(step.to, given, [&]<class T>(std::type_identity<T>) {
        return choose(I::of_bits(given), Ir<T>(T(1)), Ir<T>()).value();
      });
    }
    return with_type(step.from, given, [&]<class From>(std::type_identity<From>) {
      const Ir<From> x = Ir<From>::of(given);
      if (step.to == DType::boolean) return (x != Ir<From>()).mask();
      return with_type(step.to, given,
                       [&]<class To>(std::type_identity<To>) { return converted<To>(x).value(); });
    });
  }
  LLVMTypeRef accumulators() const {
    return l_.LLVMVectorType(element(accumulator(*program_.fold, program_.results[0])), kRunning);
  }
  // As fold_on() of reduce_loops.inl does, kRunning elements after the others.
  LLVMValueRef fold(LLVMValueRef running) {
    const LLVMValueRef all = values_[TileProgram::kFirstResult];
    const bool widens = accumulator(*program_.fold, program_.results[0]) != program_.results[0];
    for (unsigned first = 0; first < e_.lanes; first += kRunning) {
      LLVMValueRef places[kRunning];
      for (unsigned k = 0; k < kRunning; ++k) places[k] = l_.LLVMConstInt(e_.i32, first + k, 0);
      LLVMValueRef x =
          l_.LLVMBuildShuffleVector(e_.builder, all, all, l_.LLVMConstVector(places, kRunning), "");
      if (widens) x = l_.LLVMBuildFPExt(e_.builder, x, accumulators(), "");
      running = folded_step(running, x);
    }
    return running;
  }
  LLVMValueRef folded_step(LLVMValueRef a, LLVMValueRef x) {
    const auto choose_larger = [&](LLVMRealPredicate beats) {
      const LLVMValueRef is_number = l_.LLVMBuildFCmp(e_.builder, LLVMRealOEQ, x, x, ""),
                         kept = l_.LLVMBuildSelect(e_.builder, is_number, a, x, "");
      return l_.LLVMBuildSelect(e_.builder, l_.LLVMBuildFCmp(e_.builder, beats, x, a, ""), x, kept, "");
    };
    switch (*program_.fold) {
      case Fold::squares: x = l_.LLVMBuildFMul(e_.builder, x, x, ""); [[fallthrough]];
      case Fold::sum: return l_.LLVMBuildFAdd(e_.builder, a, x, "");
      case Fold::prod: return l_.LLVMBuildFMul(e_.builder, a, x, "");
      case Fold::max: return choose_larger(LLVMRealOGT);
      case Fold::min: return choose_larger(LLVMRealOLT);
      default: return nullptr;  // of bools: no program has it
    }
  }
  void store(std::size_t r, LLVMValueRef place) {
    const DType dtype = program_.results[r];
    LLVMValueRef value = values_[TileProgram::kFirstResult + r];
    if (dtype == DType::boolean) value = l_.LLVMBuildZExt(e_.builder, value, e_.vector(e_.byte), "");
    const LLVMValueRef stored = l_.LLVMBuildStore(
        e_.builder, value, l_.LLVMBuildGEP2(e_.builder, element(dtype), results_[r], &place, 1, ""));
    l_.LLVMSetAlignment(stored, static_cast<unsigned>(size_of(dtype)));
  }

  const Emitter& e_;
  const Llvm& l_ = e_.llvm;
  const TileProgram& program_;
  LLVMValueRef inputs_[TileProgram::kMaxInputs] = {}, results_[TileProgram::kMaxResults] = {};
  LLVMValueRef values_[TileProgram::kFirstResult + TileProgram::kMaxResults] = {};  // by operand
  LLVMValueRef at_ = nullptr;
};

}  // namespace

bool is_loop_type(DType type) { return is_known(type); }
bool makes_instructions(const TileProgram::Step& step) { return makes(step); }

void build_loop(const TileProgram& program, const LoopPlace& place) {
  const Llvm& llvm = place.llvm;
  const Emitter emitter{.llvm = llvm,
                        .context = place.context,
                        .module = place.module,
                        .builder = llvm.LLVMCreateBuilderInContext(place.context),
                        .lanes = place.lanes,
                        .byte = llvm.LLVMInt8TypeInContext(place.context),
                        .i32 = llvm.LLVMInt32TypeInContext(place.context),
                        .i64 = llvm.LLVMInt64TypeInContext(place.context),
                        .f32 = llvm.LLVMFloatTypeInContext(place.context),
                        .f64 = llvm.LLVMDoubleTypeInContext(place.context),
                        .pointer = llvm.LLVMPointerTypeInContext(place.context, 0)};
  g_emit = &emitter;
  LoopBuilder(emitter, program).build(place.vector_bits);
  g_emit = nullptr;
  llvm.LLVMDisposeBuilder(emitter.builder);
}

}  // namespace tapescope::kernels
#endif

// Builds the loop of a program as LLVM instructions and has LLVM make machine code of it.
//
// No optimization passes but those of code generation: the loop is written as it shall run.
#include "engine/kernels/machine_code.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/kernels/map_table.h"
#include "engine/kernels/special.h"
#include "engine/kernels/tile.h"

#if defined(TAPESCOPE_LLVM) && defined(__x86_64__)
#include <dlfcn.h>
#include <pthread.h>

#include "engine/kernels/llvm_library.h"

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

template <class Op>
constexpr bool kTakesOne = requires(F x) {
  Op::vec(x, 0.0);
}
|| requires(F x) { Op::of(x, 0.0); };
template <class Op>
constexpr bool kTakesTwo = requires(F x) {
  Op::vec(x, x, 0.0);
}
|| requires(F x) { Op::of(x, x, 0.0); };
template <class Op>
constexpr bool kCompares = requires(F x) {
  Op::of(x, x);
};

constexpr bool makes(UnaryOp op) {
#define TAPESCOPE_MAKES(code, Function, elements, flops, work) kTakesOne<Function>,
  constexpr bool kMakes[] = {TAPESCOPE_UNARY_FUNCTIONS(TAPESCOPE_MAKES)};
#undef TAPESCOPE_MAKES
  return kMakes[static_cast<int>(op)];
}
constexpr bool makes(BinaryOp op) {
#define TAPESCOPE_MAKES(code, Function, elements, flops, work) kTakesTwo<Function> || kCompares<Function>,
  constexpr bool kMakes[] = {TAPESCOPE_BINARY_FUNCTIONS(TAPESCOPE_MAKES)};
#undef TAPESCOPE_MAKES
  return kMakes[static_cast<int>(op)];
}

bool makes(const Step& step) {
  if (step.from != DType::f32) return false;
  switch (step.code) {
    case Code::unary: return step.to == DType::f32 && makes(static_cast<UnaryOp>(step.function));
    case Code::binary: {
      const auto op = static_cast<BinaryOp>(step.function);
      return makes(op) && step.to == (gives_bool(op) ? DType::boolean : DType::f32);
    }
    case Code::select: return step.to == DType::f32;
    case Code::convert: return false;
  }
  return false;
}

// ---- the instructions of a step

template <class Op>
LLVMValueRef make(F x, double param) {
  if constexpr (requires { Op::vec(x, param); }) return Op::vec(x, param).value();
  else if constexpr (requires { Op::of(x, param); }) return Op::of(x, param).value();
  else return nullptr;
}
template <class Op>
LLVMValueRef make(F a, F b, double param) {
  if constexpr (requires { Op::vec(a, b, param); }) return Op::vec(a, b, param).value();
  else if constexpr (requires { Op::of(a, b, param); }) return Op::of(a, b, param).value();
  else if constexpr (requires { Op::of(a, b); }) return Op::of(a, b).mask();
  else return nullptr;
}
LLVMValueRef make(UnaryOp op, F x, double param) {
  switch (op) {
#define TAPESCOPE_MAKE(code, Function, elements, flops, work) \
  case UnaryOp::code: return make<Function>(x, param);
    TAPESCOPE_UNARY_FUNCTIONS(TAPESCOPE_MAKE)
#undef TAPESCOPE_MAKE
    case UnaryOp::count_: break;
  }
  return nullptr;
}
LLVMValueRef make(BinaryOp op, F a, F b, double param) {
  switch (op) {
#define TAPESCOPE_MAKE(code, Function, elements, flops, work) \
  case BinaryOp::code: return make<Function>(a, b, param);
    TAPESCOPE_BINARY_FUNCTIONS(TAPESCOPE_MAKE)
#undef TAPESCOPE_MAKE
    case BinaryOp::count_: break;
  }
  return nullptr;
}

// ---- the loop

class LoopBuilder {
 public:
  LoopBuilder(const Emitter& emit, const TileProgram& program) : e_(emit), program_(program) {}

  void build(const std::string& name, int vector_bits) {
    LLVMTypeRef parameters[] = {e_.pointer, e_.pointer, e_.i64, e_.i64};
    const LLVMValueRef function = l_.LLVMAddFunction(
        e_.module, name.c_str(), l_.LLVMFunctionType(l_.LLVMVoidTypeInContext(e_.context), parameters, 4, 0));
    set_attributes(function, vector_bits);
    const LLVMBasicBlockRef entry = l_.LLVMAppendBasicBlockInContext(e_.context, function, ""),
                            loop = l_.LLVMAppendBasicBlockInContext(e_.context, function, ""),
                            end = l_.LLVMAppendBasicBlockInContext(e_.context, function, "");
    l_.LLVMPositionBuilderAtEnd(e_.builder, entry);
    const LLVMValueRef begin = l_.LLVMGetParam(function, 2);
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      inputs_[i] = address(l_.LLVMGetParam(function, 0), i);
      const Access access = program_.inputs[i].access;
      if (access == Access::scalar || access == Access::column) values_[i] = broadcast(i);
    }
    for (std::size_t r = 0; r < program_.results.size(); ++r)
      results_[r] = address(l_.LLVMGetParam(function, 1), r);
    l_.LLVMBuildBr(e_.builder, loop);

    l_.LLVMPositionBuilderAtEnd(e_.builder, loop);
    at_ = l_.LLVMBuildPhi(e_.builder, e_.i64, "");
    for (const Step& step : program_.steps) values_[step.target] = value_of(step);
    // Stored when everything is computed: a result may lie where an input does.
    const LLVMValueRef place = l_.LLVMBuildSub(e_.builder, at_, begin, "");
    for (std::size_t r = 0; r < program_.results.size(); ++r) store(r, place);
    LLVMValueRef next = l_.LLVMBuildAdd(e_.builder, at_, l_.LLVMConstInt(e_.i64, e_.lanes, 0), "");
    LLVMValueRef from[] = {begin, next};
    LLVMBasicBlockRef blocks[] = {entry, loop};
    l_.LLVMAddIncoming(at_, from, blocks, 2);
    l_.LLVMBuildCondBr(e_.builder,
                       l_.LLVMBuildICmp(e_.builder, LLVMIntSLT, next, l_.LLVMGetParam(function, 3), ""), loop,
                       end);
    l_.LLVMPositionBuilderAtEnd(e_.builder, end);
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

  LLVMTypeRef element(DType type) const { return type == DType::boolean ? e_.byte : e_.f32; }
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
  F number(std::uint8_t place) { return F::of(operand(place)); }
  LLVMValueRef value_of(const Step& step) {
    switch (step.code) {
      case Code::unary: return make(static_cast<UnaryOp>(step.function), number(step.operand[0]), step.param);
      case Code::binary: {
        const F a = number(step.operand[0]), b = number(step.operand[1]);
        return make(static_cast<BinaryOp>(step.function), a, b, step.param);
      }
      default: {
        const I mask = I::of_bits(operand(step.operand[0]));
        const F a = number(step.operand[1]), b = number(step.operand[2]);
        return choose(mask, a, b).value();
      }
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

// ---- the library

// Nothing may be asked of LLVM any more: the process ends, and LLVM releases what it holds; or it is a fork,
// where the thread that held LLVM's locks may be missing.
constinit std::atomic<bool> g_ended{false};

// What lives as long as the process.
struct Library {
  Llvm llvm;
  LLVMOrcLLJITRef jit = nullptr;
  bool loaded = false;

  Library() {
    // The name that Debian's packages of LLVM 19 give it; later ones have another interface.
    void* const library = dlopen("libLLVM.so.19.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    bool whole = true;
#define TAPESCOPE_FIND(name) \
  whole &= (llvm.name = reinterpret_cast<decltype(llvm.name)>(dlsym(library, #name))) != nullptr;
    TAPESCOPE_LLVM_FUNCTIONS(TAPESCOPE_FIND)
#undef TAPESCOPE_FIND
    if (!whole) return;
    llvm.LLVMInitializeX86TargetInfo();
    llvm.LLVMInitializeX86Target();
    llvm.LLVMInitializeX86TargetMC();
    llvm.LLVMInitializeX86AsmPrinter();
    if (const LLVMErrorRef error = llvm.LLVMOrcCreateLLJIT(&jit, nullptr)) {
      llvm.LLVMConsumeError(error);
      return;
    }
    loaded = pthread_atfork(nullptr, nullptr, leave_machine_code_compiler) == 0;
  }
};
// Never destroyed: code may run until the process ends.
Library& library() {
  static Library& the_library = *new Library;
  return the_library;
}

class LoadedCode final : public MachineCode {
 public:
  explicit LoadedCode(LLVMOrcResourceTrackerRef memory) : memory_(memory) {}
  ~LoadedCode() override {
    if (g_ended) return;
    const Llvm& llvm = library().llvm;
    if (const LLVMErrorRef error = llvm.LLVMOrcResourceTrackerRemove(memory_)) llvm.LLVMConsumeError(error);
    llvm.LLVMOrcReleaseResourceTracker(memory_);
  }
  LLVMOrcResourceTrackerRef memory() const { return memory_; }

 private:
  LLVMOrcResourceTrackerRef memory_;
};

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

// The object file with the loop; null when LLVM cannot make it.
LLVMMemoryBufferRef make_object(const Llvm& llvm, const TileProgram& program, const std::string& name,
                                int vector_bits, unsigned lanes) {
  char *triple = llvm.LLVMGetDefaultTargetTriple(), *cpu = llvm.LLVMGetHostCPUName(),
       *host_features = llvm.LLVMGetHostCPUFeatures(), *error = nullptr;
  std::string features = host_features;
  if (vector_bits < 512) features += ",-avx512f";
  LLVMMemoryBufferRef object = nullptr;
  LLVMTargetRef target = nullptr;
  if (llvm.LLVMGetTargetFromTriple(triple, &target, &error) == 0) {
    const LLVMTargetMachineRef machine = llvm.LLVMCreateTargetMachine(
        target, triple, cpu, features.c_str(), LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    const LLVMContextRef context = llvm.LLVMContextCreate();
    const LLVMModuleRef module = llvm.LLVMModuleCreateWithNameInContext("tapescope", context);
    const LLVMTargetDataRef layout = llvm.LLVMCreateTargetDataLayout(machine);
    llvm.LLVMSetModuleDataLayout(module, layout);
    llvm.LLVMSetTarget(module, triple);
    const Emitter emitter{.llvm = llvm,
                          .context = context,
                          .module = module,
                          .builder = llvm.LLVMCreateBuilderInContext(context),
                          .lanes = lanes,
                          .byte = llvm.LLVMInt8TypeInContext(context),
                          .i32 = llvm.LLVMInt32TypeInContext(context),
                          .i64 = llvm.LLVMInt64TypeInContext(context),
                          .f32 = llvm.LLVMFloatTypeInContext(context),
                          .pointer = llvm.LLVMPointerTypeInContext(context, 0)};
    g_emit = &emitter;
    LoopBuilder(emitter, program).build(name, vector_bits);
    g_emit = nullptr;
    if (llvm.LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &error, &object) != 0)
      object = nullptr;
    llvm.LLVMDisposeBuilder(emitter.builder);
    llvm.LLVMDisposeTargetData(layout);
    llvm.LLVMDisposeModule(module);
    llvm.LLVMContextDispose(context);
    llvm.LLVMDisposeTargetMachine(machine);
  }
  for (char* text : {triple, cpu, host_features, error}) {
    if (text) llvm.LLVMDisposeMessage(text);
  }
  return object;
}

}  // namespace

bool load_machine_code_compiler() { return library().loaded; }
void leave_machine_code_compiler() { g_ended = true; }

bool has_machine_code(const TileProgram& program) {
  if (!cpu_has_avx2()) return false;
  for (const auto& [dtype, access] : program.inputs) {
    const bool by_row = access == Access::row || access == Access::column;
    if (by_row && program.row <= kTileElements) return false;
    if (dtype != DType::f32 && dtype != DType::boolean) return false;
  }
  for (const Step& step : program.steps) {
    if (!makes(step)) return false;
  }
  return !program.steps.empty();
}

std::shared_ptr<const MachineCode> make_machine_code(const TileProgram& program, int vector_bits) {
  if (!has_machine_code(program) || !load_machine_code_compiler() || g_ended) return nullptr;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto begin = std::chrono::steady_clock::now();
  const Llvm& llvm = library().llvm;
  const LLVMOrcLLJITRef jit = library().jit;
  if (vector_bits == 0 || !has_avx512()) vector_bits = has_avx512() ? 512 : 256;
  // Two vectors a round: what one waits for is hidden behind the other.
  const unsigned lanes = static_cast<unsigned>(vector_bits) / 32 * 2;
  static std::uint64_t made = 0;
  const std::string name = "tapescope_loop_" + std::to_string(made++);
  const LLVMMemoryBufferRef object = make_object(llvm, program, name, vector_bits, lanes);
  if (!object) return nullptr;
  const std::size_t bytes = llvm.LLVMGetBufferSize(object);
  auto code = std::make_shared<LoadedCode>(
      llvm.LLVMOrcJITDylibCreateResourceTracker(llvm.LLVMOrcLLJITGetMainJITDylib(jit)));
  LLVMOrcExecutorAddress address = 0;
  LLVMErrorRef error = llvm.LLVMOrcLLJITAddObjectFileWithRT(jit, code->memory(), object);
  if (!error) error = llvm.LLVMOrcLLJITLookup(jit, &address, name.c_str());
  if (error) {
    llvm.LLVMConsumeError(error);
    return nullptr;
  }
  code->run = reinterpret_cast<MachineCode::Run>(address);
  code->step = lanes;
  code->code_bytes = bytes;
  code->milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return code;
}

}  // namespace tapescope::kernels

#else

namespace tapescope::kernels {
bool load_machine_code_compiler() { return false; }
void leave_machine_code_compiler() {}
bool has_machine_code(const TileProgram&) { return false; }
std::shared_ptr<const MachineCode> make_machine_code(const TileProgram&, int) { return nullptr; }
}  // namespace tapescope::kernels
#endif

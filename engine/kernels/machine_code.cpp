// LLVM as a library that is loaded when it is needed, and the objects that it makes or a cache has kept.
#include "engine/kernels/machine_code.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/kernels/code_cache.h"
#include "engine/kernels/tile.h"

namespace tapescope::kernels {

std::string code_key(const TileProgram& program) {
  std::string key;
  const auto add = [&](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  add(program.fold.value_or(Fold::count_));
  add(program.inputs.size());
  for (const auto& [dtype, access] : program.inputs) {
    add(dtype);
    add(access);
    // Columns of rows within a tile are written out.
    if (access == TileProgram::Access::column) add(program.row > kTileElements || program.fold);
  }
  add(program.results.size());
  for (const DType dtype : program.results) add(dtype);
  for (const TileProgram::Step& step : program.steps) {
    add(step.code);
    add(step.function);
    add(step.from);
    add(step.to);
    for (const std::uint8_t operand : step.operand) add(operand);
    add(step.target);
    add(step.param);
  }
  return key;
}

}  // namespace tapescope::kernels

#if defined(TAPESCOPE_LLVM) && defined(__x86_64__)
#include <dlfcn.h>
#include <pthread.h>

#include "engine/kernels/loop_builder.h"
#include "engine/kernels/map_table.h"

namespace tapescope::kernels {
namespace {

using Step = TileProgram::Step;

// Nothing may be asked of LLVM any more: the process ends, and LLVM releases what it holds; or it is a fork,
// where the thread that held LLVM's locks may be missing.
constinit std::atomic<bool> g_ended{false};

// What lives as long as the process. A loop has a library ("JITDylib") for itself; these cannot be destroyed,
// so that of a loop that is gone takes the next one.
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

  // Thread-safe: the last user of a loop may end on any thread.
  LLVMOrcJITDylibRef take_place() {
    const std::lock_guard lock(mutex_);
    if (!empty_.empty()) {
      const LLVMOrcJITDylibRef place = empty_.back();
      empty_.pop_back();
      return place;
    }
    return llvm.LLVMOrcExecutionSessionCreateBareJITDylib(llvm.LLVMOrcLLJITGetExecutionSession(jit),
                                                          fmt::format("loop {}", places_++).c_str());
  }
  void give_back(LLVMOrcJITDylibRef place) {
    const std::lock_guard lock(mutex_);
    empty_.push_back(place);
  }

 private:
  std::mutex mutex_;
  std::vector<LLVMOrcJITDylibRef> empty_;
  std::uint64_t places_ = 0;
};
// Never destroyed: code may run until the process ends.
Library& library() {
  static Library& the_library = *new Library;
  return the_library;
}

class LoadedCode final : public MachineCode {
 public:
  explicit LoadedCode(Library& in) : in_(in), place_(in.take_place()) {}
  ~LoadedCode() override {
    if (g_ended) return;
    if (const LLVMErrorRef error = in_.llvm.LLVMOrcJITDylibClear(place_)) in_.llvm.LLVMConsumeError(error);
    else in_.give_back(place_);
  }
  // Null where LLVM cannot load it. Takes the object.
  Run load(LLVMMemoryBufferRef object) {
    const Llvm& llvm = in_.llvm;
    if (const LLVMErrorRef error = llvm.LLVMOrcLLJITAddObjectFile(in_.jit, place_, object)) {
      llvm.LLVMConsumeError(error);
      return nullptr;
    }
    struct Answer {
      const Llvm& llvm;
      LLVMOrcExecutorAddress address = 0;
      std::binary_semaphore there{0};
    } answer{llvm};
    const auto take = [](LLVMErrorRef error, LLVMOrcCSymbolMapPairs pairs, std::size_t count, void* to) {
      Answer& taken = *static_cast<Answer*>(to);
      if (error) taken.llvm.LLVMConsumeError(error);
      else if (count == 1) taken.address = pairs[0].Sym.Address;
      taken.there.release();
    };
    LLVMOrcCJITDylibSearchOrderElement where{place_, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly};
    LLVMOrcCLookupSetElement what{llvm.LLVMOrcLLJITMangleAndIntern(in_.jit, kLoopName),
                                  LLVMOrcSymbolLookupFlagsRequiredSymbol};
    llvm.LLVMOrcExecutionSessionLookup(llvm.LLVMOrcLLJITGetExecutionSession(in_.jit), LLVMOrcLookupKindStatic,
                                       &where, 1, &what, 1, take, &answer);
    answer.there.acquire();
    return reinterpret_cast<Run>(answer.address);
  }

 private:
  Library& in_;
  LLVMOrcJITDylibRef place_;
};

// Bytes of the widest element, 4 at least.
std::size_t widest(const TileProgram& program) {
  std::size_t bytes = 4;
  for (const TileProgram::Input& input : program.inputs) bytes = std::max(bytes, size_of(input.dtype));
  for (const Step& step : program.steps) bytes = std::max({bytes, size_of(step.from), size_of(step.to)});
  return bytes;
}

// The most values that are needed at a time.
int most_alive(const TileProgram& program) {
  constexpr int kPlaces = TileProgram::kFirstResult + TileProgram::kMaxResults;
  std::size_t first_use[TileProgram::kMaxInputs];
  std::ranges::fill(first_use, program.steps.size());
  for (std::size_t s = program.steps.size(); s-- > 0;) {
    const Step& step = program.steps[s];
    for (int k = 0; k < step.operands(); ++k) {
      if (step.operand[k] < TileProgram::kFirstRegister) first_use[step.operand[k]] = s;
    }
  }
  // From the end, where the results are stored. An input is read where it is first used.
  bool alive[kPlaces] = {};
  std::fill_n(alive + TileProgram::kFirstResult, program.results.size(), true);
  int now = static_cast<int>(program.results.size()), most = now;
  for (std::size_t s = program.steps.size(); s-- > 0;) {
    const Step& step = program.steps[s];
    now -= std::exchange(alive[step.target], false);
    for (int k = 0; k < step.operands(); ++k) now += !std::exchange(alive[step.operand[k]], true);
    most = std::max(most, now);
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      if (first_use[i] == s && program.inputs[i].access != TileProgram::Access::scalar)
        now -= std::exchange(alive[i], false);
    }
  }
  return most;
}

// Elements of a round: two vectors of the widest ones, so that what one waits for is hidden behind the other.
// One where those of one alone do not fit into registers: two would take several times as long to compile.
unsigned lanes_of(const TileProgram& program, int vector_bits) {
  const int registers = vector_bits == 512 ? 32 : 16, vectors = most_alive(program) <= registers ? 2 : 1;
  const unsigned lanes =
      static_cast<unsigned>(vector_bits / 8 * vectors) / static_cast<unsigned>(widest(program));
  return program.fold ? std::max(lanes, static_cast<unsigned>(kRunning)) : lanes;
}

// What code is made for.
struct Processor {
  std::string triple, name, features;
};
Processor processor_of(const Llvm& llvm, int vector_bits) {
  const auto take = [&](char* text) {
    std::string taken = text;
    llvm.LLVMDisposeMessage(text);
    return taken;
  };
  Processor made{.triple = take(llvm.LLVMGetDefaultTargetTriple()),
                 .name = take(llvm.LLVMGetHostCPUName()),
                 .features = take(llvm.LLVMGetHostCPUFeatures())};
  if (vector_bits < 512) made.features += ",-avx512f";
  return made;
}

// The object file with the loop; null when LLVM cannot make it.
LLVMMemoryBufferRef make_object(const Llvm& llvm, const TileProgram& program, const Processor& processor,
                                int vector_bits, unsigned lanes) {
  char* error = nullptr;
  LLVMMemoryBufferRef object = nullptr;
  LLVMTargetRef target = nullptr;
  if (llvm.LLVMGetTargetFromTriple(processor.triple.c_str(), &target, &error) == 0) {
    const LLVMTargetMachineRef machine = llvm.LLVMCreateTargetMachine(
        target, processor.triple.c_str(), processor.name.c_str(), processor.features.c_str(),
        LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    const LLVMContextRef context = llvm.LLVMContextCreate();
    const LLVMModuleRef module = llvm.LLVMModuleCreateWithNameInContext("tapescope", context);
    const LLVMTargetDataRef layout = llvm.LLVMCreateTargetDataLayout(machine);
    llvm.LLVMSetModuleDataLayout(module, layout);
    llvm.LLVMSetTarget(module, processor.triple.c_str());
    build_loop(program, {.llvm = llvm,
                         .context = context,
                         .module = module,
                         .vector_bits = vector_bits,
                         .lanes = lanes});
    if (llvm.LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &error, &object) != 0)
      object = nullptr;
    llvm.LLVMDisposeTargetData(layout);
    llvm.LLVMDisposeModule(module);
    llvm.LLVMContextDispose(context);
    llvm.LLVMDisposeTargetMachine(machine);
  }
  if (error) llvm.LLVMDisposeMessage(error);
  return object;
}

// The object file with the loop, from the cache where it is there.
LLVMMemoryBufferRef find_or_make_object(const Llvm& llvm, const TileProgram& program, int vector_bits,
                                        unsigned lanes, const CodeCache* cache) {
  const Processor processor = processor_of(llvm, vector_bits);
  if (!cache) return make_object(llvm, program, processor, vector_bits, lanes);
  unsigned version[3] = {};
  llvm.LLVMGetVersion(&version[0], &version[1], &version[2]);
  const std::string key =
      fmt::format("{} LLVM {}.{}.{} {} {} {} {} bits {}", TAPESCOPE_LOOP_SOURCES, version[0], version[1],
                  version[2], processor.triple, processor.name, processor.features, vector_bits,
                  code_key(program));
  if (const std::string kept = cache->find(key); !kept.empty())
    return llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(kept.data(), kept.size(), kLoopName);
  const LLVMMemoryBufferRef object = make_object(llvm, program, processor, vector_bits, lanes);
  if (object) cache->keep(key, {llvm.LLVMGetBufferStart(object), llvm.LLVMGetBufferSize(object)});
  return object;
}

}  // namespace

bool load_machine_code_compiler() { return library().loaded; }
void leave_machine_code_compiler() { g_ended = true; }

std::string_view obstacle_to_machine_code(const TileProgram& program) {
  if (!cpu_has_avx2()) return "a processor without AVX2";
  if (program.steps.empty()) return "nothing to compute";
  const auto is_strange = [](const TileProgram::Input& input) { return !is_loop_type(input.dtype); };
  if (std::ranges::any_of(program.inputs, is_strange)) return "a half type";
  for (const Step& step : program.steps) {
    if (!is_loop_type(step.from) || !is_loop_type(step.to)) return "a half type";
    if (!makes_instructions(step)) return "a function of the C library";
  }
  return {};
}

bool has_machine_code(const TileProgram& program) { return obstacle_to_machine_code(program).empty(); }

std::shared_ptr<const MachineCode> make_machine_code(const TileProgram& program, int vector_bits,
                                                     const CodeCache* cache) {
  if (!has_machine_code(program) || !load_machine_code_compiler() || g_ended) return nullptr;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto begin = std::chrono::steady_clock::now();
  const Llvm& llvm = library().llvm;
  if (vector_bits == 0 || !cpu_has_avx512()) vector_bits = widest_vector_bits();
  const unsigned lanes = lanes_of(program, vector_bits);
  const LLVMMemoryBufferRef object = find_or_make_object(llvm, program, vector_bits, lanes, cache);
  if (!object) return nullptr;
  const std::size_t bytes = llvm.LLVMGetBufferSize(object);
  auto code = std::make_shared<LoadedCode>(library());
  code->run = code->load(object);
  if (!code->run) return nullptr;
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
std::string_view obstacle_to_machine_code(const TileProgram&) {
  return "a build without LLVM's headers, or for another processor than x86-64";
}
std::shared_ptr<const MachineCode> make_machine_code(const TileProgram&, int, const CodeCache*) {
  return nullptr;
}
}  // namespace tapescope::kernels
#endif

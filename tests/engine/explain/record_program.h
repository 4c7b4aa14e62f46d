// Records written like a program: variables, tapes and ops on lines of "program.cpp", without the engine.
//
// Tapes decide as the engine's do (a watched floating input), so that a test states what a program does and
// not what each record says.
#pragma once
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "engine/core/type.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "engine/explain/explain_none.h"
#include "engine/explain/history.h"

namespace tapescope {

class RecordProgram {
 public:
  struct TapeState {
    bool watch_accessed = true, recording = false, paused = false, entered = false, consumed = false;
    std::set<TensorId> followed;
  };

  TensorId variable(std::string_view name, int line, bool trainable = true, DType dtype = DType::f32,
                    TensorId initial = 0);
  TensorId constant(int line, std::string_view name = "", DType dtype = DType::f32, std::uint16_t mark = 0);
  TensorId number();  // in an expression: no record at all
  void name(TensorId tensor, std::string_view name);
  TensorId read(TensorId variable, int line);
  TensorId op(std::string_view type, std::initializer_list<TensorId> inputs, int line,
              DType dtype = DType::f32, std::uint8_t flags = 0, int outputs = 1);
  void host_read(TensorId tensor, int line, std::uint16_t mark = 0);
  void assign(TensorId variable, TensorId value, int line);
  void silence(std::string_view what) { emit(SilenceBeginRecord{.by = intern_name(what)}), ++at().silenced; }
  void unsilence() { emit(SilenceEndRecord{}), --at().silenced; }
  TensorId stop_gradient(TensorId x, int line);

  void enter(TapeId tape, int line, bool watch_accessed = true, bool persistent = false);
  void exit(TapeId tape, int line);
  void pause(TapeId tape, int line);
  void resume(TapeId tape, int line);
  void reset(TapeId tape, int line);
  void watch(TapeId tape, TensorId what, int line, WatchKind kind = WatchKind::by_hand);
  void step(std::uint64_t number) { emit(StepBeginRecord{.step = number}); }

  // A branch of a cond, whose ops `body` writes and whose last one it returns.
  template <class Body>
  TensorId branch(std::uint32_t number, TensorId chooser, int line, Body&& body, bool traced = false) {
    const TensorId begin = peek(), result = body();
    emit(BranchRecord{.branch = static_cast<std::uint8_t>(number),
                      .traced = traced,
                      .site = site(line),
                      .chooser = chooser,
                      .begin = begin});
    return result;
  }

  // A gradient call whose backward pass runs the ops that `backward` writes; a used-up tape raises.
  template <class Backward>
  TensorId gradient(TapeId tape, TensorId target, std::vector<TensorId> sources, int line,
                    Backward&& backward);
  void gradient(TapeId tape, TensorId target, std::vector<TensorId> sources, int line) {
    gradient(tape, target, std::move(sources), line, [] { return TensorId{0}; });
  }
  void walked(TensorId output) { emit(BackwardStepRecord{.output = output}); }

  void on_thread(std::uint32_t thread) { thread_ = thread; }
  History history() const {
    History history;
    for (const auto& [thread, state] : threads_) history.add(thread, state.records);
    return history;
  }
  const std::vector<Record>& records(std::uint32_t thread) { return threads_[thread].records; }

 private:
  struct Thread {
    std::vector<Record> records;
    std::vector<TapeId> active;
    TensorId next = 0, end = 0;
    int silenced = 0;
    bool backward = false;
  };
  Thread& at() { return threads_[thread_]; }
  TensorId peek();
  TensorId take();
  template <RecordStruct R>
  void emit(R record) {
    if constexpr (requires { record.order; }) {
      if (record.order == 0) record.order = peek();
    }
    at().records.push_back(record);
  }
  static SiteId site(int line) {
    return intern_site("program.cpp", "main", static_cast<std::uint32_t>(line), 0);
  }
  static std::uint32_t scalar(DType dtype) { return intern_type(dtype, {})->id; }

  std::map<std::uint32_t, Thread> threads_;
  std::uint32_t thread_ = 1;
  std::map<TapeId, TapeState> tapes_;
  std::map<TensorId, DType> types_;
  std::map<TensorId, bool> variables_;  // to trainable
  TensorId next_block_ = 1;
  std::uint64_t calls_ = 0;
};

template <class Backward>
TensorId RecordProgram::gradient(TapeId tape, TensorId target, std::vector<TensorId> sources, int line,
                                 Backward&& backward) {
  TapeState& state = tapes_[tape];
  const std::uint64_t call = ++calls_;
  emit(GradientAskRecord{.tape = tape,
                         .targets = 1,
                         .sources = static_cast<std::uint32_t>(sources.size()),
                         .site = site(line),
                         .call = call});
  emit(TargetRecord{.tensor = target});
  for (const TensorId source : sources) emit(SourceRecord{.tensor = source});
  if (!state.entered || state.consumed) return 0;
  if (state.recording) exit(tape, line);
  emit(BackwardBeginRecord{.tape = tape, .call = call});
  at().backward = true;
  const TensorId result = backward();
  at().backward = false;
  emit(BackwardEndRecord{.tape = tape, .call = call});
  state.consumed = true;
  emit(TapeRecord{.kind = TapeRecord::kConsumed, .tape = tape, .site = site(line)});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    emit(ResultRecord{.result = result ? ResultKind::value : ResultKind::none,
                      .source = sources[i],
                      .gradient = result,
                      .index = i + 1});
  }
  return result;
}

}  // namespace tapescope

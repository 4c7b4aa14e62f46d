// A shared object that records one op of a program that has no engine: what a bridge to another framework
// does, at its smallest.
#include <cstdio>
#include <exception>

#include "engine/core/per_thread.h"
#include "engine/core/tensor.h"
#include "engine/events/clock.h"
#include "engine/events/threads.h"
#include "engine/recording/process_recording.h"

using namespace tapescope;

namespace {

constexpr TapeId kTape = 1;
constexpr std::uint64_t kCall = 1;

void leave_records(EventWriter& writer) {
  const ScopeId scope = intern_scope(0, intern_name("model"));
  const SiteId site = intern_site("square.c", "main", 7, scope),
               other = intern_site("square.c", "main", 8, scope);
  const Tensor x = make_full({3}, 2.0, DType::f32), constant = make_full({3}, 1.0, DType::f32);
  const auto created = [&](const Tensor& made, SiteId at) {
    writer.write({.kind = RecordKind::create, .b = at, .x = made.id(), .y = made.type().id, .z = made.id()});
  };
  created(x, site);
  created(constant, other);
  writer.write({.kind = RecordKind::tape_enter, .b = kTape, .x = site, .z = peek_tensor_id()});
  writer.write({.kind = RecordKind::watch,
                .a = static_cast<std::uint8_t>(WatchKind::by_hand),
                .b = kTape,
                .x = x.id(),
                .y = site,
                .z = peek_tensor_id()});

  const Tensor square = make_full({3}, 4.0, DType::f32);
  Record* const at = writer.reserve(2);
  auto& op = *reinterpret_cast<OpRecord*>(at);
  op = OpRecord{.name = intern_op_name("ForeignSquare"), .site = site, .ticks = ticks()};
  op.output = square.id();
  op.type = square.type().id;
  *reinterpret_cast<OperandsRecord*>(at + 1) = {.inputs = 1,
                                                .outputs = 1,
                                                .answers = static_cast<std::uint32_t>(TapeAnswer::recorded),
                                                .input = {x.id(), 0, 0}};
  writer.publish(2);

  writer.write({.kind = RecordKind::tape_exit, .b = kTape, .x = site, .z = peek_tensor_id()});
  constexpr std::uint64_t kOneTarget = 1, kTwoSources = std::uint64_t{2} << 32;
  writer.write(
      {.kind = RecordKind::gradient_ask, .b = kTape, .x = kOneTarget | kTwoSources, .y = site, .z = kCall});
  writer.write({.kind = RecordKind::target, .b = intern_name("square"), .x = square.id()});
  writer.write({.kind = RecordKind::source, .a = 0, .b = intern_name("x"), .x = x.id()});
  writer.write({.kind = RecordKind::source, .a = 1, .b = intern_name("constant"), .x = constant.id()});
  const Tensor gradient = make_full({3}, 4.0, DType::f32);
  writer.write({.kind = RecordKind::result,
                .a = static_cast<std::uint8_t>(ResultKind::value),
                .x = x.id(),
                .y = gradient.id(),
                .z = 0});
  writer.write({.kind = RecordKind::result, .x = constant.id(), .z = 1});
}

}  // namespace

// Records into a new file. Returns 0, or 1 after a sentence on standard error.
extern "C" __attribute__((visibility("default"))) int record_one_op(const char* path) {
  try {
    record::ProcessRecording recording(path);
    leave_records(PerThread<ThreadPort>::get()->writer);
    recording.finish();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

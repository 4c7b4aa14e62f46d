// A shared object that records one op of a program that has no engine: what a bridge to another framework
// does, at its smallest.
#include <cstdio>
#include <exception>

#include "engine/core/per_thread.h"
#include "engine/core/tensor.h"
#include "engine/events/clock.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
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
    writer.write(CreateRecord{.site = at, .tensor = made.id(), .type = made.type().id, .order = made.id()});
  };
  created(x, site);
  created(constant, other);
  writer.write(TapeEnterRecord{.tape = kTape, .site = site, .order = peek_tensor_id()});
  writer.write(WatchRecord{
      .how = WatchKind::by_hand, .tape = kTape, .watched = x.id(), .site = site, .order = peek_tensor_id()});

  const Tensor square = make_full({3}, 4.0, DType::f32);
  Record* const at = writer.reserve(2);
  new (at) OpRecord{.name = intern_op_name("ForeignSquare"),
                    .site = site,
                    .ticks = ticks(),
                    .output = square.id(),
                    .type = square.type().id};
  new (at + 1) OperandsRecord{.inputs = 1,
                              .outputs = 1,
                              .answers = static_cast<std::uint32_t>(TapeAnswer::recorded),
                              .input = {x.id(), 0, 0}};
  writer.publish(2);

  writer.write(TapeRecord{.kind = TapeRecord::kExit, .tape = kTape, .site = site, .order = peek_tensor_id()});
  writer.write(GradientAskRecord{.tape = kTape, .targets = 1, .sources = 2, .site = site, .call = kCall});
  writer.write(TargetRecord{.name = intern_name("square"), .tensor = square.id()});
  writer.write(SourceRecord{.index = 0, .name = intern_name("x"), .tensor = x.id()});
  writer.write(SourceRecord{.index = 1, .name = intern_name("constant"), .tensor = constant.id()});
  const Tensor gradient = make_full({3}, 4.0, DType::f32);
  writer.write(
      ResultRecord{.result = ResultKind::value, .source = x.id(), .gradient = gradient.id(), .index = 1});
  writer.write(ResultRecord{.result = ResultKind::none, .source = constant.id(), .index = 2});
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

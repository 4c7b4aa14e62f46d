// Writes records as the engine does, with ticks and ids that tests choose.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "engine/core/type.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"

namespace tapescope::test {

class RecordWriter {
 public:
  std::vector<Record> records;
  std::uint64_t ticks = 1'000'000;
  TensorId next = 1000;
  std::uint64_t calls = 0;

  static constexpr auto kRecorded = TapeAnswer::recorded;

  SiteId site(std::uint32_t line, std::string_view scope = {}) {
    ScopeId id = 0;
    if (!scope.empty()) id = intern_scope(0, intern_name(scope));
    return intern_site("sample.cpp", "step", line, id);
  }

  TensorId create(const Shape& shape, std::uint32_t line = 1) {
    const TensorId id = next++;
    records.push_back(
        CreateRecord{.site = site(line), .tensor = id, .type = intern_type(DType::f32, shape)->id});
    return id;
  }
  TensorId variable(std::string_view name, const Shape& shape, bool trainable = true) {
    const TensorId id = next++;
    records.push_back(VariableRecord{.trainable = trainable,
                                     .name = intern_name(name),
                                     .handle = id,
                                     .type = intern_type(DType::f32, shape)->id,
                                     .site = site(2)});
    return id;
  }
  TensorId op(std::string_view name, std::initializer_list<TensorId> inputs, const Shape& shape,
              TapeAnswer answer = kRecorded, std::uint8_t flags = 0, std::uint32_t line = 10,
              std::string_view scope = {}) {
    OpRecord op;
    op.flags = flags;
    op.name = intern_op_name(name);
    op.site = site(line, scope);
    op.duration = 1000;
    op.ticks = ticks += op.duration;
    op.output = next++;
    op.type = intern_type(DType::f32, shape)->id;
    records.push_back(op);
    OperandsRecord operands;
    operands.inputs = static_cast<std::uint8_t>(inputs.size());
    operands.outputs = 1;
    operands.answers = static_cast<std::uint32_t>(answer);
    int k = 0;
    for (TensorId input : inputs) {
      if (k == 3) {
        records.push_back(operands);
        operands = {};
        operands.answers = 3;
        k = 0;
      }
      operands.input[k++] = input;
    }
    records.push_back(operands);
    return op.output;
  }
  TensorId read(TensorId handle, const Shape& shape, std::uint32_t line = 10) {
    return op("ReadVariableOp", {handle}, shape, kRecorded, OpRecord::kHandle, line);
  }
  TensorId backward_op(std::string_view name, std::initializer_list<TensorId> inputs, const Shape& shape) {
    return op(name, inputs, shape, TapeAnswer::absent, OpRecord::kBackward);
  }

  void begin_step(std::uint64_t step, std::uint32_t program = 0) {
    records.push_back(StepBeginRecord{.program = program, .step = step, .ticks = ticks});
  }
  void end_step(std::uint64_t step, bool abandoned = false, std::uint32_t program = 0) {
    ticks += 500;
    records.push_back(
        StepEndRecord{.abandoned = abandoned, .program = program, .step = step, .ticks = ticks});
  }
  void ask(TensorId target, std::initializer_list<std::pair<TensorId, std::string_view>> sources,
           TapeId tape = 1) {
    records.push_back(GradientAskRecord{.tape = tape,
                                        .targets = 1,
                                        .sources = static_cast<std::uint32_t>(sources.size()),
                                        .site = site(40),
                                        .call = ++calls});
    records.push_back(TargetRecord{.tensor = target});
    for (const auto& [id, name] : sources) {
      records.push_back(SourceRecord{.name = intern_name(name), .tensor = id});
    }
  }
  void backward_begin(TapeId tape = 1) {
    records.push_back(BackwardBeginRecord{.tape = tape, .ticks = ticks, .call = calls});
  }
  void backward_step(TensorId forward_output, TapeId tape = 1) {
    records.push_back(BackwardStepRecord{.tape = tape, .ticks = ticks, .output = forward_output});
  }
  void backward_end(TapeId tape = 1, bool raised = false) {
    records.push_back(BackwardEndRecord{.raised = raised, .tape = tape, .ticks = ticks, .call = calls});
  }
  void result(TensorId source, TensorId gradient, std::uint64_t index, ResultKind kind = ResultKind::value) {
    records.push_back(
        ResultRecord{.result = kind, .source = source, .gradient = gradient, .index = index + 1});
  }
  void scalar(std::string_view name, double value, std::uint64_t step) {
    records.push_back(ScalarRecord{.metric = intern_name(name), .value = value, .step = step});
  }

  // A whole step: loss = mean(relu(x·w)), gradient of w, with preprocessing that no tape records and an
  // update.
  struct Step {
    TensorId pixels, read, product, active, loss, gradient;
  };
  Step dense_step(std::uint64_t number, TensorId x, TensorId w, std::uint32_t program = 0) {
    Step s{};
    begin_step(number, program);
    s.pixels = op("RealDiv", {x}, {32, 784}, TapeAnswer::no_watched_input, 0, 9);
    s.read = read(w, {784, 10}, 10);
    s.product = op("MatMul", {s.pixels, s.read}, {32, 10}, kRecorded, 0, 10, "dense_1");
    s.active = op("Relu", {s.product}, {32, 10}, kRecorded, 0, 11, "dense_1");
    s.loss = op("Mean", {s.active}, {}, kRecorded, 0, 12);
    ask(s.loss, {{w, "w"}});
    backward_begin();
    backward_step(s.loss);
    const TensorId g = backward_op("RealDiv", {s.loss}, {32, 10});
    backward_step(s.active);
    const TensorId r = backward_op("ReluGrad", {g, s.active}, {32, 10});
    backward_step(s.product);
    s.gradient = backward_op("MatMul", {s.pixels, r}, {784, 10});
    backward_step(s.read);
    backward_end();
    result(w, s.gradient, 0);
    op("Mul", {s.gradient}, {784, 10}, TapeAnswer::absent, 0, 50);
    scalar("loss", 1.0 / static_cast<double>(number + 1), number);
    end_step(number, false, program);
    return s;
  }

  std::vector<Record> take() { return std::move(records); }
  // An op of the call that is stepped into; returns its output, a vector of 2.
  TensorId inner(std::string_view name, std::initializer_list<TensorId> inputs, std::uint32_t duration,
                 std::uint8_t flags = 0, std::uint32_t line = 20) {
    const TensorId output = next++;
    records.push_back(InnerOpRecord{.flags = flags,
                                    .name = intern_op_name(name),
                                    .site = site(line),
                                    .ticks = ticks += duration,
                                    .output = output,
                                    .type = intern_type(DType::f32, {2})->id,
                                    .duration = duration});
    InnerOperandsRecord operands{.inputs = static_cast<std::uint8_t>(inputs.size()), .outputs = 1};
    std::copy(inputs.begin(), inputs.end(), operands.input.begin());
    records.push_back(operands);
    return output;
  }
};

}  // namespace tapescope::test

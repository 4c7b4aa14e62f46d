// Rules as text, and packs under a budget.
#include "engine/recording/step_values.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "engine/core/error.h"

namespace tapescope::record {
namespace {

constexpr std::string_view kEvery = "every:", kOnly = "only:";

[[noreturn]] void refuse(std::string_view rule) {
  throw Error(
      ErrorKind::value,
      fmt::format("'{}' does not say whose values to keep; expected none, or a list of first, last, every:N "
                  "and numbers "
                  "of steps from 1, such as first,every:100,last; only:NAME after it names tensors to keep",
                  rule));
}

std::uint64_t counting_number(std::string_view text, std::string_view rule) {
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || value == 0) refuse(rule);
  return value;
}

}  // namespace

ValueRule ValueRule::parse(std::string_view text) {
  ValueRule rule;
  if (text == "none") return rule;
  for (std::string_view left = text;;) {
    const std::size_t comma = left.find(',');
    const std::string_view word = left.substr(0, comma);
    if (word == "last") rule.last = true;
    else if (word == "first") rule.steps.insert(0);
    else if (word.starts_with(kEvery)) rule.every = counting_number(word.substr(kEvery.size()), text);
    else if (word.starts_with(kOnly) && word.size() > kOnly.size())
      rule.only.emplace_back(word.substr(kOnly.size()));
    else rule.steps.insert(counting_number(word, text) - 1);
    if (comma == std::string_view::npos) {
      if (rule.empty()) refuse(text);
      return rule;
    }
    left.remove_prefix(comma + 1);
  }
}

ValueOptions ValueOptions::of(ValueRule rule, double megabytes) {
  ValueOptions options;
  options.budget = static_cast<std::uint64_t>(megabytes * 1e6);
  options.limits.whole_bytes = options.budget / 16;
  options.limits.only = rule.only;
  options.rule = std::move(rule);
  return options;
}

std::vector<std::uint64_t> ValueRule::steps_of(std::uint64_t count) const {
  std::set<std::uint64_t> all;
  for (const std::uint64_t step : steps) {
    if (step < count) all.insert(step);
  }
  for (std::uint64_t step = 0; every > 0 && step < count; step += every) all.insert(step);
  if (last && count > 0) all.insert(count - 1);
  return {all.begin(), all.end()};
}

void write_step_values(ByteWriter& out, const StepValues& head) {
  out.number(head.program);
  for (const std::uint64_t value : {head.step, head.nodes, head.forward_nodes, head.left_out})
    out.number(value);
}

bool read_step_values(ByteReader& in, StepValues& head) {
  head.program = static_cast<std::uint32_t>(in.number(0xffffffffu));
  for (std::uint64_t* value : {&head.step, &head.nodes, &head.forward_nodes, &head.left_out})
    *value = in.number();
  return !in.failed();
}

bool StepFrames::read(std::vector<KeptFrame>& frames) const {
  Bytes raw;
  StepValues again;
  if (!unpack_chunk(chunk, stored, raw)) return false;
  ByteReader in(raw);
  return read_step_values(in, again) && read_frames(in, frames);
}

void ValueKeeper::begin_step(std::uint32_t program, std::uint64_t step) {
  head_ = {.program = program, .step = step};
  packer_.clear();
  packs_.clear();
}

void ValueKeeper::close_pack() {
  if (packer_.frames() == 0) return;
  ByteWriter bytes;
  packer_.write(bytes);
  left_ -= std::min<std::uint64_t>(left_, bytes.size());
  packs_.push_back(bytes.bytes());
  packer_.clear();
}

void ValueKeeper::add(const Frame& frame) {
  // Once a place had no room none later has: a step is known up to a place, not here and there.
  bool room = head_.left_out == 0 && packer_.bytes() < left_;
  if (room && !packer_.add(frame)) {
    close_pack();
    room = left_ > 0 && packer_.add(frame);
  }
  if (room) return;
  ++head_.left_out;
  ++all_left_out_;
}

void ValueKeeper::end_step(std::uint64_t nodes, std::uint64_t forward_nodes) {
  close_pack();
  head_.nodes = nodes;
  head_.forward_nodes = forward_nodes;
  if (packs_.empty()) {
    ByteWriter nothing;
    FramePacker().write(nothing);
    packs_.push_back(nothing.bytes());
  }
  for (const Bytes& pack : packs_) {
    ByteWriter payload;
    write_step_values(payload, head_);
    payload.raw(pack.data(), pack.size());
    payloads_.push_back(payload.bytes());
  }
  packs_.clear();
}

std::vector<Bytes> ValueKeeper::take() { return std::exchange(payloads_, {}); }

}  // namespace tapescope::record

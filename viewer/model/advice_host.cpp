// Advice from values that leave for the host and come back as tensors.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/debug/find_word.h"
#include "engine/explain/python_words.h"
#include "viewer/model/advice.h"
#include "viewer/store/call_lines.h"
#include "viewer/store/op_rows.h"
#include "viewer/store/sources.h"

namespace tapescope::advice {
namespace {

constexpr TensorId kSoon = 4;  // tensors after the read; of more the program may have made others in between

// Numbers that one line reads for each question to a tape; a loss and a metric are read in any program.
constexpr std::size_t kOneByOne = 3;
// Of a step whose question is inside a function.
constexpr std::size_t kOfCompiled = 4;

bool is_floating_type(const Type* type) { return type != nullptr && is_floating(type->dtype); }

// What a line of Python assigns, without the objects that it belongs to: "scale" of "self.scale = 1 / norm".
std::vector<std::string_view> assigned_on(std::string_view text) {
  std::vector<std::string_view> names;
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos || sign + 1 == text.size() || text[sign + 1] == '=') return names;
  // What an index names is not assigned, and of several names not all need be computed of what is read.
  const std::string_view left = text.substr(0, sign);
  if (left.find_first_of("([,") != std::string_view::npos) return names;
  for (std::size_t begin = 0; begin < left.size(); ++begin) {
    std::size_t end = begin;
    while (end < left.size() && of_word(left[end])) ++end;
    if (end > begin && (end == left.size() || left[end] != '.'))
      names.push_back(left.substr(begin, end - begin));
    begin = end;
  }
  return names;
}

// Lines of Python's text that show where a number goes that a line reads: names that it is assigned to, those
// that are computed of them, and the lines that call a function which returns it.
class ReadNumbers {
 public:
  ReadNumbers(const SourceFiles& sources, const std::string& location) : sources_(sources) {
    const SourcePlace at = source_place(location);
    follow({std::string(at.file), at.line}, 0);
  }

  // Whether an op of that line takes the number.
  bool lead_to(std::string_view location) const {
    const SourcePlace at = source_place(location);
    const std::string_view text = text_at(at.file, at.line);
    return std::ranges::any_of(
               lines_, [&](const Line& line) { return line.file == at.file && line.number == at.line; }) ||
           std::ranges::any_of(names_, [&](std::string_view name) { return has_word(text, name); });
  }
  // Whether a branch or the end of a loop hangs on it, for which the host has to know it.
  bool decide() const { return decides_; }

 private:
  struct Line {
    std::string file;
    std::uint32_t number = 0;
  };

  static bool branches(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    constexpr std::array<std::string_view, 4> kWords = {"if ", "elif ", "while ", "assert "};
    return std::ranges::any_of(kWords, [&](std::string_view word) { return text.starts_with(word); }) ||
           text.find(" if ") != std::string_view::npos;
  }

  void follow(const Line& from, int callers) {
    constexpr int kMostCallers = 2;
    lines_.push_back(from);
    const SourceFile* file = source_of(&sources_, fmt::format("{}:{}", from.file, from.number));
    if (file == nullptr) return;
    const std::uint32_t function = function_around(*file, from.number).line;
    const std::size_t known = names_.size();
    bool returned = returns(from.file, from.number);
    decides_ = decides_ || branches(text_at(from.file, from.number));
    std::ranges::move(assigned_on(text_at(from.file, from.number)), std::back_inserter(names_));
    for (std::uint32_t line = from.number + 1; line <= file->lines.size() && !returned; ++line) {
      const std::string_view text = text_at(from.file, line);
      if (text.find_first_not_of(' ') == std::string_view::npos) continue;
      if (function_around(*file, line).line != function) break;
      const bool uses = std::any_of(names_.begin() + static_cast<std::ptrdiff_t>(known), names_.end(),
                                    [&](std::string_view name) { return has_word(text, name); });
      if (!uses) continue;
      decides_ = decides_ || branches(text);
      returned = returns(from.file, line);
      std::ranges::move(assigned_on(text), std::back_inserter(names_));
    }
    if (!returned || callers == kMostCallers) return;
    const SourcePlace call = calling_line(sources_, {from.file, from.number}, {});
    if (call.line != 0) follow({std::string(call.file), call.line}, callers + 1);
  }

  bool returns(std::string_view file, std::uint32_t line) const {
    const std::string_view text = text_at(file, line);
    return text.substr(std::min(text.find_first_not_of(' '), text.size())).starts_with("return ");
  }
  std::string_view text_at(std::string_view name, std::uint32_t line) const {
    const auto file = sources_.find(name);
    if (file == sources_.end() || line == 0 || line > file->second.lines.size()) return {};
    return file->second.lines[line - 1];
  }

  const SourceFiles& sources_;
  std::vector<Line> lines_;
  std::vector<std::string_view> names_;
  bool decides_ = false;
};

// The first number made after the read, another one than in the round before, that an op takes where the text
// shows that it was computed of what was read.
const HostTensor* number_of(const StepView& step, const HostRead& read, const ReadNumbers& lines) {
  for (const HostTensor& made : step.host_made) {
    const Type* type = type_with_id(made.type);
    if (made.tensor < read.stamp || !is_floating_type(type) || type->numel != 1 ||
        std::ranges::binary_search(step.lasting, made.tensor))
      continue;
    for (const OpRow& op : step.ops) {
      const auto inputs = step.inputs_of(op);
      if (std::ranges::find(inputs, made.tensor) == inputs.end()) continue;
      if (lines.lead_to(op.location)) return &made;
      if (made.site != 0 && lines.lead_to(location_text(site_with_id(made.site)))) return &made;
    }
  }
  return nullptr;
}

// What came back of a read: the same values, or as many of them, made right after it. What the round before
// made as well came from the program, not from the read.
const HostTensor* came_back(const StepView& step, const HostRead& read, const Type& of,
                            const std::unordered_set<TensorId>& used, bool python) {
  for (const HostTensor& made : step.host_made) {
    if (made.tensor < read.stamp || !used.contains(made.tensor) ||
        std::ranges::binary_search(step.lasting, made.tensor))
      continue;
    const Type* type = type_with_id(made.type);
    if (!is_floating_type(type)) continue;
    if (read.mark != 0 && made.mark == read.mark && type->numel == of.numel) return &made;
    // Programs in Python make tensors of their data at any line: one of another type is none that was read.
    const bool alike = python ? type == &of : type->numel == of.numel;
    // As many values, or one that all were reduced to.
    const bool reduced = !python && type->numel == 1 && of.numel > 1;
    const bool computed =
        made.site != 0 && ((type->numel > 1 && alike) || reduced) && made.tensor - read.stamp < kSoon;
    if (computed && step.op_of_tensor(read.stamp) == kNoOp) return &made;
  }
  return nullptr;
}

// The op that takes elements of a tensor by indices or a mask that the program made of what it read of it, as
// the hardest examples of their losses. One index alone may be what the program does next.
const OpRow* chosen_by(const StepView& step, const HostRead& read, const std::unordered_set<TensorId>& used) {
  constexpr std::array<std::string_view, 6> kViews = {"Cast",    "ExpandDims", "Identity",
                                                      "Reshape", "Squeeze",    "Where"};
  for (const HostTensor& made : step.host_made) {
    const Type* type = type_with_id(made.type);
    if (made.tensor < read.stamp || made.tensor - read.stamp >= kSoon || !used.contains(made.tensor) ||
        type == nullptr || is_floating(type->dtype) || type->numel < 2 ||
        std::ranges::binary_search(step.lasting, made.tensor))
      continue;
    std::unordered_set<TensorId> choice = {made.tensor}, values = {read.tensor};
    for (const OpRow& op : step.ops) {
      if (op.direction == Direction::backward) continue;
      const auto inputs = step.inputs_of(op);
      const auto takes = [&](const std::unordered_set<TensorId>& of) {
        return std::ranges::any_of(inputs, [&](TensorId input) { return of.contains(input); });
      };
      const bool chosen = takes(choice), read_too = takes(values);
      if (chosen && read_too) return &op;
      if (std::ranges::find(kViews, op.op) == kViews.end()) continue;
      if (chosen) choice.insert(op.output);
      if (read_too) values.insert(op.output);
    }
  }
  return nullptr;
}

// Of a tensor that the host made in this step; null for any other.
const Type* host_type(const StepView& step, TensorId tensor) {
  const auto made = std::ranges::find(step.host_made, tensor, &HostTensor::tensor);
  return made == step.host_made.end() ? nullptr : type_with_id(made->type);
}

}  // namespace

void round_trips(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to) {
  if (step.lasting.empty() || step.host_reads.empty()) return;
  std::unordered_set<TensorId> used(step.inputs.begin(), step.inputs.end());
  for (const AssignRow& assign : step.assigns) used.insert(assign.value);
  const HostRead* first = nullptr;
  const HostTensor* back = nullptr;
  const OpRow* choice = nullptr;
  std::string read_name;
  std::int64_t read_count = 0;
  std::uint32_t count = 0;
  for (const HostRead& read : step.host_reads) {
    const std::uint32_t made_by = step.op_of_tensor(read.tensor);
    const Type* type = made_by != kNoOp ? step.ops[made_by].type : host_type(step, read.tensor);
    if (!is_floating_type(type)) continue;
    const std::string at = location_text(site_with_id(read.site));
    // What the program had as numbers it may use as numbers, unless it reads them back in whole.
    if (made_by == kNoOp && (is_python(at) || type->numel == 1)) continue;
    const HostTensor* made = came_back(step, read, *type, used, is_python(at));
    // Of values that are no number a program makes many; of a gradient only its norm, or a scale.
    const bool is_gradient = made_by != kNoOp && step.ops[made_by].direction == Direction::backward;
    if (made == nullptr && sources != nullptr && is_python(at) && (type->numel == 1 || is_gradient))
      made = number_of(step, read, ReadNumbers(*sources, at));
    const OpRow* chosen = made == nullptr && is_python(at) ? chosen_by(step, read, used) : nullptr;
    if (made == nullptr && chosen == nullptr) continue;
    ++count;
    if (first != nullptr) continue;
    first = &read;
    back = made;
    choice = chosen;
    read_name = made_by != kNoOp ? step.ops[made_by].name : "the tensor that the program made";
    read_count = type->numel;
  }
  if (first == nullptr) return;
  const std::string location = location_text(site_with_id(first->site));
  to.push_back(
      {.kind = "host_round_trip",
       .subject = read_name,
       .evidence = fmt::format(
           "{} tensor{} a step leave{} for the host and come{} back: {} reads the {} "
           "of {}, and {}",
           count, noun_s(count), verb_s(count), verb_s(count), location,
           read_count == 1 ? std::string("value") : fmt::format("{} values", read_count), read_name,
           choice != nullptr ? fmt::format("{} takes elements by what was made of them", choice->name)
           : back->site == 0
               ? std::string("an expression takes them as a number")
               : fmt::format("{} makes a tensor of them", location_text(site_with_id(back->site)))),
       .fix = fix_for(
           location,
           "compute it with ops and keep the tensor, without reading its values: reductions, "
           "clip_by_norm, maximum and where take tensors, and gradients pass them",
           "compute it with TensorFlow's ops in place of NumPy or Python numbers and keep the tensor, "
           "without a read by the host in each step: tf.linalg.global_norm, tf.clip_by_global_norm, "
           "tf.minimum, tf.where and tf.math.top_k take tensors"),
       .location = location});
}

void reads_one_by_one(const StepView& step, const StepView* before, std::vector<AdviceRow>& to) {
  const auto reads = [](const StepView& of, SiteId site) {
    return std::ranges::find(of.host_reads, site, &HostRead::site) != of.host_reads.end();
  };
  std::vector<std::pair<SiteId, std::vector<TensorId>>> lines;  // the numbers that each reads
  for (const HostRead& read : step.host_reads) {
    const std::uint32_t made_by = step.op_of_tensor(read.tensor);
    if (made_by == kNoOp || read.site == 0) continue;
    const Type* type = step.ops[made_by].type;
    if (!is_floating_type(type) || type->numel != 1 || step.ops[made_by].output != read.tensor) continue;
    // What is read once, at the end, delays no step.
    if (before != nullptr && !reads(*before, read.site)) continue;
    const auto known = std::ranges::find(lines, read.site, &decltype(lines)::value_type::first);
    auto& tensors = known != lines.end() ? known->second : lines.emplace_back(read.site, 0).second;
    if (std::ranges::find(tensors, read.tensor) == tensors.end()) tensors.push_back(read.tensor);
  }
  for (const auto& [site, tensors] : lines) {
    if (tensors.size() < (step.calls.empty() ? kOfCompiled : kOneByOne * step.calls.size())) continue;
    const std::string location = location_text(site_with_id(site));
    // An op of the engine is done when it returns: to read its result waits for nothing.
    if (!is_python(location)) continue;
    const std::string_view name = step.ops[step.op_of_tensor(tensors.front())].name;
    to.push_back({.kind = "host_round_trip",
                  .subject = std::string(name),
                  .evidence = fmt::format(
                      "{} reads {} numbers a step for the host, one by one, beginning with {}: at each the "
                      "program waits until it is computed",
                      location, tensors.size(), name),
                  .fix = "keep them as tensors, and read them at once and less often: "
                         "tf.stack([...]).numpy()",
                  .location = location});
  }
}

void reads_each_step(const Snapshot& snapshot, std::vector<AdviceRow>& to) {
  constexpr std::size_t kSteps = 16, kSeen = 4;  // of the run, and of those at hand
  const auto& recent = snapshot.recent;
  if (snapshot.steps.count() < kSteps || recent.size() < kSeen || !snapshot.rounds.empty()) return;
  // The number that a step's line reads: of that step, or of the one before where the update ended that.
  const auto read_by = [&](std::size_t i, SiteId site) -> const OpRow* {
    for (const HostRead& read : recent[i]->host_reads) {
      if (read.site == 0 || (site != 0 && read.site != site)) continue;
      for (const std::size_t of : {i, i - 1}) {
        const std::uint32_t op = recent[of]->op_of_tensor(read.tensor);
        if (op == kNoOp) continue;
        const OpRow& made = recent[of]->ops[op];
        if (made.output == read.tensor && is_floating_type(made.type) && made.type->numel == 1) return &made;
      }
    }
    return nullptr;
  };
  for (const HostRead& read : recent.back()->host_reads) {
    const std::string location = location_text(site_with_id(read.site));
    const OpRow* number = read_by(recent.size() - 1, read.site);
    if (number == nullptr || !is_python(location)) continue;
    std::size_t i = 1;
    while (i < recent.size() && read_by(i, read.site) != nullptr) ++i;
    if (i < recent.size()) continue;
    if (snapshot.sources && ReadNumbers(*snapshot.sources, location).decide()) continue;
    to.push_back({.kind = "host_round_trip",
                  .subject = number->name,
                  .evidence = fmt::format("{} reads the number that {} makes for the host in each step: the "
                                          "program waits there until the step is computed",
                                          location, number->name),
                  .fix = "keep it as a tensor, such as in a list, and read what was kept once in a while: "
                         "tf.stack(losses).numpy(), or a keras.metrics.Mean at the end of an epoch",
                  .location = location});
    return;
  }
}

}  // namespace tapescope::advice

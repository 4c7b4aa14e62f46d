// Advice from values that leave for the host and come back as tensors.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "engine/explain/python_words.h"
#include "viewer/model/advice.h"
#include "viewer/store/op_rows.h"

namespace tapescope::advice {
namespace {

constexpr TensorId kSoon = 4;  // tensors after the read; of more the program may have made others in between

bool is_floating_type(const Type* type) { return type != nullptr && is_floating(type->dtype); }

// What came back of a read: the same values, or as many of them, made right after it. What the round before
// made as well came from the program, not from the read.
const HostTensor* came_back(const StepView& step, const HostRead& read, const OpRow& made_by,
                            const std::unordered_set<TensorId>& used) {
  for (const HostTensor& made : step.host_made) {
    if (made.tensor < read.stamp || !used.contains(made.tensor) ||
        std::ranges::binary_search(step.lasting, made.tensor))
      continue;
    const Type* type = type_with_id(made.type);
    if (!is_floating_type(type)) continue;
    if (read.mark != 0 && made.mark == read.mark && type->numel == made_by.type->numel) return &made;
    const bool computed = made.site != 0 && type->numel > 1 && type->numel == made_by.type->numel &&
                          made.tensor - read.stamp < kSoon;
    if (computed && step.op_of_tensor(read.stamp) == kNoOp) return &made;
  }
  return nullptr;
}

}  // namespace

void round_trips(const StepView& step, std::vector<AdviceRow>& to) {
  if (step.lasting.empty() || step.host_reads.empty()) return;
  std::unordered_set<TensorId> used(step.inputs.begin(), step.inputs.end());
  for (const AssignRow& assign : step.assigns) used.insert(assign.value);
  const HostRead* first = nullptr;
  const HostTensor* back = nullptr;
  const OpRow* read_op = nullptr;
  std::uint32_t count = 0;
  for (const HostRead& read : step.host_reads) {
    const std::uint32_t made_by = step.op_of_tensor(read.tensor);
    if (made_by == kNoOp || !is_floating_type(step.ops[made_by].type)) continue;
    const HostTensor* made = came_back(step, read, step.ops[made_by], used);
    if (made == nullptr) continue;
    ++count;
    if (first == nullptr) first = &read, back = made, read_op = &step.ops[made_by];
  }
  if (first == nullptr) return;
  const std::string location = location_text(site_with_id(first->site));
  // Python's libraries read values for reasons that records do not show.
  if (is_python(location)) return;
  to.push_back(
      {.kind = "host_round_trip",
       .subject = read_op->name,
       .evidence = fmt::format(
           "{} tensor{} a step leave{} for the host and come{} back: {} reads the {} "
           "of {}, and {}",
           count, noun_s(count), verb_s(count), verb_s(count), location,
           read_op->type->numel == 1 ? std::string("value") : fmt::format("{} values", read_op->type->numel),
           read_op->name,
           back->site == 0
               ? std::string("an expression takes them as a number")
               : fmt::format("{} makes a tensor of them", location_text(site_with_id(back->site)))),
       .fix = "compute it with ops and keep the tensor, without reading its values: reductions, "
              "clip_by_norm, maximum and where take tensors, and gradients pass them",
       .location = location});
}

}  // namespace tapescope::advice

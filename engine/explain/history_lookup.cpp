// Looks things up in the history, and forgets its beginning.
#include <algorithm>

#include "engine/explain/history.h"
#include "engine/explain/words.h"

namespace tapescope {
namespace {

template <class Entries, class Key>
const typename Entries::mapped_type* find(const Entries& entries, Key key) {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

}  // namespace

const HistoryOp* History::producer(TensorId tensor) const {
  const std::uint32_t index = producer_.find(tensor);
  return index == kNoIndex ? nullptr : &ops_[index];
}

std::vector<std::uint32_t> History::consumers(TensorId tensor, std::size_t limit) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t use = last_use_.find(tensor); use != kNoIndex && found.size() < limit;
       use = uses_[use].previous) {
    found.push_back(uses_[use].op);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::uint32_t History::type_of(TensorId tensor) const {
  if (const HistoryVariable* known = variable(tensor)) return known->type;
  if (const HistoryOp* op = producer(tensor)) {
    if (tensor == op->output) return op->type;
    const std::uint32_t* other = find(other_types_, tensor);
    return other ? *other : kNoType;
  }
  const HistoryCreate* made = create(tensor);
  return made ? made->type : kNoType;
}

std::string_view History::given_name(TensorId tensor) const {
  if (const HistoryVariable* known = variable(tensor)) return name_text(known->name);
  if (const NameId* name = find(names_, tensor)) return name_text(*name);
  const TracedParameter* stood_for = parameter(tensor);
  return stood_for ? name_text(stood_for->name) : std::string_view();
}

SiteId History::site_of(TensorId tensor) const {
  if (const HistoryVariable* known = variable(tensor)) {
    // Containers make their elements in a header: the program's line is the one that made the initial value.
    const bool known_value = is_of_standard_library(known->site) && !known->assigns.empty();
    const SiteId value = known_value ? site_of(assigns_[known->assigns.front()].value) : 0;
    return value != 0 ? value : known->site;
  }
  if (const HistoryOp* op = producer(tensor)) return op->site;
  const HistoryCreate* made = create(tensor);
  return made ? made->site : 0;
}

const HistoryTape* History::tape(TapeId id) const { return find(tapes_, id); }
const HistoryVariable* History::variable(TensorId handle) const { return find(variables_, handle); }
const HistoryCreate* History::create(TensorId tensor) const { return find(creates_, tensor); }

std::uint16_t History::mark_of(TensorId tensor) const {
  if (const HistoryCreate* made = create(tensor)) return made->mark;
  const std::uint16_t* mark = find(number_marks_, tensor);
  return mark ? *mark : std::uint16_t{0};
}

const TracedParameter* History::parameter(TensorId symbol) const { return find(parameters_, symbol); }

TensorId History::result_symbol(const HistoryOp& call, std::uint32_t place) const {
  const TensorId* symbol = call.trace == 0 ? nullptr : find(results_, std::pair(call.trace, place));
  return symbol ? *symbol : 0;
}

TensorId History::variable_of_value(TensorId tensor) const {
  const TensorId* handle = find(value_of_, tensor);
  return handle ? *handle : 0;
}

std::vector<TensorId> History::parameters_for(const HistoryOp& call, TensorId input) const {
  std::vector<TensorId> found;
  for (const auto& [symbol, parameter] : parameters_) {
    const bool of_call = call.trace != 0 && parameter.trace == call.trace && parameter.place < call.inputs;
    if (of_call && inputs(call)[parameter.place] == input) found.push_back(symbol);
  }
  return found;
}

const Question* History::question(std::uint64_t call) const {
  for (auto q = questions_.rbegin(); call != 0 && q != questions_.rend(); ++q) {
    if (q->call == call) return &*q;
  }
  return nullptr;
}

std::vector<TensorId> History::tensors_named(NameId name) const {
  std::vector<TensorId> found;
  if (name == 0) return found;
  for (const auto& [id, given] : names_) {
    if (given == name && !variables_.contains(id)) found.push_back(id);
  }
  for (const auto& [id, known] : variables_) {
    if (known.name == name) found.push_back(id);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::uint32_t History::host_read_before(std::uint32_t thread, TensorId stamp) const {
  const Thread* known = find(threads_, thread);
  if (!known) return kNoIndex;
  const auto after =
      std::upper_bound(known->reads.begin(), known->reads.end(), stamp,
                       [&](TensorId at, std::uint32_t read) { return at < reads_[read].stamp; });
  return after == known->reads.begin() ? kNoIndex : *(after - 1);
}

std::uint32_t History::assign_before(const HistoryVariable& variable, TensorId stamp) const {
  // Ids of different threads do not compare; blocks being taken in turn, the order is right but for races.
  const auto after = std::upper_bound(variable.assigns.begin(), variable.assigns.end(), stamp,
                                      [&](TensorId at, std::uint32_t a) { return at < assigns_[a].stamp; });
  return after == variable.assigns.begin() ? kNoIndex : *(after - 1);
}

const TapeEvent* History::tape_event(const HistoryTape& tape, std::uint32_t thread, TensorId stamp) const {
  for (const HistoryTape::OnThread& on : tape.threads) {
    if (on.thread != thread) continue;
    const auto after = std::upper_bound(on.events.begin(), on.events.end(), stamp,
                                        [](TensorId at, const TapeEvent& event) { return at < event.stamp; });
    return after == on.events.begin() ? nullptr : &*(after - 1);
  }
  return nullptr;
}

std::optional<TapeAnswer> History::answer(const HistoryOp& op, TapeId tape) const {
  if (op.tapes == kUnknownSet) return std::nullopt;
  const std::vector<TapeId>& set = tape_sets_[op.tapes];
  const auto at = std::find(set.begin(), set.end(), tape) - set.begin();
  if (at == static_cast<std::ptrdiff_t>(set.size())) return TapeAnswer::absent;
  if (at >= kMaxAnswers) return std::nullopt;
  return static_cast<TapeAnswer>(op.answers >> (4 * at) & 15);
}

TapeId History::recorded_by_other(const HistoryOp& op, TapeId tape) const {
  const std::vector<TapeId>& set = tape_sets_[op.tapes];
  for (std::size_t i = 0; i < set.size() && i < kMaxAnswers; ++i) {
    if (set[i] != tape && (op.answers >> (4 * i) & 15) == static_cast<std::uint32_t>(TapeAnswer::recorded))
      return set[i];
  }
  return 0;
}

std::span<const TracedConstant> History::traced_constants(const HistoryOp& op) const {
  const auto known = op.trace && !(op.flags & OpRecord::kTraced) ? traces_.find(op.trace) : traces_.end();
  return known == traces_.end() ? std::span<const TracedConstant>() : known->second;
}

std::string_view History::traced_function(std::uint64_t trace) const {
  const NameId* name = find(functions_, static_cast<std::uint32_t>(trace));
  return name ? name_text(*name) : std::string_view();
}

std::uint32_t History::thread_of(TensorId tensor) const {
  if (const HistoryOp* op = producer(tensor)) return op->thread;
  if (tensor == 0) return 0;
  const std::uint32_t* owner = find(block_owners_, (tensor - 1) / 1024);
  return owner ? *owner : 0;
}

std::uint32_t History::step_at(std::uint32_t thread, TensorId stamp) const {
  const Thread* known = find(threads_, thread);
  if (!known) return 0;
  const auto& starts = known->step_starts;
  return static_cast<std::uint32_t>(std::upper_bound(starts.begin(), starts.end(), stamp) - starts.begin());
}

std::span<const HistoryOp> History::ops_inside(const HistoryOp& call) const {
  const auto end = static_cast<std::size_t>(&call - ops_.data());
  std::size_t begin = end;
  const auto is_inside = [&](const HistoryOp& op) {
    return op.thread == call.thread && op.answers == 0 && !(op.flags & OpRecord::kTraced) &&
           op.backward_of == call.backward_of;
  };
  while (begin > 0 && is_inside(ops_[begin - 1])) --begin;
  return std::span(ops_).subspan(begin, end - begin);
}

const UncalledRead* History::uncalled_read(TensorId tensor) const {
  const auto found = uncalled_reads_.find(tensor);
  return found == uncalled_reads_.end() ? nullptr : &found->second;
}

const UntakenRecord* History::untaken(TensorId source) const {
  const auto [first, end] = untaken_.equal_range(source);
  for (auto known = first; known != end; ++known) {
    const CallSite place = site_with_id(known->second.site);
    const bool ran = std::any_of(ops_.begin(), ops_.end(), [&](const HistoryOp& op) {
      const CallSite site = site_with_id(op.site);
      return site.function == place.function && site.file == place.file;
    });
    if (ran) return &known->second;
  }
  return nullptr;
}

const TensorValuesRecord* History::values(TensorId tensor) const {
  const auto found = values_.find(tensor);
  return found == values_.end() ? nullptr : &found->second;
}

const StepResultRecord* History::step_result(std::uint64_t call, TensorId output) const {
  const auto found = step_results_.find({call, output});
  return found == step_results_.end() ? nullptr : &found->second;
}

void History::forget_before(TensorId stamp) {
  forget_branches_before(stamp);
  std::erase_if(values_, [&](const auto& entry) { return entry.first < stamp; });
  std::erase_if(step_results_, [&](const auto& entry) { return entry.first.second < stamp; });
  std::vector<std::uint32_t> new_op(ops_.size(), kNoIndex);
  std::vector<HistoryOp> ops;
  std::vector<TensorId> inputs;
  for (std::uint32_t i = 0; i < ops_.size(); ++i) {
    if (ops_[i].output < stamp) continue;
    new_op[i] = static_cast<std::uint32_t>(ops.size());
    ops.push_back(ops_[i]);
    ops.back().first_input = static_cast<std::uint32_t>(inputs.size());
    for (const TensorId input : this->inputs(ops_[i])) inputs.push_back(input);
  }
  ops_.swap(ops);
  inputs_.swap(inputs);
  uses_.clear();
  producer_.clear();
  inner_producer_.clear();
  last_use_.clear();
  for (std::uint32_t i = 0; i < ops_.size(); ++i) {
    index_op(i);
    link_inputs(i, 0);
  }
  std::erase_if(branch_of_node_, [&](const auto& entry) { return entry.first < stamp; });
  std::erase_if(parameters_, [&](const auto& entry) { return entry.first < stamp; });
  std::erase_if(number_marks_, [&](const auto& entry) { return entry.first < stamp; });
  std::erase_if(results_, [&](const auto& entry) { return entry.second < stamp; });
  std::erase_if(other_types_, [&](const auto& entry) { return entry.first < stamp; });
  // An older tensor that something kept still uses keeps what is known of it.
  const auto gone = [&](TensorId id) { return id < stamp && !has_consumer(id); };
  std::erase_if(creates_, [&](const auto& entry) { return gone(entry.first); });
  std::erase_if(value_of_, [&](const auto& entry) { return !variables_.contains(entry.second); });
  std::erase_if(names_,
                [&](const auto& entry) { return gone(entry.first) && !variables_.contains(entry.first); });
  std::erase_if(tapes_, [&](const auto& entry) {
    if (!entry.second.destroyed) return false;
    for (const auto& on : entry.second.threads) {
      if (!on.events.empty() && on.events.back().stamp >= stamp) return false;
    }
    return true;
  });
  for (auto& [id, tape] : tapes_) {
    std::erase_if(tape.watches,
                  [&](const auto& entry) { return gone(entry.first) && !variables_.contains(entry.first); });
  }
  std::vector<std::uint32_t> new_read(reads_.size(), kNoIndex);
  std::vector<HistoryRead> reads;
  for (std::uint32_t i = 0; i < reads_.size(); ++i) {
    if (reads_[i].stamp < stamp) continue;
    new_read[i] = static_cast<std::uint32_t>(reads.size());
    reads.push_back(reads_[i]);
    if (reads.back().previous != kNoIndex) reads.back().previous = new_read[reads.back().previous];
  }
  reads_.swap(reads);
  std::vector<HistoryAssign> assigns;
  std::vector<std::uint32_t> new_assign(assigns_.size(), kNoIndex);
  for (std::uint32_t i = 0; i < assigns_.size(); ++i) {
    if (assigns_[i].stamp < stamp) continue;
    new_assign[i] = static_cast<std::uint32_t>(assigns.size());
    assigns.push_back(assigns_[i]);
    if (assigns.back().previous != kNoIndex) assigns.back().previous = new_assign[assigns.back().previous];
  }
  assigns_.swap(assigns);
  const auto renumber = [](std::vector<std::uint32_t>& list, const std::vector<std::uint32_t>& to) {
    for (std::uint32_t& entry : list) entry = to[entry];
    std::erase(list, kNoIndex);
  };
  for (auto& [id, variable] : variables_) renumber(variable.assigns, new_assign);
  // A question is as old as its youngest target.
  std::vector<std::uint32_t> new_question(questions_.size(), kNoIndex);
  std::vector<Question> questions;
  for (std::uint32_t i = 0; i < questions_.size(); ++i) {
    const auto& targets = questions_[i].targets;
    if (!targets.empty() && *std::max_element(targets.begin(), targets.end()) < stamp) continue;
    new_question[i] = static_cast<std::uint32_t>(questions.size());
    questions.push_back(std::move(questions_[i]));
  }
  questions_.swap(questions);
  for (auto& [id, thread] : threads_) {
    renumber(thread.reads, new_read);
    if (thread.open_op != kNoIndex) thread.open_op = new_op[thread.open_op];
    if (thread.question != kNoIndex) thread.question = new_question[thread.question];
    for (Thread::Walk& walk : thread.walks) {
      if (walk.question != kNoIndex) walk.question = new_question[walk.question];
    }
  }
  std::erase_if(block_owners_, [&](const auto& entry) { return (entry.first + 1) * 1024 < stamp; });
}

}  // namespace tapescope

// Facts and results of a run as a recording keeps them.
#include "viewer/debugger/recording.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "engine/core/tensor.h"
#include "engine/recording/process_facts.h"
#include "viewer/debugger/comparison.h"
#include "viewer/model/complain.h"

namespace tapescope {
namespace {

using record::ProgramFacts;
using record::ProgramResults;
using record::RecordedValue;

constexpr std::string_view kParameter = "set ";  // before a parameter's name, in facts

template <class T>
T number_of(const ProgramFacts& facts, const char* key, T otherwise) {
  const auto found = facts.find(key);
  if (found == facts.end()) return otherwise;
  T value = otherwise;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  return value;
}

std::string text_of(const ProgramFacts& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::string() : found->second;
}

RecordedValue recorded_value(const Tensor& value) {
  if (!value || value.dtype() == DType::resource) return {};
  const auto* begin = static_cast<const std::uint8_t*>(value.raw());
  return {&value.type(), record::Bytes(begin, begin + value.bytes())};
}

Tensor tensor_of(const RecordedValue& value) {
  if (!value.type) return {};
  return make_from_bytes(value.type->dtype, value.type->shape, value.bytes.data());
}

// A note of results: how many steps a window let go of in a long run.
constexpr const char* kStepsLeft = "steps_left";

std::string note_of(const ProgramResults& results, std::string_view key) {
  for (const auto& [name, text] : results.notes) {
    if (name == key) return text;
  }
  return {};
}

std::vector<std::pair<std::string, RecordedValue>> recorded_values(const std::vector<SampleOutput>& values) {
  std::vector<std::pair<std::string, RecordedValue>> list;
  for (const SampleOutput& output : values) {
    list.emplace_back(numbered_name(output.name, place_among_namesakes(values, output)),
                      recorded_value(output.value));
  }
  return list;
}

std::vector<SampleOutput> outputs_of(const std::vector<std::pair<std::string, RecordedValue>>& values) {
  std::vector<SampleOutput> list;
  for (const auto& [name, value] : values) list.push_back({name, tensor_of(value)});
  return list;
}

std::optional<NonFiniteOrigin> origin_of(const ProgramResults& results) {
  const std::string step = note_of(results, "origin_step"), node = note_of(results, "origin_node");
  if (step.empty()) return std::nullopt;
  NonFiniteOrigin origin;
  std::from_chars(step.data(), step.data() + step.size(), origin.step);
  std::from_chars(node.data(), node.data() + node.size(), origin.node);
  origin.backward = note_of(results, "origin_direction") == "backward";
  origin.value = note_of(results, "origin_value");
  origin.op = note_of(results, "origin_op");
  origin.op_type = note_of(results, "origin_type");
  origin.location = note_of(results, "origin_location");
  return origin;
}

// "call source op reason"; a note for each.
constexpr std::string_view kZero = "zero";

std::vector<ZeroProof> zeros_of(const ProgramResults& results) {
  std::vector<ZeroProof> proofs;
  for (const auto& [key, value] : results.notes) {
    if (key != kZero) continue;
    ZeroProof proof;
    std::istringstream fields(value);
    if (fields >> proof.call >> proof.source >> proof.op >> proof.reason) proofs.push_back(std::move(proof));
  }
  return proofs;
}

// Links are followed: a link that leads out of the folder does not lie in it.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  std::error_code wrong;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, wrong);
  if (wrong) return false;
  const std::filesystem::path base = std::filesystem::weakly_canonical(folder, wrong);
  if (wrong) return false;
  const std::filesystem::path inside = whole.lexically_relative(base);
  return !inside.empty() && std::ranges::none_of(inside, [](const std::filesystem::path& part) {
    return part.native().starts_with('.');  // "..", and what is hidden
  });
}

// What the events alone show of a program whose results were not written.
void add_from_events(ProgramResult& program, const Snapshot& snapshot) {
  for (std::size_t i = 0; i < snapshot.steps.size(); ++i)
    program.step_us.push_back(snapshot.steps[i].step_us);
  for (const MetricSeries& metric : snapshot.metrics) {
    const std::size_t count = metric.points.size();
    if (metric.name == "loss") {
      for (std::size_t i = 0; i < count; ++i) program.loss.push_back(metric.points[i].value);
    } else if (count > 0) {
      program.metrics[std::string(metric.name)] = metric.points[count - 1].value;
    }
  }
}

}  // namespace

bool names_recording(const std::string& name) {
  const auto& samples = sample_registry();
  if (std::any_of(samples.begin(), samples.end(), [&](const SampleInfo& info) { return info.name == name; }))
    return false;
  return name == "-" || name.ends_with(".tape") || name.find('/') != std::string::npos ||
         std::filesystem::exists(name);
}

std::vector<std::string> variants_of(const std::string& sample) {
  for (const SampleInfo& info : sample_registry()) {
    if (info.name == sample) return info.variants;
  }
  return {};
}

std::vector<std::string> source_paths_of(const ProgramFacts& facts, std::string_view file) {
  std::vector<std::string> paths;
  const auto known = facts.find(std::string(record::kSourceFact) + std::string(file));
  if (known != facts.end()) paths.push_back(known->second);
  paths.emplace_back(file);
  return paths;
}

std::vector<std::string> source_paths_here(std::string_view file) {
  return source_paths_of(record::process_facts(), file);
}

std::vector<std::string> source_paths_in(const std::string& folder, const ProgramFacts& facts,
                                         std::string_view file) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path here = fs::current_path(none);
  const char* const home = std::getenv("HOME");
  const bool at_home = none || (home && lies_in(fs::path(home) / "file", here));
  const std::string mark = text_of(facts, (std::string(record::kSourceMarkFact) + std::string(file)).c_str());
  std::vector<std::string> paths = source_paths_of(facts, file);
  paths.push_back((fs::path(folder) / file).string());
  std::erase_if(paths, [&](const std::string& path) {
    const bool inside =
        lies_in(path, folder.empty() ? here : fs::path(folder)) || (!at_home && lies_in(path, here));
    return !inside && (mark.empty() || record::source_mark(path) != mark);
  });
  return paths;
}

ProgramFacts facts_of(const RunRequest& request) {
  ProgramFacts facts = record::process_facts();
  facts["name"] = request.sample;
  facts["variant"] = request.options.variant;
  if (!request.compare_with.empty()) facts["compare_with"] = request.compare_with;
  facts["seed"] = std::to_string(request.options.seed);
  facts["threads"] = std::to_string(request.options.threads);
  if (request.options.steps) facts["steps"] = std::to_string(*request.options.steps);
  for (const auto& [name, value] : request.options.parameters) facts[std::string(kParameter) + name] = value;
  return facts;
}

RunRequest request_of(const ProgramFacts& facts) {
  RunRequest request;
  request.sample = text_of(facts, "name");
  request.options.variant = text_of(facts, "variant");
  request.compare_with = text_of(facts, "compare_with");
  request.options.seed = number_of<std::uint64_t>(facts, "seed", 1);
  request.options.threads = number_of(facts, "threads", 1);
  if (facts.contains("steps")) request.options.steps = number_of<std::int64_t>(facts, "steps", 0);
  for (const auto& [key, value] : facts) {
    if (key.starts_with(kParameter)) request.options.parameters[key.substr(kParameter.size())] = value;
  }
  return request;
}

void note_paused_at(ProgramFacts& facts, const PausedAt& at) {
  facts["paused_step"] = std::to_string(at.step);
  facts["paused_node"] = std::to_string(at.place.node);
  facts["paused_inner"] = std::to_string(at.place.inner);
}

std::optional<PausedAt> paused_at(const ProgramFacts& facts) {
  if (!facts.contains("paused_step")) return std::nullopt;
  const auto number = [&](const char* key) { return number_of<std::uint64_t>(facts, key, 0); };
  return PausedAt{number("paused_step"), {number("paused_node"), number("paused_inner")}};
}

void note_planned_steps(ProgramFacts& facts, std::uint64_t steps) {
  facts["planned_steps"] = std::to_string(steps);
}

std::uint64_t planned_steps(const ProgramFacts& facts) {
  return number_of<std::uint64_t>(facts, "planned_steps", number_of<std::uint64_t>(facts, "steps", 0));
}

std::string unseen_by(const ProgramFacts& facts) { return text_of(facts, "unseen"); }

std::string ending_of(const HeadlessRun& run) {
  if (run.interrupted) return "interrupted";
  if (!run.failure) return "finished";
  try {
    std::rethrow_exception(run.failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::vector<ProgramResults> results_of(const HeadlessRun& run) {
  std::vector<ProgramResults> all;
  const std::uint32_t programs = run.request.compare_with.empty() ? 1 : 2;
  for (std::uint32_t p = 0; p < programs; ++p) {
    const ProgramResult& from = run.programs[p];
    ProgramResults results;
    results.program = p;
    results.loss = from.loss;
    results.step_us = from.step_us;
    if (from.left > 0) results.notes.emplace_back(kStepsLeft, std::to_string(from.left));
    results.metrics.assign(from.metrics.begin(), from.metrics.end());
    results.outputs = recorded_values(from.outputs);
    results.gradients = recorded_values(from.gradients);
    for (const SampleError& error : from.errors) results.errors.emplace_back(error.where, error.message);
    if (p == 0) {
      const std::string ending = ending_of(run);
      if (run.failure) results.notes.emplace_back("failure", ending);
      if (programs == 2) {
        const ComparisonResult& c = run.comparison;
        results.notes.insert(results.notes.end(),
                             {{"same_loss", c.same_loss ? "1" : "0"},
                              {"same_gradients", c.same_gradients ? "1" : "0"},
                              {"max_loss_difference", fmt::format("{}", c.max_loss_difference)},
                              {"max_gradient_difference", fmt::format("{}", c.max_gradient_difference)},
                              {"first_difference", c.first_difference}});
      }
    }
    all.push_back(std::move(results));
  }
  return all;
}

RunEnding ending_of_recording(const RecordingSource::State& state) {
  if (const std::string lacks = text_of(*state.facts, "recovered"); !lacks.empty())
    return {.loss = "recovered from a damaged recording: " + lacks, .damaged = true};
  // Records that only a newer Tapescope knows are missed, and are no end.
  if (!state.ended) return {};
  return {.program = state.ending,
          .loss = state.has_end && !state.damaged ? std::string() : state.loss,
          .damaged = state.damaged};
}

HeadlessRun run_of_recording(const RecordingSource::State& state,
                             const std::shared_ptr<const Snapshot> (&snapshots)[2]) {
  HeadlessRun run;
  run.request = request_of(*state.facts);
  run.facts = *state.facts;
  run.ending = ending_of_recording(state);
  const auto number = [](const ProgramResults& results, std::string_view key) {
    const std::string text = note_of(results, key);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  for (std::size_t p = 0; p < 2; ++p) {
    if (p == 1 && run.request.compare_with.empty()) break;
    ProgramResult& to = run.programs[p];
    run.snapshots[p] = snapshots[p];
    to.variant = p == 0 ? run.request.options.variant : run.request.compare_with;
    const auto found = std::find_if(state.results.begin(), state.results.end(),
                                    [&](const ProgramResults& r) { return r.program == p; });
    if (found == state.results.end()) {
      if (snapshots[p]) add_from_events(to, *snapshots[p]);
      continue;
    }
    to.loss = found->loss;
    to.step_us = found->step_us;
    to.left = static_cast<std::uint64_t>(number(*found, kStepsLeft));
    to.metrics.insert(found->metrics.begin(), found->metrics.end());
    to.outputs = outputs_of(found->outputs);
    to.gradients = outputs_of(found->gradients);
    for (const auto& [where, message] : found->errors) to.errors.push_back({where, message});
    run.origins[p] = origin_of(*found);
    if (snapshots[p] && snapshots[p]->complete) run.zeros[p] = zeros_of(*found);
    if (p > 0) continue;
    if (const std::string failure = note_of(*found, "failure"); !failure.empty()) {
      run.failure = std::make_exception_ptr(Error(ErrorKind::runtime, failure));
    }
    run.comparison.same_loss = note_of(*found, "same_loss") != "0";
    run.comparison.same_gradients = note_of(*found, "same_gradients") != "0";
    run.comparison.max_loss_difference = number(*found, "max_loss_difference");
    run.comparison.max_gradient_difference = number(*found, "max_gradient_difference");
    run.comparison.first_difference = note_of(*found, "first_difference");
  }
  run.steps = run.programs[0].step_us.size() + run.programs[0].left;
  if (snapshots[0] && run.steps == snapshots[0]->steps.size()) run.steps = snapshots[0]->steps.count();
  return run;
}

namespace {

HeadlessRun read_with(const std::string& path, StoreOptions options, bool by_digests = false) {
  record::RecordingReader reader = record::RecordingReader::open(path, {.digests = by_digests});
  RecordingSource::State state;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  options.source_paths = [&](std::string_view file) { return source_paths_in(folder, *state.facts, file); };
  Store a(0, options), b(1, options);
  Store* const stores[] = {&a, &b};
  Router router(stores);
  state = read_into(reader, router, stores);
  if (!state.loss.empty()) complain(state.loss);
  for (Store* store : stores) store->publish();
  HeadlessRun run = run_of_recording(state, {a.snapshot(), b.snapshot()});
  if (run.request.sample.empty()) run.request.sample = std::filesystem::path(path).stem().string();
  return run;
}

}  // namespace

HeadlessRun read_recording(const std::string& path, bool by_digests) {
  return read_with(path, {}, by_digests);
}

HeadlessRun read_all_steps(const std::string& path) {
  constexpr std::size_t kAll = ~std::size_t{0};
  return read_with(path, {.held_steps = kAll,
                          .held_bytes = std::size_t{1} << 30,
                          .recent_steps = kAll,
                          .recent_ops = 4'000'000});
}

Comparison compare_recordings(const HeadlessRun& a, const HeadlessRun& b) {
  Comparison c;
  c.a = report_of(a, 0);
  c.b = report_of(b, 0);
  add_results(c, compare_results(a.programs[0], b.programs[0], a.snapshots[0].get(), b.snapshots[0].get()));
  c.interleaved = false;
  if (a.snapshots[0] && b.snapshots[0]) {
    add_unpaired_ratios(c, a.snapshots[0]->steps, b.snapshots[0]->steps);
    if (a.snapshots[0]->complete && b.snapshots[0]->complete) {
      add_alignment(c, *a.snapshots[0]->complete, *b.snapshots[0]->complete);
    }
  }
  c.verdict = verdict_of(c);
  return c;
}

}  // namespace tapescope

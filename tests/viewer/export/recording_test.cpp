// A recording shows what the run showed: every field of the report and of the explanations, for every sample.
#include <fstream>

#include "engine/core/error.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"
#include "viewer/debugger/recording.h"
#include "viewer/export/report_json.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

HeadlessRun recorded_run(const std::string& sample, const std::string& variant, const std::string& path,
                         std::optional<std::int64_t> steps = {}) {
  RunRequest request;
  request.sample = sample;
  request.options.variant = variant;
  request.options.steps = steps;
  return run_headless(request, path);
}

// As a rank of a job would have recorded the same. How many records are read of it by its digests.
std::size_t copy_as_rank(const std::string& from, const std::string& to) {
  using Item = record::RecordingReader::Item;
  record::RecordingReader reader = record::RecordingReader::open(from);
  REQUIRE(reader.next() == Item::facts);
  record::ProgramFacts facts = reader.facts();
  facts["rank"] = "0";
  record::RecordingWriter writer(record::open_sink(to), facts);
  for (Item item = reader.next(); item != Item::end; item = reader.next()) {
    if (item == Item::statistics) writer.add_statistics(reader.statistics());
    if (item == Item::results) writer.add_results(reader.results());
    if (item != Item::events) continue;
    std::size_t at = 0;
    for (const record::EventBlock::Batch& batch : reader.events().batches) {
      writer.add(batch.thread, std::span(reader.events().records).subspan(at, batch.count));
      at += batch.count;
    }
  }
  writer.finish("finished", 0, 0);
  record::RecordingReader by_digests = record::RecordingReader::open(to, {.digests = true});
  return read_back(by_digests).records.size();
}

}  // namespace

TEST_CASE("A rank's recording shows by its digests what all of its events show", "[record][samples]") {
  const TemporaryFolder folder;
  const std::string plain = folder / "plain.tape", path = folder / "rank.tape";
  struct Case {
    const char *sample, *variant;
    std::int64_t steps;
  };
  for (const auto& [sample, variant, steps] :
       {Case{"data-parallel", "optimized", 400}, Case{"data-parallel", "unoptimized", 400},
        Case{"linear-regression", "unoptimized", 2000}, Case{"linear-regression", "optimized", 3000},
        Case{"persistent", "persistent", 2000}}) {
    INFO(sample << " " << variant);
    recorded_run(sample, variant, plain, steps);
    const std::size_t read = copy_as_rank(plain, path);
    const HeadlessRun all = read_recording(path), most = read_recording(path, true);
    REQUIRE((all.snapshots[0] && most.snapshots[0]));
    const Snapshot &a = *all.snapshots[0], &b = *most.snapshots[0];
    CHECK(read < a.events);
    CHECK(b.events == a.events);
    const RunReport before = report_of(all, 0), after = report_of(most, 0);
    CHECK(json_text(json_of(after)) == json_text(json_of(before)));
    CHECK(json_text(explain_json(after)) == json_text(explain_json(before)));
    REQUIRE(b.steps.size() == a.steps.size());
    for (std::size_t i = 0; i < a.steps.size(); ++i) {
      const StepSummary &x = a.steps[i], &y = b.steps[i];
      REQUIRE(y.step == x.step);
      CHECK(y.begin_us == x.begin_us);
      CHECK(y.step_us == x.step_us);
      CHECK(y.forward_us == x.forward_us);
      CHECK(y.backward_us == x.backward_us);
      CHECK(y.update_us == x.update_us);
      CHECK(y.exchange_us == x.exchange_us);
      CHECK(y.exchange_op == x.exchange_op);
      CHECK(y.exchange_site == x.exchange_site);
      CHECK(y.asks == x.asks);
      CHECK(y.nones == x.nones);
      CHECK(y.counts.executed == x.counts.executed);
      CHECK(y.counts.recorded == x.counts.recorded);
      CHECK(y.counts.not_recorded == x.counts.not_recorded);
      CHECK(y.counts.backward_ops == x.counts.backward_ops);
    }
    CHECK(b.held.size() == a.held.size());
    REQUIRE(b.replicas.size() == a.replicas.size());
    for (std::size_t i = 0; i < a.replicas.size(); ++i) {
      REQUIRE(b.replicas[i].points.size() == a.replicas[i].points.size());
      for (std::size_t j = 0; j < a.replicas[i].points.size(); ++j)
        CHECK(b.replicas[i].points[j].value == a.replicas[i].points[j].value);
    }
    REQUIRE(b.op_kinds.size() == a.op_kinds.size());
    for (std::size_t i = 0; i < a.op_kinds.size(); ++i) {
      CHECK(b.op_kinds[i].op == a.op_kinds[i].op);
      CHECK(b.op_kinds[i].call_p10 == a.op_kinds[i].call_p10);
      CHECK(b.op_kinds[i].call_median == a.op_kinds[i].call_median);
      CHECK(b.op_kinds[i].call_p90 == a.op_kinds[i].call_p90);
    }
  }
}

TEST_CASE("Opening a recording shows what the run showed, for every sample and variant",
          "[record][samples]") {
  const TemporaryFolder folder;
  const std::string path = folder / "run.tape";
  for (const SampleInfo& info : sample_registry()) {
    for (const std::string& variant : info.variants) {
      INFO(info.name << " " << variant);
      // A long training is cut short: what is to be equal is there after some steps.
      const std::uint64_t steps = std::min<std::uint64_t>(
          default_steps_of({.sample = info.name, .options = {.variant = variant}}), 30);
      const HeadlessRun live = recorded_run(info.name, variant, path, static_cast<std::int64_t>(steps));
      CHECK(live.record_failure.empty());
      const HeadlessRun opened = read_recording(path);
      const RunReport before = report_of(live, 0), after = report_of(opened, 0);
      CHECK(json_text(json_of(after)) == json_text(json_of(before)));
      CHECK(json_text(explain_json(after)) == json_text(explain_json(before)));
      CHECK(after.failure == before.failure);
      REQUIRE(live.snapshots[0]);
      const Snapshot &a = *live.snapshots[0], &b = *opened.snapshots[0];
      CHECK(b.events == a.events);
      REQUIRE(b.steps.size() == a.steps.size());
      for (std::size_t i = 0; i < a.steps.size(); ++i) {
        CHECK(b.steps[i].step == a.steps[i].step);
        CHECK(b.steps[i].step_us == a.steps[i].step_us);
        CHECK(b.steps[i].backward_us == a.steps[i].backward_us);
      }
      REQUIRE(b.metrics.size() == a.metrics.size());
      REQUIRE(b.log.size() == a.log.size());
      REQUIRE(static_cast<bool>(b.complete) == static_cast<bool>(a.complete));
      if (!a.complete) continue;
      REQUIRE(b.complete->ops.size() == a.complete->ops.size());
      for (std::size_t i = 0; i < a.complete->ops.size(); ++i) {
        const OpRow &x = a.complete->ops[i], &y = b.complete->ops[i];
        CHECK(y.name == x.name);
        CHECK(y.types == x.types);
        CHECK(y.location == x.location);
        CHECK(y.scope == x.scope);
        CHECK(y.duration_us == x.duration_us);
        CHECK(y.output == x.output);
        CHECK(y.node == x.node);
      }
    }
  }
}

TEST_CASE("A comparison's recording gives the comparison back", "[record]") {
  const TemporaryFolder folder;
  RunRequest request;
  request.sample = "preprocessing";
  request.options.variant = "unoptimized";
  request.compare_with = "optimized";
  request.options.steps = 20;
  const HeadlessRun live = run_headless(request, folder / "both.tape");
  const HeadlessRun opened = read_recording(folder / "both.tape");
  CHECK(json_text(json_of(comparison_of(opened))) == json_text(json_of(comparison_of(live))));
}

TEST_CASE("No sample's backward pass has a part that no kind of op is charged with", "[samples]") {
  int passes = 0;
  for (const SampleInfo& info : sample_registry()) {
    for (const std::string& variant : info.variants) {
      INFO(info.name << " " << variant);
      const HeadlessRun run =
          recorded_run(info.name, variant, "", 1);  // of several steps there are medians, which do not add up
      REQUIRE(run.snapshots[0]);
      double charged = 0, ran = 0;
      for (const OpKindRow& kind : run.snapshots[0]->op_kinds)
        charged += kind.backward_us, ran += kind.backward_run_us;
      CHECK(charged == Approx(ran));
      passes += ran > 0;
    }
  }
  CHECK(passes > 50);
}

TEST_CASE("Two recordings are compared with the spread of each", "[record]") {
  const TemporaryFolder folder;
  recorded_run("preprocessing", "unoptimized", folder / "a.tape", 40);
  recorded_run("preprocessing", "optimized", folder / "b.tape", 40);
  const Comparison c =
      compare_recordings(read_recording(folder / "a.tape"), read_recording(folder / "b.tape"));
  CHECK_FALSE(c.interleaved);
  CHECK(c.a.variant == "unoptimized");
  CHECK(c.b.variant == "optimized");
  CHECK(c.step.low <= c.step.value);
  CHECK(c.step.value <= c.step.high);
  CHECK(c.both + c.only_a + c.only_b + c.changed > 0);
  CHECK_THAT(comparison_text(c), contains_text("measured in different runs"));
  const Comparison self =
      compare_recordings(read_recording(folder / "a.tape"), read_recording(folder / "a.tape"));
  CHECK(self.same_loss);
  CHECK(self.same_gradients);
  CHECK(self.step.value == 1);
}

TEST_CASE("What a recording lacks costs a sentence, not the report", "[record]") {
  const TemporaryFolder folder;
  const HeadlessRun live = recorded_run("none-gradients", "paused", folder / "whole.tape");
  std::ifstream file(folder / "whole.tape", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  // Without the results and the end, the events still say why.
  record::RecordingReader reader = record::RecordingReader::open(folder / "whole.tape");
  using Item = record::RecordingReader::Item;
  std::uint64_t before_results = 0;
  for (Item item = reader.next(); item != Item::results; item = reader.next())
    before_results = reader.position();
  write_file(folder / "cut.tape", std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<std::size_t>(before_results)));
  const RunReport whole = report_of(live, 0);
  RunReport cut = report_of(read_recording(folder / "cut.tape"), 0);
  // Where its source lies, in which the target is called y, is among the results.
  REQUIRE(cut.gradients.size() == 1);
  cut.gradients[0].target = whole.gradients[0].target;
  CHECK(json_text(gradients_json(cut.gradients, true)) == json_text(gradients_json(whole.gradients, true)));
  // That it was cut off is one alert more.
  CHECK(std::erase_if(cut.alerts, [](const AlertRow& alert) { return alert.kind == "truncated"; }) == 1);
  CHECK(json_text(alerts_json(cut.alerts)) == json_text(alerts_json(whole.alerts)));
  CHECK(cut.steps == whole.steps);
  CHECK(cut.outputs.empty());
}

TEST_CASE("A run whose recording cannot be written runs all the same", "[record]") {
  const HeadlessRun run = recorded_run("derivative", "", "/nonexistent/folder/a.tape");
  CHECK_THAT(run.record_failure, contains_text("cannot record to /nonexistent/folder/a.tape"));
  CHECK(run.steps == 1);
  CHECK(report_of(run, 0).outputs.size() == 1);
  const HeadlessRun full = recorded_run("derivative", "", "/dev/full");
  CHECK_THAT(full.record_failure, contains_text("cannot go on recording to /dev/full"));
  CHECK(full.steps == 1);
}

TEST_CASE("A name means a file where it is no sample's and looks like one", "[record]") {
  CHECK(names_recording("a.tape"));
  CHECK(names_recording("-"));
  CHECK(names_recording("./mnist-mlp"));
  CHECK_FALSE(names_recording("mnist-mlp"));
  CHECK_FALSE(names_recording("mnist-mpl"));
}

// doctor and recover: what a recording holds and lacks, and what can be saved of a damaged one.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/recording/examine.h"
#include "viewer/cli/cli.h"
#include "viewer/export/report_json.h"
#include "viewer/model/typed_text.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

using record::Examination;

std::string_view name_of_kind(std::uint8_t kind) {
  switch (static_cast<record::ChunkKind>(kind)) {
    case record::ChunkKind::program: return "program";
    case record::ChunkKind::definitions: return "definitions";
    case record::ChunkKind::events: return "events";
    case record::ChunkKind::statistics: return "statistics";
    case record::ChunkKind::results: return "results";
    case record::ChunkKind::values: return "values";
    case record::ChunkKind::end: return "end";
    case record::ChunkKind::former_digest: return "digest of an earlier version";
    case record::ChunkKind::digest: return "digest";
    case record::ChunkKind::statistics_digest: return "digest of statistics";
  }
  return "of a newer version";
}

std::string fact(const Examination& found, const char* key) {
  const auto at = found.facts.find(key);
  return at == found.facts.end() ? std::string() : at->second;
}

std::string plural(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// What is missing, a sentence each.
std::vector<std::string> lacks_of(const Examination& found) {
  std::vector<std::string> lacks;
  if (found.header_damaged) lacks.emplace_back("its first bytes are damaged");
  for (const Examination::Gap& gap : found.gaps) {
    lacks.push_back(gap.at_end ? fmt::format("it is cut off or damaged from byte {} on: {}", gap.at,
                                             plural(gap.bytes, "byte"))
                               : fmt::format("{} from byte {} on are damaged; what follows can be read",
                                             plural(gap.bytes, "byte"), gap.at));
  }
  if (!found.end) lacks.emplace_back("it has no last chunk: its program was killed, or still runs");
  const std::uint64_t lost = std::max(found.lost_events, found.end ? found.end->lost_events : 0);
  if (lost > 0)
    lacks.push_back(fmt::format("{} were dropped while it was written: the disk was slower than the program",
                                plural(lost, "event")));
  if (found.unknown_events > 0)
    lacks.push_back(
        fmt::format("{} of kinds that only a newer Tapescope knows", plural(found.unknown_events, "record")));
  if (const std::string recovered = fact(found, "recovered"); !recovered.empty())
    lacks.push_back("it was recovered: " + recovered);
  return lacks;
}

std::string ending_text(const Examination& found) {
  return found.ending ? sentence_of(*found.ending) : "how the program ended is not known";
}

int doctor_command(const std::string& path, const std::string& json) {
  const Examination found = record::examine(path);
  const std::vector<std::string> lacks = lacks_of(found);
  std::string text =
      fmt::format("{}: {} of {}, format {}.{}\n", path, format_bytes(static_cast<double>(found.bytes)),
                  fact(found, "name"), found.version.major, found.version.minor);
  if (const std::string rank = fact(found, "rank"); !rank.empty()) {
    const std::string size = fact(found, "size"), job = fact(found, "job");
    text += fmt::format("  process rank {}{}{} on {}\n", rank, size.empty() ? "" : " of " + size,
                        job.empty() ? "" : " of job " + job, fact(found, "host"));
  }
  text += fmt::format("  holds   {}, {}", plural(found.steps, "step"), plural(found.events, "event"));
  Json kinds = Json::object();
  for (const auto& [kind, of] : found.kinds) {
    kinds[std::string(name_of_kind(kind))] = {{"chunks", of.chunks}, {"bytes", of.bytes}};
    if (static_cast<record::ChunkKind>(kind) == record::ChunkKind::values)
      text += fmt::format(", values in {}", plural(of.chunks, "chunk"));
  }
  if (found.tail_chunks > 0)
    text += fmt::format(", of them {} in its tail", plural(found.tail_chunks, "chunk"));
  text += fmt::format("\n  ended   {}\n", ending_text(found));
  for (const std::string& one : lacks) text += fmt::format("  lacks   {}\n", one);
  if (lacks.empty()) text += "  lacks   nothing\n";
  if (!found.whole())
    text += fmt::format("  fix     'tapescope recover {} -o OUT' saves what can be read\n", shell_word(path));
  Json gaps = Json::array();
  for (const Examination::Gap& gap : found.gaps) gaps.push_back({{"at", gap.at}, {"bytes", gap.bytes}});
  if (json != "-") write_output("-", text);
  if (!json.empty()) {
    write_output(json, json_text({{"schema", 1},
                                  {"file", path},
                                  {"whole", found.whole()},
                                  {"bytes", found.bytes},
                                  {"version", fmt::format("{}.{}", found.version.major, found.version.minor)},
                                  {"sample", fact(found, "name")},
                                  {"host", fact(found, "host")},
                                  {"rank", fact(found, "rank")},
                                  {"size", fact(found, "size")},
                                  {"job", fact(found, "job")},
                                  {"steps", found.steps},
                                  {"events", found.events},
                                  {"chunks", std::move(kinds)},
                                  {"tail_chunks", found.tail_chunks},
                                  {"damaged", std::move(gaps)},
                                  {"lacks", lacks},
                                  {"ending", ending_text(found)}}));
  }
  return found.whole() ? kExitDone : kExitFired;
}

int recover_command(const std::string& path, const std::string& out) {
  const Examination found = record::recover(path, out);
  write_output("-", fmt::format("{}: {} and {} saved", out, plural(found.steps, "step"),
                                plural(found.events, "event")));
  const std::uint64_t damaged = found.damaged_bytes();
  write_output("-", damaged == 0 ? ", nothing was damaged\n"
                                 : fmt::format(", {} left out\n", plural(damaged, "byte")));
  return kExitDone;
}

}  // namespace

void add_doctor_command(CliCommand& root) {
  auto path = std::make_shared<std::string>(), json = std::make_shared<std::string>();
  CliCommand command =
      root.subcommand("doctor", "say what a recording holds and lacks; exit with 1 when it is not whole");
  command.option("file", *path, "the recording").required().type_name("FILE");
  command.option("--json", *json, "write the JSON document to FILE; '-' is standard output, and nothing else")
      .type_name("FILE");
  command.run([path, json] { return doctor_command(*path, *json); });
}

void add_recover_command(CliCommand& root) {
  auto path = std::make_shared<std::string>(), out = std::make_shared<std::string>();
  CliCommand command =
      root.subcommand("recover", "write what can be read of a damaged recording into a new one");
  command.option("file", *path, "the recording").required().type_name("FILE");
  command.option("-o,--out", *out, "the new recording").required().type_name("OUT");
  command.run([path, out] { return recover_command(*path, *out); });
}

}  // namespace tapescope

// What a recording says beside its records is put into the pictures of its steps, by whichever thread shows
// them.
#include "viewer/debugger/recorded_findings.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

constexpr int kReaders = 3, kRounds = 200;

std::shared_ptr<const Snapshot> picture(std::uint64_t version) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->version = version;
  return snapshot;
}

AlertRow cut_off(int round) {
  return {.kind = "truncated", .subject = "run", .message = std::to_string(round)};
}

}  // namespace

TEST_CASE("without findings a picture is shown as it is, with one it is another picture", "[findings]") {
  RecordedFindings findings;
  const auto plain = picture(7);
  CHECK(findings.with_findings(plain) == plain);
  findings.know_end(cut_off(1));
  const auto shown = findings.with_findings(plain);
  REQUIRE(shown != plain);
  CHECK(shown->version != plain->version);
  REQUIRE(shown->alerts.size() == 1);
  CHECK(shown->alerts.front().message == "1");
  CHECK(plain->alerts.empty());
  // The same picture again until more is known, or until the program goes on.
  CHECK(findings.with_findings(plain) == shown);
  findings.know_end(cut_off(2));
  CHECK(findings.with_findings(plain)->alerts.front().message == "2");
  const auto next = picture(8);
  CHECK(findings.with_findings(next)->version == shown->version + 1);
  // Of a later step than the one that is shown: no zeros are proved here.
  findings.know(3, std::nullopt, {ZeroProof{}});
  CHECK(findings.with_findings(next)->alerts.size() == 1);
  findings.know_end(std::nullopt);
  CHECK(findings.with_findings(next) == next);
}

TEST_CASE("findings that become known while others draw reach every later picture", "[findings][threads]") {
  RecordedFindings findings;
  const auto first = picture(1), second = picture(2);
  std::atomic<int> known{0}, wrong{0};
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < kReaders; ++i) {
      readers.emplace_back([&](const std::stop_token& stop) {
        for (int round = 0; !stop.stop_requested(); ++round) {
          const auto& drawn = round % 2 ? first : second;
          const int before = known;
          const auto shown = findings.with_findings(drawn);
          if (before == 0) continue;
          wrong += shown->alerts.size() != 1 || std::stoi(shown->alerts.front().message) < before ||
                   (shown->version & 3) != drawn->version;
        }
      });
    }
    for (int round = 1; round <= kRounds; ++round) {
      findings.know_end(cut_off(round));
      findings.know(static_cast<std::uint64_t>(round), std::nullopt, {});
      known = round;
    }
  }
  CHECK(wrong == 0);
  CHECK(findings.with_findings(first)->alerts.front().message == std::to_string(kRounds));
}

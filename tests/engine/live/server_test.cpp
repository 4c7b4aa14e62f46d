// What a viewer gets, and what it cannot do to a program.
#include "engine/live/server.h"

#include <sys/un.h>

#include <filesystem>

#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"
#include "engine/gate/state.h"

#include "engine/explain/retrace.h"
#include "engine/graph/function.h"
#include "tests/engine/live/attached.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::live;
using tapescope::test::Attached;
using tapescope::test::ReadBack;
using tapescope::test::TemporaryFolder;
using tapescope::test::Training;

namespace {

template <class R>
std::uint64_t count_of(const ReadBack& recording) {
  return static_cast<std::uint64_t>(std::count_if(recording.records.begin(), recording.records.end(),
                                                  [](const Record& r) { return r.is<R>(); }));
}

// Numbers of the steps that began, or ended, in order.
template <class R = StepBeginRecord>
std::vector<std::uint64_t> steps_of(const ReadBack& recording) {
  std::vector<std::uint64_t> steps;
  for (const Record& record : recording.records) {
    if (record.is<R>()) steps.push_back(record.as<R>().step);
  }
  return steps;
}

bool without_gaps(const std::vector<std::uint64_t>& steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i] != steps[i - 1] + 1) return false;
  }
  return !steps.empty();
}

// Waits for some steps to pass.
void let_run(Training& training, std::uint64_t steps) {
  const std::uint64_t end = training.steps() + steps;
  for (int i = 0; i < 1000 && training.steps() < end; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

TEST_CASE("a viewer gets whole steps from its attachment to the end, in between another one does",
          "[live][threads]") {
  TemporaryFolder folder;
  Server server(folder / "");
  Training training;
  let_run(training, 5);
  {
    Attached first(server.path());
    CHECK(first.greeting().pid == static_cast<std::uint64_t>(getpid()));
    CHECK(first.greeting().attached == 0);
    REQUIRE(first.wait([&] { return first.tape.size() > 4000; }));
    const ReadBack recording = first.recording();
    CHECK(without_gaps(steps_of(recording)));
    // Made before it attached, and sent all the same.
    const auto variable =
        std::find_if(recording.records.begin(), recording.records.end(), [](const Record& r) {
          return r.is<VariableRecord>() && name_text(r.as<VariableRecord>().name) == "w";
        });
    CHECK(variable != recording.records.end());
    CHECK(recording.loss.find("no last chunk") != std::string::npos);
  }
  let_run(training, 5);
  CHECK(Session::active() == nullptr);  // it does not listen, and nothing is left behind

  Attached second(server.path());
  REQUIRE(second.wait([&] { return second.tape.size() > 4000; }));
  training.end();
  server.finish();
  REQUIRE(second.wait_closed());
  CHECK(second.goodbye);
  const ReadBack recording = second.recording();
  CHECK(recording.whole);
  CHECK(recording.summary.lost_events == 0);
  CHECK(recording.summary.reason == "finished");
  const auto steps = steps_of(recording);
  CHECK(without_gaps(steps));
  CHECK(steps.back() + 1 == training.steps());
  // It may attach in the middle of a step, and then hears how that one ends.
  auto ends = steps_of<StepEndRecord>(recording);
  if (ends.front() + 1 == steps.front()) ends.erase(ends.begin());
  CHECK(ends == steps);
  CHECK(recording.records.size() == recording.summary.events);
  CHECK_FALSE(std::filesystem::exists(server.path()));
}

TEST_CASE("what was traced before a viewer attached is sent: which calls traced, and why again", "[live]") {
  TemporaryFolder folder;
  Server server(folder / "");
  Function twice("twice", [](const Tensor& x) { return x + x; });
  twice(constant({1.0, 2.0}));
  twice(constant({1.0, 2.0}));
  twice(constant({1.0, 2.0, 3.0}));
  {
    Function gone("gone", [](const Tensor& x) { return x * x; });
    gone(constant(1.0));
  }
  Training training;
  Attached viewer(server.path());
  REQUIRE(viewer.wait([&] { return viewer.tape.size() > 4000; }));
  FunctionLog log;
  for (const Record& record : viewer.recording().records) log.add(1, record);
  const auto accounts = log.accounts();
  const auto account = std::find_if(accounts.begin(), accounts.end(),
                                    [](const FunctionAccount& f) { return f.name == "twice"; });
  REQUIRE(account != accounts.end());
  CHECK((account->traces == 2 && account->calls == 3));
  REQUIRE(account->retraces.size() == 1);
  const RetraceReason& reason = account->retraces[0];
  CHECK((reason.call == 3 && reason.kind == "shape" && reason.from == "[2]" && reason.to == "[3]"));
  // What is no more is not sent.
  CHECK(std::none_of(accounts.begin(), accounts.end(),
                     [](const FunctionAccount& f) { return f.name == "gone"; }));
}

TEST_CASE("one viewer at a time, of the same version", "[live]") {
  TemporaryFolder folder;
  Server server(folder / "");
  Attached first(server.path());
  REQUIRE(first.wait([&] { return !first.tape.empty(); }));
  Attached second(server.path());
  CHECK(second.greeting().attached == static_cast<std::uint64_t>(getpid()));
  REQUIRE(second.wait_closed());
  CHECK(second.refusal.find("is attached to") != std::string::npos);
  first.leave();
  Attached other(server.path(), kProtocol + 1);
  REQUIRE(other.wait_closed());
  CHECK(other.refusal.find("speaks version " + std::to_string(kProtocol) +
                           " of the attachment, this Tapescope version " + std::to_string(kProtocol + 1)) !=
        std::string::npos);

  for (int i = 0; i < 1000 && Session::active(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  Session session;
  session.start();
  Attached third(server.path());
  REQUIRE(third.wait_closed());
  CHECK(third.refusal.find("listens to its own events") != std::string::npos);
}

TEST_CASE("a thousand viewers after each other leave nothing behind, and the program runs on",
          "[live][threads]") {
  TemporaryFolder folder;
  Server server(folder / "");
  Training training;
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  // A guest learns whether the one before it is gone yet.
  const auto is_free = [&] { return connect_to(server.path()).greeting.attached == 0; };
  const auto wait_free = [&] {
    for (int i = 0; i < 2000 && !is_free(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return is_free();
  };
  std::ptrdiff_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    Attached viewer(server.path());
    REQUIRE(viewer.wait([&] { return !viewer.tape.empty(); }));
    // In turn: one that only looks, one that stops the program and leaves it so, one that lets go in words.
    if (i % 3 != 0) viewer.say(FromViewer::pause);
    if (i % 3 == 1) REQUIRE(viewer.wait_paused());
    if (i % 3 == 2) viewer.say(FromViewer::goodbye);
    viewer.leave();
    REQUIRE(wait_free());
    if (i == 10) before = open_descriptors();
  }
  CHECK(open_descriptors() <= before + 2);  // guests that only asked may not be gone yet
  CHECK(Session::active() == nullptr);
  CHECK(training.runs());
}

TEST_CASE("garbage from a peer is answered by hanging up", "[live]") {
  TemporaryFolder folder;
  Server server(folder / "");
  Training training;
  const record::Bytes garbage[] = {
      record::Bytes(100, 0xff), {5, 0, 0, 0, 2, 9, 9, 9, 9, 9}, {0, 0, 0, 0, 77}, {1, 0, 0, 0, 4, 200}};
  for (const record::Bytes& bytes : garbage) {
    // Before it attached, and after.
    Connection guest = connect_to(server.path());
    REQUIRE(send(guest.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
    pollfd end{guest.socket.get(), POLLIN, 0};
    REQUIRE(poll(&end, 1, 5000) == 1);
    std::uint8_t none = 0;
    CHECK(recv(guest.socket.get(), &none, 1, 0) == 0);
    Attached viewer(server.path());
    REQUIRE(viewer.wait([&] { return !viewer.tape.empty(); }));
    viewer.say_bytes(bytes);
    CHECK(viewer.wait_closed());
  }
  CHECK(training.runs());
  // Those who only ask who is there do not keep anybody out.
  std::vector<Connection> idle;
  for (int i = 0; i < 45; ++i) idle.push_back(connect_to(server.path()));
  const auto begin = std::chrono::steady_clock::now();
  Attached viewer(server.path());
  CHECK(viewer.wait([&] { return !viewer.tape.empty(); }));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
}

TEST_CASE("a viewer that hangs up before it is greeted, refused or sent a step harms no program", "[live]") {
  // Writing to one of them raises SIGPIPE, which ends a program, unless the thread or the call keeps it away.
  TemporaryFolder folder;
  Server server(folder / "");
  Training training;
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = server.path();
  REQUIRE(path.size() < sizeof address.sun_path);
  std::copy(path.begin(), path.end(), address.sun_path);
  for (int i = 0; i < 50; ++i) {
    const Descriptor peer(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(shutdown(peer.get(), SHUT_RD) == 0);
  }
  const auto is_left = [](int socket) {
    pollfd end{socket, 0, 0};
    return poll(&end, 1, 5000) == 1 && (end.revents & POLLHUP) != 0;
  };
  {
    const Connection refused = connect_to(path);
    REQUIRE(shutdown(refused.socket.get(), SHUT_RD) == 0);
    record::ByteWriter payload;
    write_attach(payload, static_cast<std::uint64_t>(getpid()), kProtocol + 1);
    record::Bytes out;
    append_message(out, static_cast<std::uint8_t>(FromViewer::attach), payload.bytes());
    REQUIRE(send(refused.socket.get(), out.data(), out.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(out.size()));
    CHECK(is_left(refused.socket.get()));
  }
  {
    Attached fed(path);
    REQUIRE(fed.wait([&] { return !fed.tape.empty(); }));
    REQUIRE(shutdown(fed.socket(), SHUT_RD) == 0);
    CHECK(is_left(fed.socket()));
  }
  CHECK(training.runs());
  Attached viewer(path);
  CHECK(viewer.wait([&] { return !viewer.tape.empty(); }));
}

TEST_CASE("what a viewer that does not read cannot take is dropped and counted; the program runs", "[live]") {
  TemporaryFolder folder;
  Server server(folder / "");
  Attached viewer(server.path());
  REQUIRE(viewer.wait([&] { return !viewer.tape.empty(); }));
  // Records whose fields are noise fill what waits for a viewer soon.
  std::uint64_t written = 0, noise = 1;
  const auto write = [&](std::uint64_t records) {
    for (std::uint64_t i = 0; i < records; ++i) {
      noise = noise * 6364136223846793005u + 1442695040888963407u;
      state().note(HostReadRecord{.mark = static_cast<std::uint16_t>(noise >> 40),
                                  .tensor = noise,
                                  .printed = ~noise,
                                  .order = noise ^ noise >> 9});
      ++written;
    }
  };
  for (int i = 0; i < 40; ++i) {
    write(40'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(8));
  }
  REQUIRE(viewer.wait([&] { return viewer.tape.size() > (4u << 20); }));
  // The count of what it missed follows when it reads again, and at the end at the latest.
  const int waits = GENERATE(0, 50);
  for (int i = 0; i < waits; ++i) {
    write(10);
    viewer.wait([&, end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10)] {
      return std::chrono::steady_clock::now() > end;
    });
  }
  std::thread end([&] { server.finish(); });
  REQUIRE(viewer.wait_closed());
  end.join();
  const ReadBack recording = viewer.recording();
  REQUIRE(recording.whole);
  std::uint64_t lost = 0;
  for (const Record& record : recording.records) {
    if (record.is<LostRecord>()) lost += record.as<LostRecord>().records;
  }
  CHECK(lost > 0);
  CHECK(recording.summary.lost_events == lost);
  CHECK(count_of<HostReadRecord>(recording) + lost == written);
}

TEST_CASE("a viewer on a narrow line gets every step, some of them whole, and the one it stops in",
          "[live][threads]") {
  TemporaryFolder folder;
  Server server(folder / "");
  Training training([] {
    return [w = Variable(constant({1.0, -2.0, 3.0}), {.name = "w"})] {
      GradientTape tape;
      auto recording = tape.record();
      Tensor y = w * 1.0;
      for (int i = 0; i < 300; ++i) y = y * 1.5;
    };
  });
  Attached viewer(server.path());
  const auto says_that_nothing_arrived = [&] {
    record::ByteWriter payload;
    write_alive(payload, 0);
    viewer.say(FromViewer::alive, payload);
  };
  const auto thinned = [](const ReadBack& recording) {
    return std::count_if(recording.records.begin(), recording.records.end(), [](const Record& r) {
      return r.is<LostRecord>() && r.as<LostRecord>().thinned != 0;
    });
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  do {
    says_that_nothing_arrived();
    viewer.wait([&, size = viewer.tape.size()] { return viewer.tape.size() > size + 100000; });
  } while (thinned(viewer.recording()) < 20 && std::chrono::steady_clock::now() < end);
  viewer.say(FromViewer::pause);
  REQUIRE(viewer.wait_paused());
  const ReadBack recording = viewer.recording();
  CHECK(thinned(recording) >= 20);
  CHECK(without_gaps(steps_of(recording)));
  // The step it stands in is there up to the op.
  std::uint64_t ops = 0;
  for (const Record& record : recording.records) {
    if (record.is<StepBeginRecord>()) ops = 0;
    ops += record.is<OpRecord>();
  }
  CHECK(ops >= viewer.standing.cursor);
}

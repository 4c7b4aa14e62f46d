// The thread that listens for viewers, and serves the one that is attached.
#pragma once
#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/live/message.h"
#include "engine/live/pilot.h"
#include "engine/live/place.h"
#include "engine/live/thinner.h"
#include "engine/recording/writer.h"

namespace tapescope::live {

// A viewer says every two seconds that it is there.
inline constexpr std::chrono::seconds kSilence{10}, kSignOfLife{2};

class Server {
 public:
  // Begins to listen; where the program `will_stand`, stand(0) is to come. A viewer that is silent for so
  // long hangs, and is given up. Throws Error (surroundings).
  explicit Server(const std::string& folder, std::chrono::milliseconds silence = kSilence,
                  bool will_stand = false);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Sends the viewer the rest, waiting a second for it at most, and ends the thread.
  void finish();
  // In a process that was forked: closes what is the parent's. The server is of no use afterwards, and must
  // not be destroyed.
  void leave_to_parent();
  const std::string& path() const { return path_; }
  std::uint64_t expect_stand() { return pilot_.expect_stand(); }
  // A viewer shows the program. Any thread.
  bool attached() const { return attached_; }
  // On the program's thread; see Pilot.
  bool stand(std::uint64_t before) { return pilot_.stand(before); }

 private:
  using Clock = std::chrono::steady_clock;

  // Connected and not attached yet; most only ask for the name.
  struct Guest {
    Descriptor socket;
    Inbox inbox{kMostFromViewer};
    Clock::time_point since;
  };
  // Bytes for the viewer that its socket did not take yet.
  struct Outbox {
    Bytes bytes;
    std::size_t sent = 0;
    std::size_t waiting() const { return bytes.size() - sent; }
  };
  struct Viewer;
  class TapeSink;

  void loop();
  bool serve(bool busy);
  void drop_all();
  void wait(bool busy);
  void welcome();
  void hear_guests();
  void attach(Guest guest, std::span<const std::uint8_t> payload);
  void refuse(const Guest& guest, const std::string& sentence);
  bool hear_viewer();
  bool take_message(const Inbox::Message& message);
  void report_dropped();
  Thinner::Sink writer();
  std::size_t pump(bool last);
  void tell_standing();
  void tell_hits(bool now);
  bool send();
  void detach();
  void say_goodbye();
  void wake();

  std::string path_;
  std::chrono::milliseconds silence_;
  record::ProgramFacts facts_;
  double since_;
  Descriptor listener_, wake_;
  pid_t owner_;
  Pilot& pilot_;          // never destroyed, as the program's threads may be inside it
  bool crowded_ = false;  // no descriptor is left for another guest
  std::vector<Guest> guests_;
  std::vector<pollfd> polled_;
  std::unique_ptr<Viewer> viewer_;
  std::atomic<bool> attached_{false};  // whether viewer_ is there
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace tapescope::live

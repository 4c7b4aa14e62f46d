// Simulates a tram between two stops; the settings of a run are put together for every call.
#include "report.h"

using namespace tapescope;

struct Settings : Identity {
  double friction = 0.02;
  double seconds = 0.5;
};

Settings settings_of_line(int line) {
  Settings settings;
  settings.friction = line < 10 ? 0.02 : 0.03;
  return settings;
}

struct Tram {
  Variable power{constant(1.5), {.name = "power"}};
  Function<Tensor(const Tensor&, const Tensor&, Settings&)> advance{
      "advance",
      [this](const Tensor& position, const Tensor& speed, Settings& settings) {
        const Tensor faster = speed + settings.seconds * (power - settings.friction * square(speed));
        return position + settings.seconds * faster;
      },
      {.arguments = {"position", "speed", "settings"}}};
};

int main(int argc, char**) {
  const Tram tram;
  Settings once = settings_of_line(5);
  Tensor position = constant(0.0);
  const Tensor speed = constant(3.0);
  for (int tick = 0; tick < 4; ++tick) {
    Settings settings = settings_of_line(5);  //~
    position = tram.advance(position, speed, argc > 1 ? once : settings);  //!
  }
  std::printf("position %.2f\n", element(position, 0));
  report_traces(tram.advance);
}

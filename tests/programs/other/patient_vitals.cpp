// Risk of a patient from those vital signs that were measured; not every ward measures all of them.
#include "report.h"

using namespace tapescope;

using Vitals = std::map<std::string, Tensor>;

struct Risk {
  Variable pulse{constant(0.02), {.name = "by_pulse"}}, fever{constant(0.4), {.name = "by_fever"}};
  Variable oxygen{constant(-0.1), {.name = "by_oxygen"}};

  Tensor of(const Vitals& vitals) const {
    Tensor sum = constant(0.0);
    if (const auto found = vitals.find("pulse"); found != vitals.end()) sum = sum + pulse * found->second;
    if (const auto found = vitals.find("fever"); found != vitals.end()) sum = sum + fever * found->second;
    if (const auto found = vitals.find("oxygen"); found != vitals.end()) sum = sum + oxygen * found->second;
    return sigmoid(sum);
  }
};

int main(int argc, char**) {
  const Risk risk;
  const Function score("risk", [&](const Vitals& vitals) { return risk.of(vitals); },
                       {.arguments = {"vitals"}});
  std::vector<Vitals> patients = {{{"pulse", constant(8.0)}},
                                  {{"pulse", constant(21.0)}, {"fever", constant(1.5)}},
                                  {{"oxygen", constant(-3.0)}, {"pulse", constant(2.0)}}};
  for (Vitals& vitals : patients) {
    if (argc > 1) {
      for (const char* sign : {"pulse", "fever", "oxygen"}) vitals.emplace(sign, constant(0.0));
    }
    std::printf("risk %.2f\n", element(score(vitals), 0));  //!
  }
  report_traces(score);
}

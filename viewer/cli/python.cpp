// python: runs a TensorFlow or PyTorch program under the package that stands beside this binary.
#include <memory>

#include "viewer/cli/cli.h"
#include "viewer/debugger/launch.h"

namespace tapescope {

void add_python_command(CliCommand& root) {
  auto words = std::make_shared<std::vector<std::string>>();
  CliCommand command =
      root.subcommand("python",
                      "run a Python program, unchanged: in the window or, without a display, "
                      "with its answers printed at the end");
  command.takes_everything(
      *words,
      "[--record FILE] [--listen | --wait] [--gui] [--values RULE] [--why] (PROGRAM | -m MODULE | -c CODE) "
      "ARGUMENTS...\n"
      "  is what 'python3 -m tapescope' takes; PYTHON names another Python");
  command.run([words]() -> int {
    if (words->empty())
      throw UsageError("no program to run; give a Python file: tapescope python PROGRAM.py ARGUMENTS");
    become_python(*words);
  });
}

}  // namespace tapescope

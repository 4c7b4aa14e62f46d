// What a command of the command line takes, described without CLI11's header, which costs every file that
// sees it twenty seconds.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tapescope {

class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}
  CommandOption& required();
  CommandOption& type_name(const std::string& name);  // in the help
  CommandOption& between(double low, double high);
  CommandOption& between(int low, int high);
  CommandOption& positive();
  CommandOption& one_of(const std::vector<std::string>& values);
  CommandOption& show_default();
  CommandOption& one_value_each();  // of an option that may be repeated
  CommandOption& excludes(const CommandOption& other);

 private:
  CLI::Option* option_;
};

struct ParsedCommands;

// A command; what it is bound to must outlive the parsing.
class CliCommand {
 public:
  CliCommand(CLI::App* app, ParsedCommands* parsed) : app_(app), parsed_(parsed) {}
  CliCommand subcommand(const std::string& name, const std::string& what);
  // "--name", "-n,--name", or "name" for a positional argument.
  CommandOption option(const std::string& name, std::string& value, const std::string& what);
  CommandOption option(const std::string& name, std::vector<std::string>& value, const std::string& what);
  CommandOption option(const std::string& name, int& value, const std::string& what);
  CommandOption option(const std::string& name, std::int64_t& value, const std::string& what);
  CommandOption option(const std::string& name, std::uint64_t& value, const std::string& what);
  CommandOption option(const std::string& name, double& value, const std::string& what);
  CommandOption flag(const std::string& name, bool& value, const std::string& what);
  // A program and its arguments, which follow `--`; none where no `--` is given.
  void takes_program(std::vector<std::string>& words, const std::string& what);
  // All that follows the command's name, unread, but for --help alone.
  void takes_everything(std::vector<std::string>& words, const std::string& what);
  // Carried out when the command was chosen and its arguments are good; returns the exit code.
  void run(std::function<int()> action);

 private:
  CLI::App* app_;
  ParsedCommands* parsed_;
};

// Adds every command of the program to `root`.
void add_commands(CliCommand& root);

// Parses and carries out. Returns the exit code of the command, of --help or --version, or kExitArguments
// after a sentence on standard error. What the command throws passes through.
int parse_command_line(int argc, const char* const* argv, const std::string& version);

}  // namespace tapescope

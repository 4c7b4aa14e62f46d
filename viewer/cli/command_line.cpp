// The one file that knows CLI11.
#include "viewer/cli/command_line.h"

#include <algorithm>
#include <iostream>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "viewer/cli/cli.h"
#include "viewer/model/complain.h"

namespace tapescope {
namespace {

// CLI11's own words end without a remedy.
std::string sentence_of(const CLI::ParseError& error, const CLI::App& app) {
  std::string text = error.what();
  while (!text.empty() && (text.back() == '.' || text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::string command = "tapescope";
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  return fmt::format("{}; see '{} --help'", text, command);
}

}  // namespace

struct ParsedCommands {
  int code = kExitDone;
  std::map<const CLI::App*, std::vector<std::string>*> programs;  // of commands that take one
  std::map<const CLI::App*, std::vector<std::string>*>
      everything;  // of commands that read nothing themselves
};

CommandOption& CommandOption::required() {
  option_->required();
  return *this;
}
CommandOption& CommandOption::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}
CommandOption& CommandOption::between(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}
CommandOption& CommandOption::between(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}
CommandOption& CommandOption::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}
CommandOption& CommandOption::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}
CommandOption& CommandOption::show_default() {
  option_->capture_default_str();
  return *this;
}
CommandOption& CommandOption::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}
CommandOption& CommandOption::excludes(const CommandOption& other) {
  option_->excludes(other.option_);
  return *this;
}

CliCommand CliCommand::subcommand(const std::string& name, const std::string& what) {
  return {app_->add_subcommand(name, what), parsed_};
}
CommandOption CliCommand::option(const std::string& name, std::string& value, const std::string& what) {
  return CommandOption(app_->add_option(name, value, what));
}
CommandOption CliCommand::option(const std::string& name, std::vector<std::string>& value,
                                 const std::string& what) {
  return CommandOption(app_->add_option(name, value, what));
}
CommandOption CliCommand::option(const std::string& name, int& value, const std::string& what) {
  return CommandOption(app_->add_option(name, value, what));
}
CommandOption CliCommand::option(const std::string& name, std::int64_t& value, const std::string& what) {
  return CommandOption(app_->add_option(name, value, what));
}
CommandOption CliCommand::option(const std::string& name, std::uint64_t& value, const std::string& what) {
  return CommandOption(app_->add_option(name, value, what));
}
CommandOption CliCommand::option(const std::string& name, double& value, const std::string& what) {
  return CommandOption(app_->add_option(name, value, what));
}
CommandOption CliCommand::flag(const std::string& name, bool& value, const std::string& what) {
  return CommandOption(app_->add_flag(name, value, what));
}
void CliCommand::takes_program(std::vector<std::string>& words, const std::string& what) {
  parsed_->programs[app_] = &words;
  app_->footer("-- PROGRAM ARGUMENTS...\n  " + what);
}
void CliCommand::takes_everything(std::vector<std::string>& words, const std::string& what) {
  parsed_->everything[app_] = &words;
  app_->footer(what);
}
void CliCommand::run(std::function<int()> action) {
  app_->callback([action = std::move(action), parsed = parsed_] { parsed->code = action(); });
}

int parse_command_line(int argc, const char* const* argv, const std::string& version) {
  CLI::App app("Tapescope: a visual debugger and profiler for gradient tapes.", "tapescope");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.footer(
      "Without a command the window opens: 'tapescope --sample preprocessing' is 'tapescope gui --sample "
      "preprocessing'.");
  ParsedCommands parsed;
  CliCommand root(&app, &parsed);
  add_commands(root);

  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::vector<std::string> commands;
  for (const CLI::App* sub : app.get_subcommands({})) commands.push_back(sub->get_name());
  const std::string first = arguments.empty() ? std::string() : arguments.front();
  const bool about_all = first == "--help" || first == "-h" || first == "--version";
  if (first.empty() || (first.starts_with('-') && !about_all)) {
    arguments.insert(arguments.begin(), "gui");
  } else if (!about_all && std::find(commands.begin(), commands.end(), first) == commands.end()) {
    const std::string near = nearest(first, commands);
    complain(near.empty() ? fmt::format("there is no command '{}'; the commands are {}", first,
                                        fmt::join(commands, ", "))
                          : fmt::format("there is no command '{}'; did you mean '{}'?", first, near));
    return kExitArguments;
  }
  const bool about_one = arguments.size() == 2 && (arguments[1] == "--help" || arguments[1] == "-h");
  for (const auto& [command, words] : parsed.everything) {
    if (arguments.front() != command->get_name() || about_one) continue;
    words->assign(arguments.begin() + 1, arguments.end());
    arguments.resize(1);
  }
  for (const auto& [command, words] : parsed.programs) {
    if (arguments.front() != command->get_name()) continue;
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    if (dashes == arguments.end()) continue;
    words->assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
    if (words->empty())
      throw UsageError(
          fmt::format("no program stands after --; see 'tapescope {} --help'", command->get_name()));
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(arguments);
    return parsed.code;
  } catch (const CLI::Success& success) {  // --help and --version
    return app.exit(success, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    complain(sentence_of(error, app));
    return kExitArguments;
  }
}

}  // namespace tapescope

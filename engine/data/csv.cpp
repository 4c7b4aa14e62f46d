// CSV files of numbers.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/data/files.h"
#include "engine/data/tables.h"

namespace tapescope {
namespace {

[[noreturn]] void refuse(const std::string& path, std::int64_t line, const std::string& what) {
  throw Error(ErrorKind::surroundings, fmt::format("{}:{} {}", path, line, what));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Fields of a line. A separator between quotes belongs to the field.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  std::size_t start = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != separator || quoted)) continue;
    std::string_view field = trimmed(line.substr(start, i - start));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    start = i + 1;
  }
  return fields;
}

class CsvReader {
 public:
  CsvReader(const std::string& path, const CsvOptions& options) : path_(path), options_(options) {}

  CsvTable read(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    for (std::int64_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(trimmed(text.substr(0, end)), line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    const auto columns = static_cast<std::int64_t>(table_.columns.size());
    if (values_.empty()) refuse(path_, 1, "has no line of numbers; give a file with at least one");
    table_.values =
        make_tensor(values_, {static_cast<std::int64_t>(values_.size()) / columns, columns}, options_.dtype);
    return std::move(table_);
  }

 private:
  void take(std::string_view text, std::int64_t line) {
    if (text.empty()) return;
    const std::vector<std::string_view> fields = fields_of(text, options_.separator);
    if (table_.columns.empty()) {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        table_.columns.push_back(options_.header ? std::string(fields[i]) : std::to_string(i));
      }
      if (options_.header) return;
    }
    if (fields.size() != table_.columns.size()) {
      refuse(path_, line,
             fmt::format("has {} fields, expected {} as in the first line; complete the line or remove it",
                         fields.size(), table_.columns.size()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) values_.push_back(number(fields[i], i, line));
  }

  double number(std::string_view field, std::size_t column, std::int64_t line) const {
    std::string_view digits = field;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double value = 0;
    const auto [stopped, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc() && stopped == digits.data() + digits.size() && !digits.empty()) return value;
    const char* remedy = line == 1
                             ? "; read the file with header = true where the first line names the columns"
                             : "; replace it or leave the column out of the file";
    refuse(path_, line,
           fmt::format("column {} ('{}') holds '{}', expected a number{}", column + 1, table_.columns[column],
                       field, remedy));
  }

  const std::string& path_;
  const CsvOptions& options_;
  CsvTable table_;
  std::vector<double> values_;
};

}  // namespace

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  const std::vector<std::uint8_t> bytes = read_file(path, "give the path of a CSV file");
  return CsvReader(path, options).read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Tensor CsvTable::select(const std::vector<std::string>& names) const {
  std::vector<double> picked;
  const std::int64_t lines = values.dim(0), width = values.dim(1);
  std::vector<std::int64_t> places;
  for (const std::string& name : names) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found == columns.end()) {
      fail(ErrorKind::value, "select",
           fmt::format("there is no column '{}', expected one of {}", name, fmt::join(columns, ", ")));
    }
    places.push_back(found - columns.begin());
  }
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t place : places) picked.push_back(element_value(values, line * width + place));
  }
  return make_tensor(picked, {lines, static_cast<std::int64_t>(names.size())}, values.dtype());
}

}  // namespace tapescope

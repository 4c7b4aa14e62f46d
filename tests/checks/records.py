"""Fails where a page or a script lists the kinds of records otherwise than their structs: records.py ROOT [--write] | --self-test.

The structs of engine/events/records say what a kind is and what its fields hold. From them, with --write, come the table of
engine/recording/format.md and the one of assets/tape_writer.py.
"""
import pathlib
import re
import sys

import tree

HEADERS = "engine/events/records/"
NO_KINDS = ("record.h", "table.h")
PAGE, SCRIPT = "engine/recording/format.md", "assets/tape_writer.py"
MARKS = {PAGE: ("<!-- kinds: made by tests/checks/records.py -->\n", "<!-- end of kinds -->\n"),
         SCRIPT: ("# kinds: made by tests/checks/records.py\n", "# end of kinds\n")}
HOW = f"run tests/checks/records.py . --write after a change of {HEADERS}"

# The type of a field: its bytes, its letter in Python's struct module, and what it holds.
TYPES = {
    "std::uint8_t": (1, "B", ""), "std::uint16_t": (2, "H", ""), "std::uint32_t": (4, "I", ""), "std::uint64_t": (8, "Q", ""),
    "float": (4, "f", "f32"), "double": (8, "d", "f64"), "TapeId": (4, "I", "tape"), "TensorId": (8, "Q", "tensor"),
    "std::array<TensorId, 3>": (24, "3Q", "tensors"), "ValueMasks": (8, "4H", "masks"), "NameField": (4, "I", "name"), "OpNameField": (2, "H", "op name"),
    "WideOpNameField": (4, "I", "op name"), "SiteField": (4, "I", "site"), "TypeField": (4, "I", "type"),
    "TicksField": (8, "Q", "ticks"), "SpanField": (4, "I", "span"), "WideSpanField": (8, "Q", "span"), "OrderField": (8, "Q", "order"),
}
COMMENT = r"(?: {2,}// (?P<words>.*))?$"
ENUM = re.compile(r"^enum class (\w+) : std::uint8_t \{$")
SHORT_ENUM = re.compile(r"^enum class (\w+) : std::uint8_t \{ (.*) \};$")
VALUE = re.compile(r"^  (?P<name>\w+) = (?P<value>\d+),?" + COMMENT)
STRUCT = re.compile(r"^struct (\w+)Record \{$")
KIND = re.compile(r"^  static constexpr RecordKind k(?P<name>\w+)\{(?P<number>\d+)\};" + COMMENT)
FLAG = re.compile(r"^  static constexpr std::uint8_t k\w+ = (?P<value>\d+);" + COMMENT)
OTHER = re.compile(r"^  static constexpr (bool k\w+|std::uint32_t k\w+|RecordKind k\w+\[\]) = ")
FIELD = re.compile(r"^  (?P<type>[\w:]+(?:<[\w, ]+>)?) (?P<name>\w+)(?: = [^;]*|\{\});" + COMMENT)


def snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def sentence(words):
    return words[0].upper() + words[1:] + ("" if words.endswith(".") else ".")


class Field:
    def __init__(self, at, kind, name, words, enums, flags):
        self.at, self.name = at, name
        self.size, self.letter, self.holds = TYPES.get(kind, (1, "B", ""))
        if kind in enums:
            words = ", ".join(f"{value} {one.replace('_', ' ')}" + (f" ({said})" if said else "") for one, value, said in enums[kind])
        elif name == "flags":
            words = ", ".join(f"{value} {said}" for value, said in flags)
        self.words = words or ""

    def place(self, others):
        if self.size == 24:
            return "`x` `y` `z`"
        if self.at < 8:
            half = "" if self.size == 4 or self.at < 4 else " high" if self.at == 6 else " low"
            return "`" + {1: "a", 2: "h", 4: "b", 6: "b"}[self.at] + "`" + half
        letter = "xyz"[self.at // 8 - 1]
        if self.at % 8 == 4:
            return f"`{letter}` high"
        shared = self.size == 4 and any(other.at == self.at + 4 for other in others)
        return f"`{letter}`" + (" low" if shared else "")


def kinds_of(text, where):
    """{number: (name, words, fields)} of a header."""
    kinds, enums, lines = {}, {}, text.splitlines()
    comment, at = [], 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("// "):
            comment.append(line[3:])
            continue
        if short := SHORT_ENUM.match(line):
            enums[short[1]] = [(*one.split(" = "), None) for one in short[2].split(", ")]
        enum, struct = ENUM.match(line), STRUCT.match(line)
        words, comment = " ".join(comment), []
        if not (enum or struct):
            continue
        body = []
        while lines[at] != "};":
            body.append(lines[at])
            at += 1
        if enum:
            enums[enum[1]] = [(m["name"], m["value"], m["words"]) for m in map(VALUE.match, body) if m]
            if len(enums[enum[1]]) != len(body):
                raise ValueError(f"{where}: {enum[1]} has a line that is no 'name = number,'")
            continue
        numbers, flags, fields, offset, above = [], [], [], 1, []
        for inner in body:
            if inner.startswith("  // "):
                above.append(inner[5:])
                continue
            kind, flag, field = KIND.match(inner), FLAG.match(inner), FIELD.match(inner)
            said, above = " ".join(above), []
            if kind:
                name = snake(struct[1] if kind["name"] == "Kind" else struct[1] + kind["name"])
                numbers.append((int(kind["number"]), name, sentence(kind["words"]) if kind["words"] else words))
            elif flag:
                flags.append((flag["value"], flag["words"] or said))
            elif field and field["name"] != "kind":
                if field["type"] not in TYPES and field["type"] not in enums:
                    raise ValueError(f"{where}: {struct[1]}Record has a field of type {field['type']}; say in records.py what it holds")
                found = Field(offset, field["type"], field["name"], field["words"] or said, enums, flags)
                offset += found.size
                if not found.name.startswith("unused"):
                    fields.append(found)
            elif inner.strip() and not field and not OTHER.match(inner):
                raise ValueError(f"{where}: cannot read '{inner.strip()}'; keep a field and its comment on one line")
        if offset != 32 or not words or not numbers:
            raise ValueError(f"{where}: {struct[1]}Record has {offset} bytes of 32, or no comment, or no number")
        for number, name, what in numbers:
            kinds[number] = (name, what, fields)
    return kinds


def all_kinds(root):
    kinds = {}
    for name in tree.files(root):
        if name.startswith(HEADERS) and name.endswith(".h") and not name.endswith(NO_KINDS):
            kinds.update(kinds_of(tree.text(root, name), name))
    return dict(sorted(kinds.items()))


def page_table(kinds):
    out = ["| kind | what | fields |", "|---|---|---|"]
    for number, (name, words, fields) in kinds.items():
        parts = []
        for field in fields:
            holds = field.holds if field.holds not in ("", field.name, "order") else ""
            said = ": ".join(part for part in (holds, field.words) if part)
            parts.append(f"{field.place(fields)} {field.name}" + (f" ({said})" if said else ""))
        out.append(f"| {number} {name} | {words} | {'; '.join(parts)} |")
    return "\n".join(out) + "\n"


def script_table(kinds):
    out = ["KINDS = {"]
    for number, (name, _, fields) in kinds.items():
        out.append(f'    "{name}": ({number}, {{')
        for field in fields:
            out.append(f'        "{field.name}": ({field.at}, "{field.letter}", "{field.holds}"),')
        out.append("    }),")
    return "\n".join([*out, "}"]) + "\n"


def renewed(text, name, table):
    begin, end = MARKS[name]
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"{name}: has no place for the table of kinds, between two marks")
    head, rest = text.split(begin)
    return head + begin + table + end + rest.split(end)[1]


def check(root, write=False):
    complaints = []
    try:
        kinds = all_kinds(root)
        for name, table in ((PAGE, page_table(kinds)), (SCRIPT, script_table(kinds))):
            text = tree.text(root, name)
            wanted = renewed(text, name, table)
            if write:
                (pathlib.Path(root) / name).write_text(wanted)
            elif wanted != text:
                complaints.append(f"{name}: its kinds of records are not those of {HEADERS}; {HOW}")
    except ValueError as error:
        complaints.append(str(error))
    return complaints


HEADER = """// Records.
enum class How : std::uint8_t {
  slow = 0,
  fast = 1,  // in a hurry
};

// It ran.
struct RanRecord {
  static constexpr RecordKind kKind{7};
  static constexpr std::uint8_t kFar = 1;  // far away

  RecordKind kind = kKind;
  std::uint8_t flags = 0;
  std::uint16_t unused_h = 0;
  SiteField site = 0;
  std::uint32_t rounds = 0;  // how many
  SpanField took = 0;
  TensorId made = 0;
  OrderField order = 0;
};
"""
KINDS = kinds_of(HEADER, "a header")
PASSING = {HEADERS + "runs.h": HEADER, HEADERS + "record.h": "struct Record {\n};\n",
           PAGE: "x\n" + "".join(MARKS[PAGE]) + "y\n", SCRIPT: "x\n" + "".join(MARKS[SCRIPT]) + "y\n"}
PASSING[PAGE] = renewed(PASSING[PAGE], PAGE, page_table(KINDS))
PASSING[SCRIPT] = renewed(PASSING[SCRIPT], SCRIPT, script_table(KINDS))
WORDS = ("| 7 ran | It ran. | `a` flags (1 far away); `b` site; `x` low rounds (how many); `x` high took (span); `y` made (tensor); "
         "`z` order |\n")
assert WORDS in PASSING[PAGE], PASSING[PAGE]
FAILING = [
    (PAGE, PASSING[PAGE].replace("far away", "near"), "are not those of"),
    (PAGE, "no table\n", "has no place"),
    (SCRIPT, PASSING[SCRIPT].replace('(8, "I"', '(12, "I"'), "are not those of"),
    (HEADERS + "runs.h", HEADER.replace("OrderField", "Ordering"), "a field of type Ordering"),
    (HEADERS + "runs.h", HEADER.replace("TensorId made", "std::uint32_t made"), "28 bytes of 32"),
    (HEADERS + "runs.h", HEADER.replace("kFar = 1;", "kFar =\n      1;"), "cannot read"),
    (HEADERS + "runs.h", HEADER.replace("  SpanField took = 0;", "  SpanField took =\n      0;"), "cannot read"),
]

if __name__ == "__main__":
    if "--write" in sys.argv:
        sys.exit("\n".join(check(sys.argv[1], write=True)) or 0)
    sys.exit(tree.main(check, PASSING, FAILING))

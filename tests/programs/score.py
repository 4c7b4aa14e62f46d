"""Scores what the debugger answered against the truth: score.py TRUTH ANSWERS PROGRAMS [--set tuned|held_out] [--json FILE]

TRUTH is a truth.json, ANSWERS a folder with the JSON of `tapescope explain` as NAME.json, PROGRAMS the folder of the sources. A
program counts one point, a healthy one two; status, reason, line and remedy count alike. Only the first entry for a source, an
alert or an advice counts. A missing answer scores nothing; a false alarm loses a healthy program whole. Ends with 1 below 95 %.
"""
import argparse
import json
import pathlib
import re
import sys

import corpus

# General remarks that a program with nothing wrong may get.
REMARKS = re.compile(r"tiny|small op|fus|chain|put .* in(to)? a function|precision", re.I)
FILE_NAME = re.compile(r"[\w./-]+\.(?:cpp|py|h)\b")  # a program's name would count as words of the answer


def words(value):
    return FILE_NAME.sub(" ", str(value)).lower()


def words_of(*entries):
    return words(" ".join(str(v) for entry in entries for key, v in (entry or {}).items() if key != "location"))


def says(text, groups):
    """Whether all words of one group are in the text."""
    return any(all(word.lower() in text for word in group) for group in groups)


def line_of(entry):
    place = entry.get("location")
    if isinstance(place, dict):
        return place.get("line")
    number = re.search(r":(\d+)(?::\d+)?$", str(place or ""))
    return int(number.group(1)) if number else None


class Judge:
    """One program's rows of (what, whether it is right)."""

    def __init__(self, truth, answer, marks):
        self.truth, self.marks, self.rows = truth, marks, []
        self.alerts, self.advice = answer.get("alerts", []), answer.get("advice", [])
        self.functions, self.gradients = answer.get("functions", []), {}
        for row in answer.get("gradients", []):
            self.gradients.setdefault(row.get("source"), row)
        self.entries = [*answer.get("gradients", []), *self.alerts, *answer.get("errors", [])]

    def row(self, what, right):
        self.rows.append((what, bool(right)))

    def place(self, entry, mark):
        return line_of(entry) in [self.marks["!"][mark], *self.marks["~"]]

    def remedy(self, text):
        return says(text, self.truth["remedy_keywords"])

    def source(self, name, wanted):
        given = self.gradients.get(name, {})
        if wanted["status"] == "nonfinite":
            return self.row(f"status of {name}", given.get("nonfinite"))
        self.row(f"status of {name}", given.get("status") == wanted["status"])
        if "reason" in wanted:
            self.row(f"reason of {name}", given.get("reason") in [wanted["reason"], *wanted["also_reason"]])
            self.row(f"line of {name}", self.place(given, wanted["mark"]))
            self.row(f"remedy of {name}", self.remedy(words(given.get("fix", ""))))

    def empty_sources(self):
        given = next((e for e in self.entries if "empty_sources" in (e.get("reason"), e.get("kind"))), {})
        self.row("reason", given)
        self.row("line", self.place(given, self.truth["mark"]))
        self.row("remedy", self.remedy(words(given.get("fix", ""))))

    def nonfinite(self):
        given = next((a for a in self.alerts if re.search("nan|inf|finite", words_of(a))), {})
        text, first = words_of(given), self.truth["first"]
        self.row("first op", any(op.lower() in text for op in [first["op"], *first.get("also", [])]))
        self.row("direction", first["direction"] in text)
        self.row("line", self.place(given, self.truth["mark"]))
        self.row("remedy", self.remedy(words_of(given, *self.advice)))

    def function(self, name, wanted):
        given = [f for f in self.functions if f.get("name") == name]
        self.row(f"traces of {name}", sum(f.get("traces", 0) for f in given) == wanted["traces"])
        if self.truth["kind"] != "retrace":
            return
        answers = {r.get("call"): r for f in given for r in f.get("retraces", [])}
        def every(test):  # a call that is not said may be any
            return all(any(test(r, answers[call]) for call in answers if r["call"] in (call, None)) for r in wanted["retraces"])
        def tight(value):
            return str(value).replace(" ", "")
        self.row("argument", every(lambda r, a: r["argument"] is None or
                                   a.get("argument") in [r["argument"], *r.get("also_argument", [])]))
        self.row("kind", every(lambda r, a: a.get("kind") == r["kind"]))
        self.row("from, to", every(lambda r, a: r["to"] is None or tight(r["to"]) in tight(a.get("to"))))
        self.row("line", every(lambda r, a: self.place(a, self.truth["mark"])))
        self.row("remedy", every(lambda r, a: self.remedy(words(a.get("fix", "")))))

    def slow(self):
        wanted = self.truth["advice"]
        given = next((a for a in [*self.advice, *self.alerts] if says(words_of(a), wanted["keywords"])), {})
        self.row("advice", given)
        self.row("subject", given and all(name.lower() in words_of(given) for name in wanted["names"]))
        self.row("line", self.place(given, self.truth["mark"]))
        self.row("remedy", self.remedy(words_of(given)))

    def all_rows(self):
        for name, wanted in self.truth["sources"].items():
            self.source(name, wanted)
        if self.truth.get("empty_sources"):
            self.empty_sources()
        if self.truth["kind"] == "nonfinite":
            self.nonfinite()
        for name, wanted in self.truth.get("functions", {}).items():
            self.function(name, wanted)
        if self.truth["kind"] == "slow":
            self.slow()
        return self.rows


def score(truth, answer, marks):
    """(points, of how many, what was missed)"""
    judge = Judge(truth, answer, marks)
    rows = judge.all_rows()
    if truth["kind"] != "healthy":
        return sum(right for _, right in rows) / len(rows), 1, [what for what, right in rows if not right]
    alarms = [*judge.alerts, *(a for a in judge.advice if not REMARKS.search(words_of(a)))]
    missed = [what for what, right in [*rows, ("no false alarm", answer and not alarms)] if not right]
    return 0 if missed else 2, 2, missed


def read(file):
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("truth", type=pathlib.Path)
    parser.add_argument("answers", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--set", choices=("tuned", "held_out"), help="one part of the corpus; both unless given")
    parser.add_argument("--json", type=pathlib.Path, help="write each program's share and what it missed")
    options = parser.parse_args()
    report, kinds, points, possible = {}, {}, 0.0, 0
    for name, (truth, _) in corpus.programs(options.truth).items():
        if options.set and (options.set == "held_out") != truth.get("held_out", False):
            continue
        source = (options.programs / f"{name}.cpp").read_text(encoding="utf-8")
        got, of, missed = score(truth, read(options.answers / f"{name}.json"), corpus.marks(source))
        points, possible = points + got, possible + of
        kinds.setdefault(truth["kind"], []).append(got / of)
        report[name] = {"share": round(got / of, 3), "missed": missed}
        if missed:
            print(f"{name}: {got / of:.0%}, missed {', '.join(missed)}")
    if not report:
        raise SystemExit("score: the truth holds no program of that set")
    for kind, shares in kinds.items():
        print(f"{kind}: {sum(shares) / len(shares):.1%} of {len(shares)}")
    entirely = sum(not row["missed"] for row in report.values())
    print(f"entirely right {entirely} of {len(report)}, score {points / possible:.1%}, goal 95 %")
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0 if points / possible >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())

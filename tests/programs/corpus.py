"""The corpus as prove.py and score.py read it: truths and the marks of the programs' lines.

corpus.py TRUTH.json... writes into each truth what the marks say (line, also_lines) and what is left out (also_reason, mark).
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import shares  # noqa: E402


def programs(truths=None):
    """{name: (truth, source file)} of one truth.json, or of those of all folders."""
    found = {}
    for file in [pathlib.Path(truths)] if truths else sorted(HERE.glob("*/truth.json")):
        for name, truth in json.loads(file.read_text(encoding="utf-8"))["programs"].items():
            if name in found:
                raise SystemExit(f"{file}: {name} is in {found[name][1].parent} too; an executable's name must be its own")
            found[name] = truth, file.parent / f"{name}.cpp"
    return found


def asked(every=1):
    """Names of the programs that run where time is short, folder by folder: of one half one in `every`. All of them with TAPESCOPE_LONG."""
    return shares.asked((name for truths in sorted(HERE.glob("*/truth.json")) for name in programs(truths)), every)


def marks(text):
    """The numbers of the lines that end in //! (where the edge breaks) and in //~ (accepted as well)."""
    found = {"!": [], "~": []}
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.search(r"//([!~])\s*$", line)
        if mark:
            found[mark.group(1)].append(number)
    return found


def fill(file):
    truths = json.loads(file.read_text(encoding="utf-8"))
    for name, truth in truths["programs"].items():
        found = marks((file.parent / f"{name}.cpp").read_text(encoding="utf-8"))
        for source in truth["sources"].values():
            if "reason" in source:
                mark = source.setdefault("mark", 0)
                source.setdefault("also_reason", [])
                source.update(line=found["!"][mark], also_lines=found["~"])
    file.write_text(json.dumps(truths, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for given in sys.argv[1:]:
        fill(pathlib.Path(given))

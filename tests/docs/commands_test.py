"""Commands of the manual that no test runs (they need a window, another machine or a job) have names and options that exist.

usage: commands_test.py TAPESCOPE PACKAGE_FOLDER
Looked at: blocks of text and blocks without a kind in docs and README, and `code` within lines.
"""
import os
import pathlib
import re
import subprocess
import sys

TAPESCOPE, FOLDER = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
INLINE = re.compile(r"`([^`\n]+)`")
# What follows " -- " is another program's, and so is what follows a program's name.
CALL = re.compile(r"(?:^|[\s/])(-m tapescope|tapescope)((?:\s+(?!--\s)\S+)*)")
OPTION = re.compile(r"^--?[a-z][\w-]*")


def help_of(*words):
    environment = {**os.environ, "PYTHONPATH": FOLDER}
    done = subprocess.run([*words, "--help"], capture_output=True, text=True, env=environment, check=False)
    return done.stdout + done.stderr


class Helps:
    def __init__(self):
        self.top = help_of(TAPESCOPE)
        self.commands = set(re.findall(r"^  ([a-z]+) {2,}", self.top.split("Subcommands:")[1], re.M))
        self.known = {}

    def options(self, command):
        if command not in self.known:
            text = help_of(sys.executable, "-m", "tapescope") if command == "python" else self.top + help_of(TAPESCOPE, command)
            self.known[command] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))
        return self.known[command]


def complaints_of(line, helps):
    """What does not exist of the commands in a line."""
    for called, words in CALL.findall(line):
        words = words.split()
        command = "python"
        if called == "tapescope":
            if not words or words[0].isupper() or words[0] in ("…", "..."):
                continue
            command = "gui" if words[0].startswith("-") else words.pop(0)
            if command not in helps.commands:
                if OPTION.match(command) or not re.fullmatch(r"[a-z]+", command):
                    continue  # prose
                yield f"{line.strip()}: tapescope has no command {command}"
                continue
        for word in words:
            if word in ("--", "#") or word.endswith((".py", ".py`")):
                break
            if OPTION.match(word) and OPTION.match(word)[0] not in helps.options(command):
                yield f"{line.strip()}: {command} has no option {word}"


def lines_of(text):
    for kind, body in BLOCK.findall(text):
        if kind in ("", "text"):
            yield from body.replace("\\\n", " ").splitlines()
    yield from INLINE.findall(BLOCK.sub("", text))


def main():
    helps = Helps()
    assert {"gui", "explain", "check"} <= helps.commands, helps.top
    for line, wrong in (("tapescope gui --job train", False), ("tapescope gui --no-such-thing", True), ("tapescope expalin run.tape", True),
                        ("tapescope --sample nan-hunt", False), ("python -m tapescope --record a.tape train.py --epochs 3", False),
                        ("python -m tapescope --recrod a.tape train.py", True), ("tapescope explain -- ./mine --its-own", False)):
        assert bool(list(complaints_of(line, helps))) == wrong, (line, list(complaints_of(line, helps)))
    found, looked_at = [], 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for line in lines_of(page.read_text(encoding="utf-8")):
            looked_at += len(CALL.findall(line))
            found += [f"{page.relative_to(ROOT)}: {complaint}" for complaint in complaints_of(line, helps)]
    print("\n".join(found) or f"{looked_at} commands")
    assert looked_at > 50, looked_at
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

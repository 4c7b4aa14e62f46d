"""The blocks of a page that run: files, commands, and commands with what they print (tests/docs/pages_test.py has the rules)."""
import pathlib
import re
import shlex
import sys

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)
NAMED = re.compile(r"(?://|#) ([\w-]+\.(?:cpp|py)|CMakeLists\.txt|[\w-]+/[\w-]+\.py)\n")


def file_of(kind, body):
    """The name of the file that a block is, or None."""
    named = NAMED.match(body)
    return named[1] if kind in ("cpp", "python", "cmake") and named else None


def commands_of(body):
    """[(command, shown)] of a ```console block."""
    parts = re.split(r"^\$ ", body, flags=re.M)
    assert parts[0] == "", f"a console block begins with '$ ', not with {parts[0]!r}"
    for part in parts[1:]:
        lines = part.splitlines(keepends=True)
        command = lines.pop(0)
        while command.endswith("\\\n"):
            command += lines.pop(0)
        yield command.rstrip("\n"), "".join(lines)


def script_of(page):
    """A page as a bash script that does what it says, word by word: its ```bash blocks, which install, as well. The file see.sh beside it may
    define `see COMMAND`, which opens the window."""
    made = ["set -euo pipefail", "did() { echo \"[$SECONDS s] $1\"; }", "see() { :; }", "[[ ! -e see.sh ]] || . ./see.sh"]
    for kind, body in BLOCK.findall(page):
        name = file_of(kind, body)
        if name:
            made.append(f"cat > {name} <<'END_OF_FILE'\n{body}END_OF_FILE")
        elif kind in ("bash", "sh"):
            made += [line + "\ndid " + shlex.quote(line) for line in body.splitlines()]
        elif kind == "window":
            made += ["see " + shlex.quote(line) for line in body.splitlines()]
        elif kind == "console":
            made += [command + "\ndid " + shlex.quote(command) for command, _ in commands_of(body)]
    return "\n".join(made) + "\n"


if __name__ == "__main__":
    sys.stdout.write(script_of(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))

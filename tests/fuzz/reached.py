"""Which lines of the codec the fuzzers of recordings and attachments reach: reached.py BUILD [--floor PERCENT]. BUILD has fuzz_recording and
fuzz_live. Compiles the codec once more with counters, links both with it in front of the library, and runs each a while with seed 1."""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What turns records, frames and messages into bytes and back.
CODEC = [f"engine/recording/{name}.cpp" for name in ("columns", "container", "contents", "definitions", "frame_codec", "printable", "type_codec")]
CODEC.append("engine/live/message.cpp")
INPUTS = {"recording": 3000, "live": 5000}


def has_codec(path):
    """Whether a source, or one that several are joined in, is or has a file of the codec."""
    if "/Unity/" not in path:
        return os.path.relpath(path, ROOT) in CODEC
    with open(path, encoding="utf-8") as file:
        return any(f'/{name}"' in line for line in file for name in CODEC)


def compile_with_counters(build, folder):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file) if "tapescope_events.dir" in entry["command"] and has_codec(entry["file"])]
    objects = []
    for entry in entries:
        words = shlex.split(entry["command"])
        words = words[os.path.basename(words[0]) == "ccache":]
        objects.append(os.path.join(folder, os.path.basename(entry["file"]) + ".o"))
        words[words.index("-o") + 1] = objects[-1]
        for option in ("-MF", "-MT"):
            at = words.index(option) if option in words else len(words)
            del words[at:at + 2]
        words = ["-O0" if word.startswith("-O") else word for word in words if word not in ("-MD", "-Winvalid-pch")]
        subprocess.run([*words, "--coverage"], cwd=entry["directory"], check=True)
    return objects


def link(build, target, objects, program):
    last = subprocess.run(["ninja", "-C", build, "-t", "commands", target], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    words = shlex.split(last.removeprefix(": && ").removesuffix(" && :").strip())
    words[words.index("-o") + 1] = program
    first = next(i for i, word in enumerate(words) if word.endswith(".a"))
    words[first:first] = [*objects, "-Wl,-z,muldefs", "--coverage"]
    subprocess.run(words, cwd=build, check=True)


def corpus_of(build, target):
    """The files that the build's test of the target begins with."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-R", f"^fuzz_{target}$"], capture_output=True, text=True, check=True)
    command = json.loads(listed.stdout)["tests"][0]["command"]
    return [word for word in command if "/" in word and not os.access(word, os.X_OK)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--floor", type=float, default=0, help="of all lines together; less is a failure")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        objects = compile_with_counters(build, folder)
        for target, count in INPUTS.items():
            program = os.path.join(folder, target)
            link(build, f"fuzz_{target}", objects, program)
            subprocess.run([program, f"{count}x", "1", *corpus_of(build, target)], cwd=folder, check=True)
        said = "".join(subprocess.run(["gcov", "-n", "-o", folder, one], cwd=folder, capture_output=True, text=True, check=True).stdout for one in objects)
    found = {os.path.relpath(name, ROOT): (float(share), int(lines))
             for name, share, lines in re.findall(r"File '(.*)'\nLines executed:([\d.]+)% of (\d+)", said)}
    rows = [(name, *found[name]) for name in CODEC]
    for name, share, lines in rows:
        print(f"{share:6.2f} % of {lines:4} lines of {name}")
    lines = sum(row[2] for row in rows)
    share = sum(row[1] * row[2] for row in rows) / lines
    print(f"{share:6.2f} % of {lines:4} lines")
    return 0 if share >= options.floor else 1


if __name__ == "__main__":
    sys.exit(main())

"""What the tests do not notice: mutate.py BUILD [--count N] [--seed N] [--jobs N] [--under FOLDER]... [--kinds K,K] [--log FILE] [--list]

Changes one place of a source of the engine or the viewer at a time (an operator, a condition, a bound, a lock, a call), compiles that file
alone or with those that it is joined with, links it in front of its library and runs the tests of its folder, then those that are quick, then
all: of the engine those of the viewer as well, of the viewer those of the window as well. What those let pass is tried by scripts (scripts.py), with
whole programs and the real window. A change that no test notices has survived: the last lines list those, with the share that was noticed and that of
each folder.
BUILD is a build folder whose test binaries are built: release, dev, or tsan for --kinds lock with --tests tests/sanitized_tests. A random sample of COUNT changes,
the same for the same seed; those that do not compile, and those that leave the object file as it was, do not count.

Runs of one place: --at FILE:LINE. The tree is never written to."""
import argparse
import concurrent.futures
import filecmp
import json
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from scripts import Scripts, end_group, innermost

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# (kind, what is found, what it becomes). clang-format sets spaces around binary operators and none in template arguments.
RULES = [
    ("operator", r" \+ ", " - "), ("operator", r" - ", " + "), ("operator", r" \* ", " / "), ("operator", r" / ", " * "),
    ("operator", r" % ", " / "), ("operator", r" \+= ", " -= "), ("operator", r" -= ", " += "), ("operator", r" \|= ", " &= "),
    ("operator", r" & ", " | "), ("operator", r" >> ", " << "), ("operator", r"\+\+(?=\w)", "--"),
    ("condition", r" == ", " != "), ("condition", r" != ", " == "), ("condition", r" && ", " || "), ("condition", r" \|\| ", " && "),
    ("condition", r"\bif \(", "if (!!"), ("condition", r"\(!(?=\w)", "("), ("condition", r"\breturn true;", "return false;"),
    ("condition", r"\breturn false;", "return true;"),
    ("bound", r" < ", " <= "), ("bound", r" <= ", " < "), ("bound", r" > ", " >= "), ("bound", r" >= ", " > "),
    ("bound", r" \+ 1\b", ""), ("bound", r" - 1\b", ""), ("bound", r"\bstd::min\b", "std::max"), ("bound", r"\bstd::max\b", "std::min"),
    ("lock", r"^ *(?:const )?std::(?:lock_guard|scoped_lock|unique_lock)\b.*;$", ""),
    ("call", r"^ +(?:\w+(?:\.|->))*\w+\([^;{}]*\);$", ";"),
]


def code_of(line):
    """The line with the same length, texts and comments blank."""
    blank = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'', lambda found: "~" * len(found[0]), line)
    comment = blank.find("//")
    return blank if comment < 0 else blank[:comment]


def changes_of(path, kinds):
    """(line, column, kind, new line) for each place. A condition's `if (` becomes its opposite where it ends on the line."""
    with open(path) as source:
        lines = source.read().split("\n")
    for index, line in enumerate(lines):
        code = code_of(line)
        if not code.strip() or code.lstrip().startswith(("#", "template", "static_assert", "using ", "case ", "ROW(", "TAPESCOPE_")) or line.endswith("\\"):
            continue
        for kind, pattern, other in RULES:
            if kind not in kinds:
                continue
            for found in re.finditer(pattern, code):
                new = line[:found.start()] + other + line[found.end():]
                if other == "if (!!":
                    end = closing(code, found.end() - 1)
                    if end is None or "constexpr" in code or ";" in code[found.end():end] or re.search(r"\b(auto|const)\b", code[found.end():end]):
                        continue
                    new = line[:found.end()] + "!(" + line[found.end():end] + ")" + line[end:]
                yield index, found.start(), kind, new


def closing(code, start):
    depth = 0
    for index in range(start, len(code)):
        depth += (code[index] == "(") - (code[index] == ")")
        if depth == 0:
            return index
    return None


class Build:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        with open(os.path.join(folder, "compile_commands.json")) as file:
            entries = json.load(file)
        # A file that several are compiled with (cmake/unity.cmake) stands for each of them, and is compiled with a changed copy of one.
        self.commands, self.joined = {}, {}
        for entry in entries:
            path = os.path.normpath(entry["file"])
            if "/Unity/" not in path:
                self.commands.setdefault(path, entry)
                continue
            with open(path) as file:
                text = file.read()
            for part in re.findall(r'^#include "(/.*)"$', text, re.M):
                if self.commands.setdefault(part, entry) is entry:
                    self.joined[part] = text

    def compile(self, source, text, target):
        """Whether the text compiles in the place of the source."""
        entry = self.commands[source]
        words = shlex.split(entry["command"])
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        # The name of the build's file, which is in the object: the same text makes the same bytes.
        changed = os.path.join(os.path.splitext(target)[0] + ".from", os.path.basename(entry["file"]))
        os.makedirs(os.path.dirname(changed), exist_ok=True)
        with open(changed, "w") as file:
            # Quoted includes beside the file, and __FILE__, are those of the source.
            own = f'#line 1 "{source}"\n{text}'
            file.write(self.joined[source].replace(f'#include "{source}"', own + "\n#line 1") if source in self.joined else own)
        words[words.index("-o") + 1] = target
        words[-1] = changed
        for option in ("-MF", "-MT"):
            if option in words:
                del words[words.index(option):words.index(option) + 2]
        words = [word for word in words if word != "-MD"] + ["-w"]
        return subprocess.run(words, cwd=entry["directory"], capture_output=True, check=False).returncode == 0

    def made(self, source):
        """The build's object that has the source."""
        entry = self.commands[source]
        words = shlex.split(entry["command"])
        return os.path.join(entry["directory"], words[words.index("-o") + 1])

    def link(self, binary, part, target):
        """Links the binary with `part` in front of its objects and libraries: the first of two definitions is taken."""
        last = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", binary], capture_output=True, text=True, check=True).stdout.splitlines()[-1]
        words = shlex.split(last.removeprefix(": && ").removesuffix(" && :").strip())
        words[words.index("-o") + 1] = target
        first = next(i for i, word in enumerate(words) if word.endswith((".a", ".o")))
        words[first:first] = [part, "-Wl,-z,muldefs"]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode == 0


def mirrored(source):
    """The tests of the source's folder, which stand in the same folder below tests/, and those that are called after the source."""
    folder = os.path.join(ROOT, "tests", os.path.relpath(os.path.dirname(source), ROOT))
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return {name[:-4] for name in os.listdir(folder) if name.endswith("_test.cpp")} | {os.path.basename(source)[:-4] + "_test"}


def filter_of(names):
    return ["-#", ",".join(f"[#{name}]" for name in sorted(names))]


def filter_out(names):
    return ["-#", "".join(f"~[#{name}]" for name in sorted(names))] if names else []


def files_of(program):
    """The test file of each case of a binary."""
    listed = subprocess.run([program, "--list-for-ctest"], capture_output=True, text=True, check=True).stdout
    return {name: os.path.basename(place) for place, name in re.findall(r"^tapescope_case\(\[==\[(.*?)\]==\] \[==\[(.*?)\]==\]", listed, re.M)}


def seconds_of(report, files):
    """Seconds of each test file in the report of a run. The texts' reporter has no file names; the XML's breaks tests that fork."""
    seconds = dict.fromkeys(files.values(), 0.0)
    for took, name in re.findall(r"^([\d.]+) s: (.*)$", report, re.M):
        if name in files:
            seconds[files[name]] += float(took)
    return seconds


def quick_of(seconds):
    """The test files that take least, together a quarter of the whole."""
    quick, left = set(), sum(seconds.values()) / 4
    for name in sorted(seconds, key=seconds.get):
        left -= seconds[name]
        if left < 0:
            break
        quick.add(name)
    return quick


def is_stopped(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"
    except FileNotFoundError:
        return False


def passes(program, words, seconds, folder, memory, report=os.devnull):
    """Whether the tests pass. A changed program may ask for any memory, write any file or never end."""
    def limited():
        # Of the processor: a busy machine is no fate of the change.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    # Addresses of a sanitized program are not randomized: see sanitized.cmake.
    child = subprocess.Popen(["setarch", "-R", program, "-a", "-o", report, *words], cwd=folder, start_new_session=True, preexec_fn=limited,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # One that waits for ever uses no processor. The clock of one that was stopped from outside stands still.
        for _ in range(20 * seconds):
            try:
                return child.wait(1) == 0
            except subprocess.TimeoutExpired:
                while is_stopped(child.pid):
                    time.sleep(1)
        return False
    finally:
        end_group(child)


ROOMS = ("store", "model", "debugger", "export", "ui", "panels", "window", "cli")
# Which tests are to notice a change in a folder, those that are likely to first. The viewer's show what the engine explains, and the window's what
# the store and the model say.
BINARIES = {"engine": ["tests/test_engine", "tests/test_viewer"], "viewer": ["tests/test_viewer", "tests/test_gui"]} | {
    f"viewer/{folder}": ["tests/test_gui", "tests/test_viewer"] for folder in ("ui", "panels", "window")}


def of_children():
    """Seconds of the processor of all that ended, with what other jobs ran meanwhile: on a busy machine a test takes many times as long."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Run:
    def __init__(self, build, binary, tags, without, folder, scripts=True):
        """`binary` empty: those of each source's folder."""
        self.build, self.binary, self.tags, self.without, self.folder = build, binary, tags, set(without), folder
        self.controls, self.measuring = {}, threading.Lock()
        self.scripts = Scripts(build.folder) if scripts and not binary and not tags else None
        # Sanitizers reserve more addresses than any machine has memory.
        self.memory = 0 if "-fsanitize" in next(iter(build.commands.values()))["command"] else 8 << 30

    def binaries(self, source):
        place = os.path.relpath(source, ROOT)
        return [self.binary] if self.binary else innermost(BINARIES, place)

    def place(self, name):
        """Beside the binaries: tests look for files from where their program lies."""
        return os.path.join(self.build.folder, "tests", f"{name}-{os.getpid()}")

    def control(self, binary, source):
        """Seconds of the processor that all tests take, and those of the clock of each test file; kept beside the binary until it is built anew.
        Made the same way from a source as it is, the program passes."""
        kept, chosen = os.path.join(self.build.folder, binary + ".seconds"), [self.tags, sorted(self.without)]
        with self.measuring:
            if binary not in self.controls and os.path.exists(kept) and os.path.getmtime(kept) > os.path.getmtime(os.path.join(self.build.folder, binary)):
                with open(kept) as file:
                    known = json.load(file)
                if known["chosen"] == chosen:
                    self.controls[binary] = known["whole"], known["files"]
            if binary not in self.controls:
                program, begin = self.place("control"), of_children()
                report = os.path.join(self.folder, os.path.basename(binary) + ".report")
                try:
                    assert self.build.link(binary, self.plain(source), program), f"{binary} does not link"
                    files = files_of(program)
                    passed = passes(program, ["-d", "yes", *(self.tags or filter_out(self.without))], 3600, self.folder, self.memory, report)
                    with open(report) as file:
                        said = file.read()
                    assert passed, f"{binary} fails without any change:\n{said[-2000:]}"
                finally:
                    if os.path.exists(program):
                        os.remove(program)
                self.controls[binary] = of_children() - begin, seconds_of(said, files)
                with open(kept, "w") as file:
                    json.dump({"chosen": chosen, "whole": self.controls[binary][0], "files": self.controls[binary][1]}, file)
            return self.controls[binary]

    def stages(self, source):
        """(binary, words that choose its tests, seconds of the processor that they may take): the near ones, the quick ones, then the others."""
        stages, begun = ([], [], []), mirrored(source)
        for binary in self.binaries(source):
            whole, files = self.control(binary, source)
            near = (begun & files.keys()) - self.without
            quick = quick_of(files) - near - self.without
            for stage, names in zip(stages, (near, quick, files.keys() - near - quick - self.without)):
                if names and not self.tags:
                    # Several threads use more than the clock shows.
                    most = min(5 + 3 * whole, 10 + 6 * sum(files[name] for name in names))
                    stage.append((binary, filter_of(names), round(most)))
            if self.tags:
                stages[0].append((binary, self.tags, 5 + round(3 * whole)))
        return [step for stage in stages for step in stage]

    def fate(self, number, source, text):
        """"left out", "noticed", perhaps with the script that did, or "survived"."""
        part = os.path.join(self.folder, f"{number}.o")
        home = os.path.join(self.folder, f"{number}.home")
        programs = {}
        os.makedirs(home)
        try:
            if not self.build.compile(source, text, part) or filecmp.cmp(part, self.build.made(source), shallow=False):
                return "left out"
            for binary, words, most in self.stages(source):
                if binary not in programs:
                    programs[binary] = self.place(f"mutant-{number}-{os.path.basename(binary)}")
                    if not self.build.link(binary, part, programs[binary]):
                        return "left out"
                if not passes(programs[binary], words, most, home, self.memory):
                    return "noticed"
            # A build that is older than the source has other bytes than its plain object.
            if filecmp.cmp(part, self.plain(source), shallow=False):
                return "left out"
            script = self.scripts and self.noticed_by_script(number, source, part)
            return f"noticed by {script}" if script else "survived"
        finally:
            shutil.rmtree(self.folder_of_programs(number), ignore_errors=True)
            for name in (part, *programs.values()):
                if os.path.exists(name):
                    os.remove(name)

    def folder_of_programs(self, name):
        return os.path.join(self.build.folder, f"mutant-{os.getpid()}-{name}")

    def noticed_by_script(self, number, source, part):
        chosen = self.scripts.chosen(os.path.relpath(source, ROOT))

        def programs(name, object_file):
            return self.scripts.programs(chosen, self.folder_of_programs(name), lambda binary, target: self.build.link(binary, object_file, target))
        changed = programs(number, part)
        plain = programs(f"{number}-plain", self.plain(source))
        try:
            return changed and plain and self.scripts.notice(chosen, plain, changed)
        finally:
            shutil.rmtree(self.folder_of_programs(f"{number}-plain"), ignore_errors=True)

    def plain(self, source):
        """The object of the source as it is, from the same command: equal bytes mean an equal program."""
        target = os.path.join(self.folder, "plain-" + re.sub(r"\W", "-", source) + ".o")
        if not os.path.exists(target):
            with open(source) as file:
                assert self.build.compile(source, file.read(), target + ".new.o"), f"{source} does not compile"
            os.replace(target + ".new.o", target)
        return target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--under", action="append")
    parser.add_argument("--at")
    parser.add_argument("--kinds", default="operator,condition,bound,call")
    parser.add_argument("--tests", help="a test binary; those of a source's folder if not given")
    parser.add_argument("--tag", action="append", default=[])
    parser.add_argument("--without", action="append", default=[], help="a test file that is not run: one that takes long can only lower the share")
    parser.add_argument("--no-scripts", dest="scripts", action="store_false", help="the test binaries alone: a lower bound, in less time")
    parser.add_argument("--floor", type=int, default=0, help="the least share in per cent, else the exit code is 1")
    parser.add_argument("--log")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    build = Build(options.build)
    kinds = options.kinds.split(",")
    folders = [os.path.join(ROOT, folder) for folder in options.under or ["engine", *(f"viewer/{room}" for room in ROOMS)]]
    if options.at:
        folders = [os.path.join(ROOT, options.at.split(":")[0])]
    # A sanitized build makes only what its tests link.
    sources = sorted(path for path in build.commands if any(path == folder or path.startswith(folder + "/") for folder in folders)
                     and os.path.exists(build.made(path)))
    places = [(source, *change) for source in sources for change in changes_of(source, kinds)]
    if options.at and ":" in options.at:
        places = [place for place in places if place[1] + 1 == int(options.at.split(":")[1])]
    random.Random(options.seed).shuffle(places)
    if options.list:
        for source, line, _, kind, new in places[:options.count]:
            print(f"{os.path.relpath(source, ROOT)}:{line + 1}: {kind}: {new.strip()}")
        return 0
    counts, survivors, log = {"noticed": 0, "survived": 0, "left out": 0}, [], open(options.log or os.devnull, "a")
    by_folder = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        run = Run(build, options.tests, options.tag, options.without, folder, options.scripts)

        def judge(numbered):
            number, (source, line, _, _, new) = numbered
            if counts["noticed"] + counts["survived"] >= options.count:
                return None
            with open(source) as file:
                lines = file.read().split("\n")
            lines[line] = new
            return run.fate(number, source, "\n".join(lines))

        for (source, line, _, kind, new), fate in zip(places, pool.map(judge, enumerate(places))):
            if fate is None:
                break
            noticed = fate.startswith("noticed")
            counts["noticed" if noticed else fate] += 1
            if fate != "left out":
                by_folder.setdefault(os.path.relpath(os.path.dirname(source), ROOT), []).append(noticed)
            said = f"{fate}: {os.path.relpath(source, ROOT)}:{line + 1}: {kind}: {new.strip()}"
            print(said, file=log, flush=True)
            if fate == "survived":
                survivors.append(said)
    judged = counts["noticed"] + counts["survived"]
    print("\n".join(survivors))
    for place, fates in sorted(by_folder.items()):
        print(f"{place}: {sum(fates)} of {len(fates)}")
    share = 100 * counts["noticed"] / max(1, judged)
    print(f"{counts['noticed']} of {judged} changes noticed ({share:.1f} %), {counts['left out']} left out, of {len(places)} places")
    return 0 if judged > 0 and share >= options.floor else 1


if __name__ == "__main__":
    sys.exit(main())

"""Runs what a page of the manual shows, and compares what is printed with what the page shows.

usage: pages_test.py TAPESCOPE PROGRAM BUILD_FOLDER PAGE... [--write]     (--write puts what is printed into the pages)
A page's blocks are run from top to bottom in an empty folder, with the Python that runs this test as python3:
  ```cpp, ```python, ```cmake   whose first line is a comment with a file's name: becomes that file. Other Python is compiled only.
  ```sh                         commands, which end with 0 or as "  # ends with 1" behind them says
  ```console                    a line that begins with "$ " is a command, the lines after it are its standard output
  ```window                     commands that open the window, which must show a program; a command that ends with "&" goes on until the page ends
  ```yaml                       steps of a workflow: each "- run: COMMAND" is run as in ```sh
A line "…" stands for any lines, "…" in a line for any text; times, numbers with a point, processes and the width of columns may differ. `my-program` is tests/install/example.
A page that needs a framework says so in its first line: <!-- runs with tensorflow -->; so does one that needs Open MPI: <!-- runs with mpirun -->.
Blocks of other kinds do not run here.
"""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs" / "make"))
from blocks import BLOCK, commands_of, file_of, script_of  # noqa: E402

MASKS = [(re.compile(r"[\d.]+ (?:ns|µs|ms|s)\b"), "<time>"), (re.compile(r"\d+\.\d+"), "<figure>"), (re.compile(r"\b(?:pid|process) \d+"), "<process>")]
FILES = re.compile(r"(?:^| )(?:-o|--json|--record) (?!-)(\S+)")


def masked(text):
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return re.sub(r" +", " ", re.sub(r" +$", "", text, flags=re.M))


def agrees(shown, printed):
    """Whether `printed` is what the page shows, where "…" stands for anything."""
    pattern = ""
    for line in masked(shown).splitlines(keepends=True):
        pattern += "(?:.*\n)*?" if line.strip() == "…" else ".*?".join(map(re.escape, line.split("…")))
    return re.fullmatch(pattern, masked(printed)) is not None


class Place:
    """An empty folder, with the commands that the manual uses on PATH."""

    def __init__(self, folder, tapescope, program, build):
        self.build, self.installed = build, folder / "installed"
        tools, self.work = folder / "bin", folder / "work"
        tools.mkdir()
        self.work.mkdir()
        (tools / "my-program").symlink_to(os.path.abspath(program))
        # The window does what the script says, and ends.
        self.shown, script, self.left = folder / "shown.json", folder / "script", []
        script.write_text(f"state {self.shown}\nquit\n")
        # A link to Python would leave the virtual environment.
        for name, target, more in (("tapescope", os.path.abspath(tapescope), f'[ "$1" != gui ] || {{ shift; set -- gui --script "{script}" "$@"; }}\n'), ("python3", sys.executable, "")):
            (tools / name).write_text(f'#!/bin/sh\n{more}exec "{target}" "$@"\n')
            (tools / name).chmod(0o755)
        (folder / "home").mkdir()
        kept = {key: value for key, value in os.environ.items() if not key.startswith("TAPESCOPE") and key not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.environment = {**kept, "PATH": f"{tools}{os.pathsep}{kept['PATH']}", "PYTHONPATH": os.path.abspath(build / "python"), "TF_CPP_MIN_LOG_LEVEL": "3",
                            "CMAKE_PREFIX_PATH": str(self.installed), "XDG_RUNTIME_DIR": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home"), "TERM": "dumb",
                            "TAPESCOPE": str(tools / "tapescope"),
                            # mpirun starts more ranks than there are processors, and as root, as in a container.
                            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            # Open MPI looks for graphics cards by each display that there is, and ends when another test ends that one.
                            "HWLOC_COMPONENTS": "-gl"}

    def run(self, line):
        """What the command printed; raises where it ended otherwise than the line says."""
        command, _, remark = line.partition("  # ")
        ends = re.search(r"ends with (\d+)", remark)
        if "cmake" in command and not self.installed.exists():
            with (self.build / "install.lock").open("w") as lock:  # an installation makes the public part anew, in the build's folder
                fcntl.flock(lock, fcntl.LOCK_EX)
                subprocess.run(["cmake", "--install", self.build, "--prefix", self.installed], check=True, capture_output=True)
        done = subprocess.run(["bash", "-c", command], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8", errors="replace", timeout=300, check=False)
        expected = int(ends[1]) if ends else 0
        if "no MPI" in done.stderr:
            print("skipped: this build has no MPI")
            sys.exit(77)
        assert done.returncode == expected, f"{line}\nended with {done.returncode}, not {expected}:\n{done.stdout}{done.stderr}"
        for out in FILES.findall(command):
            assert "%" in out or (self.work / out).stat().st_size > 0, f"{line}\n{out} is empty"
        return re.sub(r"[ \t]+$", "", done.stdout, flags=re.M)


    def start(self, line):
        """Starts a command that goes on; one that listens can be attached to when this returns."""
        command, _, _ = line.partition("  # ")
        out = (self.work / "left.txt").open("ab")
        self.left.append(subprocess.Popen(["bash", "-c", command.rstrip(" &")], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                          start_new_session=True))
        if "TAPESCOPE_LISTEN" in command or "--listen" in command or "--wait" in command:
            self.run("until tapescope list --live --json - | grep -q '\"pid\"'; do sleep 0.1; done")

    def show(self, line):
        """Opens the window by the command, on a screen of memory."""
        command, _, _ = line.partition("  # ")
        self.shown.unlink(missing_ok=True)
        screen = pathlib.Path(__file__).resolve().parents[1] / "support" / "xvfb.sh"
        # A window that the program opened may be there when the program has ended.
        command += f"; for _ in $(seq 600); do [ ! -s {shlex.quote(str(self.shown))} ] || break; sleep 0.1; done"
        self.run(f"bash {shlex.quote(str(screen))} 1400x900 bash -c {shlex.quote(command)}")
        state = json.loads(self.shown.read_text(encoding="utf-8"))
        assert state["sample"] and not state.get("error"), f"{line}\nshows no program: {state['sample']!r}, {state.get('error')}"

    def end(self):
        for program in self.left:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()


def play(page, place, write):
    """Complaints about one page."""
    text, complaints, ran = page.read_text(encoding="utf-8"), [], 0
    for kind, body in BLOCK.findall(text):
        name = file_of(kind, body)
        if name:
            file = place.work / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(body, encoding="utf-8")
        elif kind == "python":
            compile(body, page.name, "exec")
        elif kind in ("sh", "window", "yaml"):
            for line in body.splitlines():
                line = line.removeprefix("- run: ") if kind == "yaml" else line
                goes_on = line.partition("  # ")[0].endswith(" &")
                (place.start if goes_on else place.show if kind == "window" else place.run)(line)
                ran += 1
        elif kind == "console":
            for command, shown in commands_of(body):
                ran += 1
                printed = place.run(command)
                if agrees(shown, printed):
                    continue
                complaints.append(f"{page}: {command}\nprints\n{printed}the page shows\n{shown}")
                if write:
                    text = text.replace(f"$ {command}\n{shown}", f"$ {command}\n{printed}", 1)
    if write:
        page.write_text(text, encoding="utf-8")
    print(f"{page}: {ran} commands")
    return complaints


def self_test():
    for shown, printed, same in (("a\n", "a\n", True), ("a\n", "b\n", False), ("a …\n", "a b\n", True), ("…\nc\n", "a\nb\nc\n", True),
                                 ("took 3 ms\n", "took 12.5 µs\n", True), ("3 steps\n", "4 steps\n", False), ("ratio 1.4\n", "ratio 0.9\n", True), ("a\n", "a\nb\n", False), ("", "a\n", False)):
        assert agrees(shown, printed) == same, (shown, printed)
    assert list(commands_of("$ a \\\n  b\nc\n$ d\n")) == [("a \\\n  b", "c\n"), ("d", "")]
    script = script_of("```python\n# a.py\nb\n```\n```bash\nc\n```\n```console\n$ d\ne\n```\n```text\nf\n```\n```window\ng h\n```\n")
    assert "see 'g h'" in script and "cat > a.py" in script and "\nc\n" in script and "\nd\n" in script and "\nf\n" not in script, script


def main():
    self_test()
    words = [word for word in sys.argv[1:] if word != "--write"]
    tapescope, program, build = words[:3]
    complaints = []
    for page in words[3:]:
        if pathlib.Path(page).read_text(encoding="utf-8").startswith("<!-- runs with mpirun -->") and not shutil.which("mpirun"):
            print("skipped: Open MPI's mpirun is needed (openmpi-bin)")
            return 77
        with tempfile.TemporaryDirectory() as folder:
            place = Place(pathlib.Path(folder), tapescope, program, pathlib.Path(build))
            try:
                complaints += play(pathlib.Path(page), place, "--write" in sys.argv)
            finally:
                place.end()
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

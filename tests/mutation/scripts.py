"""Tests of whole programs: commands of ctest that have a program of the build among their words, run with one that is linked anew."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time

# Which scripts are to notice a change in a folder. The viewer's show what the engine recorded and explained.
COMMANDS = r"(recording_(?!hostile|damaged|faults)|docs_|live_programs|launched_programs|completion|jobs_by_mpi|bridge_(findings|advice)$)"
WINDOW = r"(test_window(_recording|_launch|_live)?$|test_hand$|test_pictures$)"
SCRIPTS = {"engine": COMMANDS, "engine/recording": COMMANDS + "|recording_", "viewer": COMMANDS} | {
    f"viewer/{folder}": WINDOW for folder in ("debugger", "ui", "panels", "window")}
# A changed window may wait for ever; a test has half a minute of patience with each of several things.
PATIENCE = 60  # seconds


def innermost(table, place):
    """What the table has for the deepest of its folders that the place is in."""
    return max((each for each in table.items() if place.startswith(each[0] + "/")), key=lambda each: len(each[0]))[1]


def end_group(child):
    """Ends the child and what it started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


class Script:
    def __init__(self, test):
        self.name, self.words = test["name"], test["command"]
        properties = {each["name"]: each["value"] for each in test["properties"]}
        self.folder = properties["WORKING_DIRECTORY"]
        self.environment = dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
        self.left_out = properties.get("SKIP_RETURN_CODE", 0)

    def passes(self, programs, seconds):
        """Whether it passes with these programs (path of the build -> another path) in that time."""
        words = [programs.get(word, word) for word in self.words]
        with tempfile.TemporaryDirectory() as home:
            environment = os.environ | self.environment | {"TMPDIR": home}
            # A run that goes on without its terminal ignores the signal, and ways to end are by signals.
            child = subprocess.Popen(words, cwd=self.folder, env=environment, start_new_session=True, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
            try:
                return child.wait(seconds) in (0, self.left_out)
            except subprocess.TimeoutExpired:
                return False
            finally:
                end_group(child)


class Scripts:
    """Those of a build."""

    def __init__(self, folder):
        self.build = os.path.abspath(folder)
        said = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
        self.all, self.seconds = [], {}
        for test in json.loads(said[said.index("{"):])["tests"]:
            labels = [each["value"] for each in test["properties"] if each["name"] == "LABELS"]
            if any(self.is_program(word) for word in test.get("command", [])[1:]) and labels != [["long"]]:
                self.all.append(Script(test))

    def is_program(self, word):
        return word.startswith(self.build + "/") and os.path.isfile(word) and os.access(word, os.X_OK) and not word.endswith(".so")

    def chosen(self, place):
        """The scripts for a file, those that take least first where that is known; self.seconds has None for one that cannot be used."""
        pattern = re.compile(innermost(SCRIPTS, place))
        return sorted((script for script in self.all if pattern.match(script.name)), key=lambda script: self.seconds.get(script.name) or 0)

    def programs(self, scripts, folder, link):
        """Links the programs of the scripts in a folder beside the build's. One without the changed file does not link with it and stays."""
        os.makedirs(folder)
        # A program looks for the Python package beside itself.
        os.symlink(os.path.join(self.build, "python"), os.path.join(folder, "python"))
        programs = {}
        for word in sorted({word for script in scripts for word in script.words[1:] if self.is_program(word)}):
            target = os.path.join(folder, os.path.basename(word))
            if link(os.path.relpath(word, self.build), target):
                programs[word] = target
        return programs

    def notice(self, scripts, plain, changed):
        """The first of the scripts that fails twice with the changed programs and passes with the plain ones; None if each passes."""
        for script in scripts:
            if script.name not in self.seconds:
                begin = time.monotonic()
                if not script.passes(plain, 600):
                    print(f"{script.name} fails without any change: it is left out", flush=True)
                    self.seconds[script.name] = None
                else:
                    self.seconds[script.name] = time.monotonic() - begin
            took = self.seconds[script.name]
            if took is not None and not any(script.passes(changed, PATIENCE + 3 * took) for _ in range(2)):
                return script.name
        return None

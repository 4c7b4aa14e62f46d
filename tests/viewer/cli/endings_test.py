"""However a program ends, its recording holds what came before and says how it ended: endings_test.py TAPESCOPE PROGRAM [--write].

../../endings/README.md shows what came of each: the test fails where that is no longer so, --write writes it anew."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

tapescope, program = sys.argv[1:3]
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "endings", "README.md")

# way: (steps kept, how it ended, the fields that say more, the verdict). Three steps are trained, and a fourth where the program
# lives on.
CANNOT, NOTHING = "cannot_say", "nothing_found"
ENDINGS = {
    "return": (3, "finished", {"code": 0}, NOTHING),
    "exit": (3, "exit", {"code": 3}, CANNOT),
    "exception": (3, "exception", {"type": "std::out_of_range", "text": "no such layer: 7"}, CANNOT),
    "other-exception": (3, "exception", {"type": r"\(anonymous namespace\)::NoException"}, CANNOT),
    "exception-in-thread": (3, "exception", {"type": "std::runtime_error", "text": "in a thread"}, CANNOT),
    "own-terminate-handler": (3, "exception", {"type": "std::runtime_error", "text": "seen by both"}, CANNOT),
    "terminate": (3, "terminate", {}, CANNOT),
    "abort": (3, "signal", {"signal": "SIGABRT"}, CANNOT),
    "segv": (3, "signal", {"signal": "SIGSEGV"}, CANNOT),
    "segv-in-thread": (3, "signal", {"signal": "SIGSEGV"}, CANNOT),
    "stack-overflow": (3, "signal", {"signal": "SIGSEGV"}, CANNOT),
    "division": (3, "signal", {"signal": "SIGFPE"}, CANNOT),
    "term": (3, "signal", {"signal": "SIGTERM"}, CANNOT),
    "int": (3, "signal", {"signal": "SIGINT"}, CANNOT),
    "pipe": (3, "signal", {"signal": "SIGPIPE"}, CANNOT),
    "kill": (3, "cut_off", {}, CANNOT),
    "_exit": (3, "cut_off", {}, CANNOT),
    "exec": (3, "cut_off", {}, CANNOT),
    "quick_exit": (3, "finished", {}, NOTHING),
    "ignored": (3, "finished", {"code": 0}, NOTHING),
    "survived": (4, "finished", {"code": 0}, NOTHING),
    "fork": (4, "finished", {"code": 0}, NOTHING),
    "fork-and-crash": (4, "finished", {"code": 0}, NOTHING),
    "thread-outlives-main": (3, "finished", {"code": 0}, NOTHING),
    "static-destructor": (3, "finished", {"code": 0}, NOTHING),
    # After the recorder's end.
    "late-fault": (3, "cut_off", {}, CANNOT),
    "late-terminate": (3, "cut_off", {}, CANNOT),
}


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, **options)


def what_is_said(path, way):
    """(steps, ending, verdict, exit codes of explain and check) of a recording; its commands agree with each other."""
    done = run(tapescope, "explain", path, "--json", "-")
    assert done.returncode == 0, (way, done)
    explained = json.loads(done.stdout)
    report = json.loads(run(tapescope, "report", path, "--json", "-").stdout)
    text = run(tapescope, "explain", path).stdout
    check = run(tapescope, "check", path, "--json", "-")
    # Always looked for, whatever is asked.
    narrow = run(tapescope, "check", path, "--fail-on", "none")
    checked, ending = json.loads(check.stdout), explained["ending"]
    assert checked["ending"] == report["ending"] == ending, (way, checked, report["ending"], ending)
    assert checked["verdict"] == explained["verdict"] == report["verdict"], (way, checked, explained["verdict"])
    said = explained["verdict"] == CANNOT
    assert said == (check.returncode == 1) == (narrow.returncode == 1), (way, check, narrow)
    assert said == ("Cannot say" in text) == ("cannot say" in narrow.stdout), (way, text, narrow)
    assert said != ("Nothing is wrong" in text) and said == (ending["message"] in text), (way, text)
    assert [alert["kind"] for alert in explained["alerts"]] == ["truncated"] * said, (way, explained["alerts"])
    return report["steps"], ending, explained["verdict"], (done.returncode, check.returncode)


def page(rows):
    """The table of the page, of what was seen."""
    head = ("| way to end | steps kept | what is said | verdict | exit code of the program | of `explain`, `check` |", "|" + "---|" * 6)
    body = (f"| {way} | {kept} of {trained} | {said} | {verdict.replace('_', ' ')} | {ended} | {codes[0]}, {codes[1]} |"
            for way, kept, trained, said, verdict, ended, codes in rows)
    return "\n".join((*head, *body)) + "\n"


def how_it_ended(code):
    return str(code) if code >= 0 else signal.Signals(-code).name


rows = []
with tempfile.TemporaryDirectory() as folder:
    for way, (steps, how, more, verdict) in ENDINGS.items():
        path = os.path.join(folder, way + ".tape")
        environment = {**os.environ, "WAY_TO_END": way}
        plain = run(program, way, env=environment)
        recorded = run(program, way, env={**environment, "TAPESCOPE_RECORD": path})
        # The program's own ending is what it was.
        assert (recorded.returncode, recorded.stdout, recorded.stderr) == (plain.returncode, plain.stdout, plain.stderr), (way, plain, recorded)
        kept, ending, said, codes = what_is_said(path, way)
        # The parent's, where a child ends as well.
        trained = 3 + (way in ("survived", "fork", "fork-and-crash", "static-destructor"))
        rows.append((way, kept, trained, ending["message"].replace(path, os.path.basename(path)), said, how_it_ended(recorded.returncode), codes))
        assert (kept, ending["how"], said) == (steps, how, verdict), (way, kept, ending, said)
        for field, value in more.items():
            assert re.fullmatch(value, ending[field]) if isinstance(value, str) else ending[field] == value, (way, ending)
        if "code" in more:
            assert plain.returncode == more["code"], (way, plain, ending)
        if "signal" in more:
            assert plain.returncode == -getattr(signal, more["signal"]) and ending["code"] == -plain.returncode, (way, plain, ending)

        # Beside a recording that has its end nothing is left.
        assert os.path.exists(path + ".tail") == (how == "cut_off" and not way.startswith("late-")), (way, os.listdir(folder))
        if how == "cut_off":
            # The next one of this name does not take up the tail of the one before.
            done = run(program, "return", "1", env={**environment, "TAPESCOPE_RECORD": path})
            assert done.returncode == 0 and what_is_said(path, way)[0] == 1 and not os.path.exists(path + ".tail"), (way, done)
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    before = text[:text.index("| way to end")]
    if "--write" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(before + page(rows))
    else:
        assert text == before + page(rows), f"{PAGE} shows what is no longer so; write it anew with --write:\n{page(rows)}"
    print(f"{len(ENDINGS)} ways to end")

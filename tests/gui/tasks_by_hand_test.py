"""What a new user wants to know, found with real keys and a real mouse: tasks_by_hand_test.py TAPESCOPE PROGRAM PACE [TASK].

PACE is `human`, who looks before each action, or `fast`, who acts as soon as what is to be clicked is on the screen. What a task came to is
read from the screen: labels of the UI map. Each action is counted where it is made, and a task has a limit of them. Run by xvfb.sh.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from real_window import Window, type_text, xdo

TAPESCOPE, PROGRAM, PACE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
HEIGHT = 860
LOOKS, LETTERS = {"human": (0.4, 90), "fast": (0, 8)}[PACE]  # seconds before an action, milliseconds between letters


class Hand:
    """A person before the window: a click, a key, or a text with its Enter is an action."""

    def __init__(self, window):
        self.window, self.actions = window, []
        window.focus()

    def _act(self, what):
        self.actions.append(what)
        time.sleep(LOOKS)

    def click(self, name):
        # What is to be clicked stands still: it is where it was in the frame before.
        last = []

        def stands(_):
            item = self.window.item(name)
            last.append(item and (item["x"], item["y"]))
            return item is not None and item["enabled"] and last[-2:-1] == last[-1:]
        self.window.wait(name, stands)
        self._act(f"click {name}")
        x, y = last[-1]
        item = self.window.item(name)
        xdo("mousemove", str(int(x + item["w"] / 2)), str(int(y + min(item["h"], 40) / 2)), "click", "1")

    def choose(self, sample):
        """A card of the first screen; the wheel brings it into sight."""
        name, looked = f"start/sample/{sample}", False

        def in_sight():
            item = self.window.item(name)
            return item is not None and item["y"] + 80 < HEIGHT
        self.window.wait("the first screen", lambda _: self.window.item("start/launch/program"))
        xdo("mousemove", "400", "500")
        for _ in range(40):
            if in_sight():
                break
            if not looked:
                self._act("scroll")
            looked = True
            frame = self.window.map()["frame"]
            xdo("click", "5")
            self.window.wait("the screen to move", lambda m: m["frame"] > frame)
        # Until it rests.
        before = None
        while (item := self.window.item(name)) is None or item["y"] != before:
            before = item and item["y"]
            time.sleep(0.2)
        self.click(name)

    def key(self, key):
        self._act(key)
        xdo("key", key)

    def type(self, text):
        self._act(f"type {text}")
        type_text(text, LETTERS, enter=True)

    def prompt(self, key, text):
        """Keys that ask for more, then what is asked for."""
        self.key(key)
        self.window.wait("the prompt", lambda _: (self.window.item("palette/text") or {}).get("enabled"))
        self.type(text)

    def reads(self, name, words):
        """Waits for all of the words to stand there; returns what stands there."""
        self.window.wait_label(name, lambda text: all(word in text for word in words))
        return self.window.label(name)

    def rows(self, prefix):
        """Labels and ids from the top down, once there are some."""
        def found():
            items = [item for item in self.window.map()["items"] if item["id"].startswith(prefix)]
            return sorted((item["y"], item["id"], item["label"]) for item in items)
        self.window.wait(prefix, lambda _: found())
        return found()


def opened(folder, *arguments):
    return Hand(Window(TAPESCOPE, folder, *arguments, size=f"1280x{HEIGHT}"))


def finished(hand, alert=False):
    hand.reads("words/status", ["Finished"])
    if alert:
        hand.window.wait("an alert", lambda _: hand.window.item("alerts/row/0"))


def shown(hand):
    hand.reads("words/status", ["Recording of " + os.path.basename(PROGRAM)])


def recorded(folder, steps):
    tape = pathlib.Path(folder) / "mine.tape"
    subprocess.run([PROGRAM, str(steps)], check=True, capture_output=True, env=dict(os.environ, TAPESCOPE_RECORD=str(tape), TAPESCOPE_RECORD_VALUES="1"))
    return tape


def why_a_source_gets_no_gradient(folder, hand):
    hand.choose("stop-gradient")
    hand.key("Return")
    finished(hand)
    hand.click("alerts/row/0")
    said = hand.reads("alerts/row/0/story", ["\n"])
    assert said.split("\n")[1], said  # what to do
    question = hand.reads("gradients/why", ["Why is ", " None?"])
    assert question.split()[2] in hand.window.label("alerts/row/0"), question


def which_op_makes_the_first_nan(folder, hand):
    hand.choose("nan-hunt")
    hand.key("Return")
    finished(hand, alert=True)
    hand.key("F8")
    hand.reads("alerts/row/0/story", ["Log"])
    hand.reads("inspector/location", ["nan_hunt.cpp:"])


def which_backward_op_makes_the_first_nan(folder, hand):
    hand.choose("nan-hunt")
    hand.click("welcome/variant/where-trap")
    hand.key("Return")
    finished(hand, alert=True)
    hand.key("F8")
    hand.reads("alerts/row/0/story", ["Pow"])
    hand.reads("inspector/location", ["nan_hunt.cpp:"])


def which_op_costs_most_backward(folder, hand):
    hand.choose("variable-tracking")
    hand.key("Return")
    finished(hand)
    hand.click("tab/ops")
    hand.click("ops/sort/backward")
    hand.window.wait("MatMul to stand above all", lambda _: hand.rows("ops/row/")[0][2] == "MatMul")


def why_it_was_traced_again(folder, hand):
    hand.choose("retracing")
    hand.key("Return")
    finished(hand)
    hand.click("tab/functions")
    _, _, said = hand.rows("functions/retrace/")[0]
    assert "shape" in said and "x:" in said and "→" in said and "retracing.cpp:" in said, said


def step_back_and_read_cotangents(folder, hand):
    hand.choose("linear-regression")
    hand.key("F10")
    hand.reads("words/where", ["op 1 of "])
    hand.key("End")
    count = int(hand.reads("words/where", ["op ", " of ", ", backward"]).split()[3].rstrip(","))
    hand.reads("words/where", [f"op {count} of {count}"])
    for back in (1, 2, 3):
        hand.key("shift+F10")
        hand.reads("words/where", [f"op {count - back} of {count}, backward"])
        hand.reads("words/status", [f"op {count - back} of {count}"])
    hand.window.wait("a cotangent", lambda _: any(label.startswith("cotangent") for _, _, label in hand.rows("words/tensor/")))


def step_back_in_a_recording(folder, hand):
    hand.key("End")
    count = int(hand.reads("words/where", ["op ", " of ", ", backward"]).split()[3].rstrip(","))
    for back in (1, 2, 3):
        hand.key("shift+F10")
        hand.reads("words/where", [f"op {count - back} of {count}"])
        hand.reads("words/status", [f"op {count - back} of {count}"])


def stop_where_a_norm_passes_1000(folder, hand):
    hand.choose("variable-tracking")
    hand.key("Return")
    finished(hand)
    hand.click("tab/breakpoints")
    hand.click("breakpoints/add")
    hand.click("breakpoint-form/kind/norm-above")
    hand.click("breakpoint-form/done")
    hand.key("F5")
    said = hand.reads("words/status", ["Paused at op", "because", "norm", "is above"])
    assert "variable_tracking.cpp:" in said, said


def which_variant_is_faster(folder, hand):
    hand.choose("variable-tracking")
    hand.reads("welcome/run", ["Run variable-tracking"])
    hand.click("welcome/compare")
    finished(hand)
    said = hand.reads("words/compare", ["interval"])
    assert "B" in said, said


def open_a_recording_of_ones_own(folder, hand):
    tape = recorded(folder, 30)
    hand.prompt("ctrl+o", str(tape))
    shown(hand)
    rows = {label for _, _, label in hand.rows("gradients/row/")}
    assert {"slope", "offset"} <= rows, rows


def attach_to_a_program(folder, hand):
    program = subprocess.Popen([PROGRAM, "1000000000"], stdout=subprocess.DEVNULL, env=dict(os.environ, TAPESCOPE_LISTEN="1", XDG_RUNTIME_DIR=folder))
    try:
        hand.click(f"start/attach/{program.pid}")
        hand.reads("words/status", ["Attached to " + os.path.basename(PROGRAM), "running"])
        rows = {label for _, _, label in hand.rows("gradients/row/")}
        assert {"slope", "offset"} <= rows, rows

        # In one frame toolbar and status line have one step.
        def steps(shown):
            said = {item["id"]: item["label"] for item in shown["items"]}
            return said["words/step"].split()[1], said["words/status"].rsplit("step ", 1)[-1].split()[0]
        toolbar, status = steps(hand.window.map())
        assert toolbar == status and int(toolbar) > 0, (toolbar, status)
    finally:
        hand.window.close()
        program.kill()
        program.wait()


def save_a_trace_for_perfetto(folder, hand):
    out = pathlib.Path(folder) / "trace.json"
    hand.prompt("ctrl+shift+e", f"perfetto {out}")
    hand.reads("words/status", ["Saved"])
    events = json.loads(out.read_text())["traceEvents"]
    steps = {event["name"] for event in events if event.get("name", "").startswith("step ")}
    assert len(steps) == 30, sorted(steps)


def what_keeps_the_memory(folder, hand):
    hand.choose("mnist-mlp")
    hand.key("F10")
    hand.reads("words/where", ["op 1 of "])
    hand.key("End")
    hand.reads("words/where", ["backward"])
    hand.click("tab/memory")
    parts = [label for _, _, label in hand.rows("memory/part/")]
    assert any("dense1/kernel" in part for part in parts), parts


def of_a_recording(folder):
    return ("--open", str(recorded(folder, 30)))


# What is asked, how many actions it may take, how the window is started.
TASKS = [(why_a_source_gets_no_gradient, 4, None), (which_op_makes_the_first_nan, 4, None), (which_backward_op_makes_the_first_nan, 5, None),
         (which_op_costs_most_backward, 5, None), (why_it_was_traced_again, 4, None), (step_back_and_read_cotangents, 7, None),
         (step_back_in_a_recording, 4, of_a_recording), (stop_where_a_norm_passes_1000, 8, None), (which_variant_is_faster, 3, None),
         (open_a_recording_of_ones_own, 3, None), (attach_to_a_program, 3, None), (save_a_trace_for_perfetto, 3, of_a_recording),
         (what_keeps_the_memory, 5, None)]

failed = 0
for task, most, arguments in TASKS:
    if len(sys.argv) > 4 and sys.argv[4] not in task.__name__:
        continue
    with tempfile.TemporaryDirectory() as scratch:
        hand = opened(scratch, *(arguments(scratch) if arguments else ()))
        begun = time.monotonic()
        try:
            if arguments:
                shown(hand)
            task(scratch, hand)
            assert len(hand.actions) <= most, f"{len(hand.actions)} actions, {most} are the limit: {hand.actions}"
            print(f"ok {task.__name__.replace('_', ' ')}: {len(hand.actions)} actions, {time.monotonic() - begun:.1f} s", flush=True)
        except (AssertionError, KeyError, IndexError, ValueError, subprocess.SubprocessError) as wrong:
            failed += 1
            print(f"FAILED {task.__name__.replace('_', ' ')} after {hand.actions}: {wrong!r}"[:3000], flush=True)
        finally:
            hand.window.close()
sys.exit(failed != 0)

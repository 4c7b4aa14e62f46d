"""What a hand does and an eye reads, which scripts miss since they wait: hand_test.py BINARY PROGRAM [TEST]. Run by xvfb.sh."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from real_window import Window, type_text, xdo

BINARY, PROGRAM = sys.argv[1:3]


def started(folder, *arguments, **options):
    window = Window(BINARY, folder, *arguments, **options)
    window.focus()
    return window


def a_recording_moves_on_the_screen_with_each_key(folder):
    tape = f"{folder}/a.tape"
    subprocess.run([BINARY, "run", "mnist-mlp", "--steps", "5", "--record", tape], check=True, capture_output=True)
    with started(folder, "--open", tape) as window:
        window.wait_mode("finished")
        xdo("key", "End")
        count = window.wait_mode("paused")["cursor_count"]
        for back in range(1, 5):
            xdo("key", "shift+F10")
            window.wait_label("words/where", lambda text: text.startswith(f"op {count - back} of {count}"))
            assert f"op {count - back} of {count}" in window.label("words/status"), window.label("words/status")


def a_live_run_shows_the_op_it_stands_at(folder):
    with started(folder, "--sample", "mnist-mlp", "--steps", "3") as window:
        xdo("key", "F10")
        window.wait_mode("paused")
        for _ in range(20):
            xdo("key", "F10")
            time.sleep(0.25)
        # The graph's line of scopes ends with the op that the status line names.
        window.wait_label("words/graph", lambda where: where.rsplit("›", 1)[-1].strip() == window.label("words/status").split(" · ")[1])


def words_come_when_the_pointer_rests(folder):
    with started(folder, "--sample", "mnist-mlp") as window:
        window.wait("the toolbar", lambda _: window.item("toolbar/run"))
        xdo("mousemove", "600", "400")
        time.sleep(1)
        window.point_at("toolbar/run")
        window.wait("the tooltip", lambda _: window.item("tooltip"))
        before = window.map()["frame"]
        time.sleep(1.5)
        assert window.map()["frame"] - before <= 9, "a resting pointer makes frames"
        # A key ends them, until the pointer moves.
        xdo("key", "plus")
        window.wait("no tooltip", lambda _: not window.item("tooltip"))
        time.sleep(1)
        assert not window.item("tooltip"), "the tooltip comes again by itself"
        xdo("mousemove_relative", "2", "1")
        window.wait("the tooltip", lambda _: window.item("tooltip"))


def the_palette_takes_what_was_typed_at_any_speed(folder):
    with started(folder, "--sample", "mnist-mlp") as window:
        # Enter follows the last letter at once.
        window.open_palette("ctrl+o")
        type_text("/nonexistent/nope.tape", 8, enter=True)
        window.wait_label("words/status", lambda text: "/nonexistent/nope.tape" in text)


def comparing_starts_from_a_pause(folder):
    with started(folder, "--sample", "mnist-mlp", "--steps", "6") as window:
        window.wait("the toolbar", lambda _: window.item("toolbar/compare"))
        before = window.item("toolbar/compare")
        xdo("key", "F10")
        window.wait_mode("paused")
        # A button that moves once the loss is known is missed by a hand that is on its way.
        window.wait_label("words/loss", lambda text: re.search(r"\d", text))
        assert window.item("toolbar/compare")["x"] == before["x"], "the button moves"
        window.click("toolbar/compare")
        window.wait_mode("idle")
        xdo("key", "F5")
        window.wait_label("words/status", lambda text: text.startswith("Finished · 6 pairs"))


def a_window_at_rest_draws_nothing(folder):
    # The values of the op reach below the edge of their panel.
    with started(folder, "--sample", "mnist-mlp", size="1000x700") as window:
        for position in range(1, 9):
            xdo("key", "F10")
            window.wait_label("words/where", lambda text: text.startswith(f"op {position} of"))
        time.sleep(1)
        before = window.map()["frame"]
        time.sleep(2)
        assert window.map()["frame"] - before <= 9, "a window at rest makes frames"


def values_come_with_one_key(folder):
    with started(folder, "--sample", "linear-regression", "--steps", "30") as window:
        xdo("key", "F5")
        window.wait_mode("finished")
        shown = window.wait("the graph", lambda m: any(i["id"].startswith("graph/op/") for i in m["items"]))
        window.click(next(i["id"] for i in shown["items"] if i["id"].startswith("graph/op/")))
        window.wait("the offer to read values", lambda _: window.item("inspector/read"))
        xdo("key", "v")
        window.wait("the values", lambda _: not window.item("inspector/read"))
        assert window.map()["state"]["mode"] == "finished"


def a_click_in_the_strip_goes_to_the_step(folder):
    with started(folder, "--sample", "linear-regression", "--steps", "200") as window:
        xdo("key", "F5")
        window.wait_mode("finished")
        window.click("strip/run")
        window.wait_label("words/run", lambda text: text in ("step 100", "step 101"))


def numbers(window, name):
    return re.findall(r"[0-9]+", window.label(name) or "")


def the_last_step_has_one_number(folder):
    with started(folder, "--sample", "linear-regression", "--steps", "7") as window:
        xdo("key", "F5")
        window.wait_mode("finished")
        window.wait_label("words/step", lambda text: text == "step 7 / 7")
        window.wait_label("words/status", lambda text: text == "Finished · 7 steps")
        window.wait_label("strip/run", lambda text: text == "7 steps")
        window.click("strip/run")
        window.wait_label("words/run", lambda text: text in ("step 3", "step 4"))


def the_timeline_has_the_line_of_the_cursor(folder):
    with started(folder, "--sample", "mnist-mlp", "--steps", "3") as window:
        xdo("key", "F10")
        window.wait_mode("paused")
        xdo("key", "ctrl+F11")
        window.wait_label("words/step", lambda text: text.startswith("step 2"))
        window.click("tab/timeline")
        window.wait("the cursor's line", lambda _: window.item("timeline/cursor"))
        here = window.item("timeline/cursor")["x"]
        for _ in range(5):
            xdo("key", "F10")
        window.wait_label("words/where", lambda text: text.startswith("op 6 of"))
        window.wait("the line to move on", lambda _: (window.item("timeline/cursor") or {"x": here})["x"] > here)


def a_small_window_keeps_the_toolbar_and_the_graph(folder):
    with started(folder, "--sample", "mnist-mlp", "--steps", "3", size="1280x720") as window:
        xdo("key", "F5")
        window.wait_mode("finished")
        for name in ("toolbar/slider", "words/step", "words/where", "words/status", "graph/canvas", "gradients/row/dense1/kernel"):
            item = window.wait(name, lambda m, name=name: next((i for i in m["items"] if i["id"] == name), None))
            assert item
        canvas, minimap = window.item("graph/canvas"), window.item("graph/minimap")
        assert canvas["w"] * canvas["h"] > 1280 * 720 / 6, canvas
        assert minimap is None or minimap["w"] * minimap["h"] < canvas["w"] * canvas["h"] / 10, (canvas, minimap)


def the_times_of_an_op_are_a_histogram_with_its_slowest_step(folder):
    with started(folder, "--sample", "linear-regression", "--steps", "60") as window:
        xdo("key", "F5")
        window.wait_mode("finished")
        shown = window.wait("the graph", lambda m: [i["id"] for i in m["items"] if i["id"].startswith("graph/op/")])
        window.click(next(i["id"] for i in shown["items"] if i["id"].startswith("graph/op/")))
        window.wait("the times", lambda _: window.item("inspector/times"))
        window.click("inspector/slowest")
        window.wait_label("words/run", lambda text: re.fullmatch("step [0-9]+", text))


def launched(window, *fields, key="ctrl+l"):
    """By the fields of the first screen, from one to the next by Tab."""
    xdo("key", key)
    window.wait("the field", lambda _: window.item("start/launch/program"))
    time.sleep(0.5)
    for at, text in enumerate(fields):
        if at > 0:
            xdo("key", "Tab")
            time.sleep(1)  # the next field has the keyboard a frame or two later, which are slow on a busy machine
        if text:
            type_text(text, 15)
        field = f"start/launch/{('program', 'arguments', 'folder', 'python')[at]}"
        window.wait_label(field, lambda said, text=text: said == text)
    xdo("key", "Return")


def a_program_is_launched_by_its_fields_and_its_output_is_in_the_log(folder):
    with started(folder) as window:
        window.wait("the first screen", lambda _: window.item("start/launch/program"))
        launched(window, os.path.basename(PROGRAM), "400000000", os.path.dirname(PROGRAM))
        # Not on the PATH: a name without a folder.
        window.wait_label("words/status", lambda text: "there is no program" in text)
        window.click("start/launch/program")
        time.sleep(0.5)
        xdo("key", "ctrl+a")
        type_text("./" + os.path.basename(PROGRAM), 15)
        window.wait_label("start/launch/program", lambda text: text == "./" + os.path.basename(PROGRAM))
        xdo("key", "Return")
        window.wait_mode("paused")
        assert window.label("words/status") == "Paused before its first op", window.label("words/status")
        assert window.label("words/step") == "step –", window.label("words/step")
        xdo("key", "F5")
        window.wait_mode("running")
        # It says so in its first step.
        window.wait("its output", lambda m: any(i["id"].startswith("log/row/") and i["label"].startswith("offset:") for i in m["items"]))
        xdo("key", "F6")
        window.wait_mode("paused")
        stood = window.label("words/step")
        where = window.label("words/where")
        xdo("key", "ctrl+shift+F10")
        window.wait("the program to begin again", lambda m: window.label("words/step") != stood)
        window.wait("the same step", lambda _: window.label("words/step") == stood and window.label("words/where") == where)
        xdo("key", "shift+F5")
        window.wait_mode("finished")


def a_script_takes_breakpoints_before_anything_ran(folder):
    with open(f"{folder}/train.py", "w") as script:
        script.write("import math\n\nprint(math.pi)\n")
    # Runs in the place of Python, which has no framework here.
    with open(f"{folder}/python", "w") as python:
        python.write(f"#!/bin/sh\nTAPESCOPE_LISTEN=wait exec {PROGRAM} 400000000\n")
    os.chmod(f"{folder}/python", 0o755)
    with started(folder) as window:
        launched(window, "train.py", "", folder, f"{folder}/python")
        window.wait_mode("paused")
        window.click("tab/source")
        window.wait("the script", lambda _: window.item("source/line/3"))
        # However soon the hand is elsewhere, what was clicked is what was under the pointer then.
        window.point_at("source/line/1")
        places = [window.item(name) for name in ("source/gutter/3", "tab/breakpoints")]
        with stands_still(window):
            for at in places:
                xdo("mousemove", str(int(at["x"] + at["w"] / 2)), str(int(at["y"] + at["h"] / 2)), "click", "1")
            xdo("mousemove", "5", "5")
        window.wait("the breakpoint", lambda _: window.item("breakpoints/1/delete"))
        xdo("key", "shift+F5")
        window.wait_mode("finished")


@contextlib.contextmanager
def stands_still(window):
    """Whatever is done meanwhile comes in the time of one frame, as on a display that is slow."""
    os.kill(window.process.pid, signal.SIGSTOP)
    try:
        yield
        time.sleep(0.2)
    finally:
        os.kill(window.process.pid, signal.SIGCONT)


def what_is_typed_while_a_frame_is_drawn_comes_in_its_order(folder):
    field = "start/launch/program"
    with started(folder) as window:
        xdo("key", "ctrl+l")
        window.wait("the field", lambda _: window.item(field))
        with stands_still(window):
            type_text("line_abc", 8)
            xdo("key", "BackSpace", "BackSpace", "BackSpace")
            type_text("fit", 8)
            xdo("key", "Left", "Left", "Left")
            type_text("X", 8)
            xdo("key", "End")
            type_text("Y", 8)
        window.wait_label(field, lambda text: text == "line_XfitY")
        with stands_still(window):
            xdo("keydown", "ctrl", "keydown", "a", "keyup", "ctrl", "keyup", "a")
            type_text("vxc.py", 8)
            xdo("key", "Tab")
            type_text("3 epochs", 8)
        window.wait_label(field, lambda text: text == "vxc.py")
        window.wait_label("start/launch/arguments", lambda text: text == "3 epochs")
        with stands_still(window):
            xdo("key", "Escape", "ctrl+shift+p")
            type_text("break op NoSuchOp", 8)
            xdo("key", "Return", "ctrl+shift+p")
            type_text("sample nosuch", 8, enter=True)
        window.wait_label("words/status", lambda text: "there is no sample 'nosuch'" in text)


def programs_that_run_are_listed_without_a_move_of_the_hand(folder):
    with started(folder) as window:
        window.wait("the first screen", lambda _: window.item("start/launch/program"))
        time.sleep(2)
        program = subprocess.Popen([PROGRAM, "1000000000"], stdout=subprocess.DEVNULL, env=dict(os.environ, TAPESCOPE_LISTEN="1", XDG_RUNTIME_DIR=folder))
        try:
            window.wait("it to be listed", lambda _: window.item(f"start/attach/{program.pid}"))
        finally:
            program.kill()
            program.wait()
        window.wait("it to leave", lambda _: not window.item(f"start/attach/{program.pid}"))


TESTS = [the_last_step_has_one_number, the_timeline_has_the_line_of_the_cursor,
         a_small_window_keeps_the_toolbar_and_the_graph, the_times_of_an_op_are_a_histogram_with_its_slowest_step,
         a_program_is_launched_by_its_fields_and_its_output_is_in_the_log,
         a_script_takes_breakpoints_before_anything_ran, what_is_typed_while_a_frame_is_drawn_comes_in_its_order, programs_that_run_are_listed_without_a_move_of_the_hand,
         a_recording_moves_on_the_screen_with_each_key, a_live_run_shows_the_op_it_stands_at, words_come_when_the_pointer_rests,
         the_palette_takes_what_was_typed_at_any_speed, comparing_starts_from_a_pause, a_window_at_rest_draws_nothing,
         values_come_with_one_key, a_click_in_the_strip_goes_to_the_step]
for test in TESTS:
    if len(sys.argv) > 3 and sys.argv[3] not in test.__name__:
        continue
    with tempfile.TemporaryDirectory() as scratch:
        test(scratch)
        print("ok", test.__name__.replace("_", " "), flush=True)

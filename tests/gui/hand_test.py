"""What a hand does and an eye reads, which scripts miss since they wait: hand_test.py BINARY. Run by xvfb.sh."""
import subprocess
import sys
import tempfile
import time

from real_window import Window, type_text, xdo

BINARY = sys.argv[1]


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


def the_palette_takes_what_was_typed_at_any_speed(folder):
    with started(folder, "--sample", "mnist-mlp") as window:
        # Enter follows the last letter at once.
        window.open_palette("ctrl+o")
        type_text("/nonexistent/nope.tape", 8, enter=True)
        window.wait_label("words/status", lambda text: "/nonexistent/nope.tape" in text)


def comparing_starts_from_a_pause(folder):
    with started(folder, "--sample", "mnist-mlp", "--steps", "6") as window:
        xdo("key", "F10")
        window.wait_mode("paused")
        window.click("toolbar/compare")
        window.wait_mode("idle")
        xdo("key", "F5")
        window.wait_label("words/status", lambda text: text.startswith("Finished · 6 pairs"))


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


TESTS = [a_recording_moves_on_the_screen_with_each_key, a_live_run_shows_the_op_it_stands_at, words_come_when_the_pointer_rests,
         the_palette_takes_what_was_typed_at_any_speed, comparing_starts_from_a_pause,
         values_come_with_one_key, a_click_in_the_strip_goes_to_the_step]
for test in TESTS:
    if len(sys.argv) > 2 and sys.argv[2] not in test.__name__:
        continue
    with tempfile.TemporaryDirectory() as scratch:
        test(scratch)
        print("ok", test.__name__.replace("_", " "), flush=True)

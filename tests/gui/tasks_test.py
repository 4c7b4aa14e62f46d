"""Ten things a new user wants to know, done in the real window by its own buttons, rows and keys: tasks_test.py BINARY [TASK].

Run by xvfb.sh. Each task is a script that clicks, types and presses keys; what it came to is read from the state and the UI map
that the window writes.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BINARY = sys.argv[1]
PATIENCE = 120  # seconds; software OpenGL on a busy machine is slow


def carry_out(folder, sample, lines, *arguments):
    """Runs the lines in a window; `state` lines are numbered. Returns the states and the items of the last frame by id."""
    folder = pathlib.Path(folder)
    script, ui_map, states = folder / "script", folder / "map.json", []
    text = []
    for line in lines:
        if line == "state":
            states.append(folder / f"state{len(states)}.json")
            line = f"state {states[-1]}"
        text.append(line)
    script.write_text("\n".join([*text, "wait seconds 0.3", "quit"]) + "\n")
    command = [BINARY, "gui", "--size", "1400x900", "--script", str(script), "--ui-map", str(ui_map), *arguments]
    if sample:
        command += ["--sample", sample]
    environment = dict(os.environ, XDG_CONFIG_HOME=str(folder), XDG_CACHE_HOME=str(folder), NO_MOTION="1")
    run = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run.stderr
    items = {item["id"]: item for item in json.loads(ui_map.read_text())["items"]}
    return [json.loads(state.read_text()) for state in states], items


RUN = ["key F5", "wait idle 60"]
PAUSE = ["key F5", "wait paused 60"]


def typed(command):
    """A command by the palette, as a person types it."""
    return ["key F1", f"type {command}", "wait seconds 0.2", "key Enter", "wait seconds 0.2"]


def why_a_source_gets_no_gradient(folder):
    [state], items = carry_out(folder, "stop-gradient", [*RUN, "click alerts/row/0", "state"])
    assert state["selection"] == "alert 0", state["selection"]
    cut = [row for row in state["gradients"] if row["status"] == "none"]
    assert [row["reason"] for row in cut] == ["stop_gradient"], cut
    assert cut[0]["source"] == state["alerts"][0]["subject"] and cut[0]["location"].startswith("stop_gradient.cpp:"), cut
    assert items["gradients/why"]["label"] == f"Why is {cut[0]['source']} None?", items["gradients/why"]


def which_op_makes_the_first_nan(folder):
    # The alert names it, and the program stops there.
    [alerted, stopped], _ = carry_out(folder, "nan-hunt", [*RUN, "key F8", "state", *typed("break nonfinite"), *PAUSE, "state"])
    first = alerted["alerts"][0]
    assert alerted["selection"] == "alert 0" and first["kind"] == "nonfinite", first
    assert (first["op"], first["direction"]) == ("Log", "forward") and first["location"].startswith("nan_hunt.cpp:"), first
    assert stopped["mode"] == "paused" and stopped["frame"]["op"] == "Log", stopped["frame"]
    assert stopped["frame"]["location"].startswith("nan_hunt.cpp:"), stopped["frame"]["location"]
    assert re.fullmatch(r"a value is not finite: \d+ of \d+ (is|are) -?Infinity in output", stopped["frame"]["breakpoint"]), stopped["frame"]["breakpoint"]


def stop_where_a_norm_passes_1000(folder):
    [state], items = carry_out(folder, "variable-tracking", [*typed("break norm-above 1000"), *PAUSE, "state", "panel breakpoints"])
    frame = state["frame"]
    assert re.match(r"a gradient's norm is above 1000: [1-9]\d{3,}", frame["breakpoint"]), frame["breakpoint"]
    assert state["breakpoints"] == [{"number": 1, "when": "norm-above 1000", "enabled": True, "hits": 1}], state["breakpoints"]
    norms = [one["norm"] for one in frame["cotangents_out"] if one["norm"] is not None]
    assert any(norm > 1000 for norm in norms), norms
    assert "breakpoints/1/on" in items, sorted(items)


def which_argument_retraces(folder):
    [state], items = carry_out(folder, "retracing", [*RUN, "click tab/functions", "state"])
    function = state["functions"][0]
    retrace = function["retraces"][-1]
    assert (retrace["argument"], retrace["kind"]) == ("x", "shape") and retrace["from"] != retrace["to"], retrace
    assert state["panel"] == "functions" and any(name.startswith("functions/") for name in items), state["panel"]


def which_op_costs_most_backward(folder):
    [state], items = carry_out(folder, "variable-tracking", [*RUN, "click tab/ops", "click ops/sort/backward", "click ops/row/MatMul", "state"])
    rows = sorted((item["y"], name) for name, item in items.items() if name.startswith("ops/row/"))
    assert len(rows) > 3 and rows[0][1] == "ops/row/MatMul", rows
    assert state["selection"].startswith("op "), state["selection"]


def what_the_peak_is_made_of(folder):
    [state], items = carry_out(folder, "variable-tracking", [*RUN, "click tab/memory", "click memory/part/0", "state"])
    parts = [name for name in items if name.startswith("memory/part/")]
    assert parts and state["selection"].startswith("op "), (parts, state["selection"])


def whether_the_optimized_variant_computes_the_same(folder):
    [state], items = carry_out(folder, "variable-tracking", ["steps 20", "click toolbar/compare", *RUN, "click tab/compare", "wait idle 60", "state"])
    compared = state["compare"]
    assert compared["same_loss"] and compared["same_gradients"], compared["verdict"]
    assert compared["a"]["variant"] == "unoptimized" and compared["b"]["variant"] == "optimized", compared["verdict"]


def undo_a_filter(folder):
    filtered_and_not, _ = carry_out(folder, "variable-tracking",
                                    [*RUN, "click tab/ops", "click ops/filter", "type MatMul", "wait seconds 0.2", "state",
                                     "click ops/sort/op", "key Ctrl+Z", "wait seconds 0.2", "state"])
    assert [state["filter"] for state in filtered_and_not][0] == "MatMul", filtered_and_not[0]["filter"]
    assert filtered_and_not[1]["filter"] != "MatMul", filtered_and_not[1]["filter"]


def open_a_recording(folder):
    path = pathlib.Path(folder) / "run.tape"
    subprocess.run([BINARY, "run", "stop-gradient", "--record", str(path)], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
    [state], items = carry_out(folder, "derivative", ["key Ctrl+O", f"type {path}", "wait seconds 0.2", "key Enter", "wait idle 60", "state"])
    assert state["sample"] == "stop-gradient" and state["mode"] == "finished", (state["sample"], state["mode"])
    assert [row["reason"] for row in state["gradients"] if row["status"] == "none"] == ["stop_gradient"], state["gradients"]


def export_a_picture(folder):
    path = pathlib.Path(folder) / "picture.png"
    carry_out(folder, "derivative", [*RUN, "key Ctrl+Shift+E", f"type png {path}", "wait seconds 0.2", "key Enter", "wait seconds 1"])
    assert path.read_bytes().startswith(b"\x89PNG\r\n"), path


TASKS = (why_a_source_gets_no_gradient, which_op_makes_the_first_nan, stop_where_a_norm_passes_1000, which_argument_retraces,
         which_op_costs_most_backward, what_the_peak_is_made_of, whether_the_optimized_variant_computes_the_same, undo_a_filter,
         open_a_recording, export_a_picture)

failed = 0
for task in TASKS:
    if len(sys.argv) > 2 and sys.argv[2] not in task.__name__:
        continue
    with tempfile.TemporaryDirectory() as scratch:
        try:
            task(scratch)
            print("ok", task.__name__.replace("_", " "), flush=True)
        except (AssertionError, KeyError, subprocess.SubprocessError) as wrong:
            failed += 1
            print("FAILED", task.__name__.replace("_", " "), "-", repr(wrong)[:2000], flush=True)
sys.exit(failed != 0)

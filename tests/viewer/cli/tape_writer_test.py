"""A recording that Python wrote from the format's description alone is explained: tape_writer_test.py TAPESCOPE."""
import json
import os
import subprocess
import sys
import tempfile

tapescope = sys.argv[1]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(root, "assets"))
import tape_writer  # noqa: E402, it is no package


def tapescope_json(*arguments):
    done = subprocess.run([tapescope, *arguments, "--json", "-"], capture_output=True, text=True, check=True)
    assert done.stderr == "", done.stderr  # nothing of it is lost or damaged
    return json.loads(done.stdout)


def rows_of(document):
    return {row["source"]: row for row in document["gradients"]}


def several_sources(path):
    """Each source has the answer of its place among the sources."""
    with tape_writer.TapeWriter(path, name="sources") as tape:
        handles = [tape.variable(name, (2,)) for name in "abcd"]
        tape.step_begin(0)
        block = tape.tape_enter()
        reads = [tape.op("ReadVariableOp", [handle], (2,), handle=True) for handle in handles]
        loss = tape.op("AddN", reads[:3], ())
        tape.tape_exit(block)
        gradients = [tape.constant((2,)) for _ in range(3)] + [None]
        tape.gradient(block, [(loss, "loss")], list(zip(handles, "abcd", gradients)))
        tape.step_end(0)
    rows = rows_of(tapescope_json("explain", path))
    assert {name: row["status"] for name, row in rows.items()} == {"a": "value", "b": "value", "c": "value", "d": "none"}, rows
    assert rows["d"]["reason"] == "independent", rows["d"]


def each_method(path):
    """What the methods leave is what explanations find: silence, a pause, an assignment, what steps returned."""
    with tape_writer.TapeWriter(path, name="methods") as tape:
        w, b, late = (tape.variable(name, (2,)) for name in ("w", "b", "late"))
        x = tape.constant((2,), name="x")
        tape.step_begin(0)
        block = tape.tape_enter(persistent=True)
        tape.watch(block, x)
        read = tape.op("ReadVariableOp", [w], (2,), handle=True)
        tape.silence_begin("stop_gradient")
        stopped = tape.op("Identity", [tape.op("ReadVariableOp", [b], (2,), handle=True)], (2,), recorded=False)
        tape.silence_end()
        tape.tape_event("pause", block)
        paused = tape.op("ReadVariableOp", [late], (2,), recorded=False, handle=True)
        tape.tape_event("resume", block)
        product = tape.op("Mul", [read, x, stopped, paused], (2,), took=700)
        loss = tape.op("Sum", [product], ())
        tape.tape_exit(block)
        made = []

        def run(name, output):
            made.append(tape.op(name, [output], (2,), recorded=False, backward=True))
            tape.step_result(output, 4, none=[2, 3])

        tape.gradient(block, [(loss, "loss")], [(w, "w", read), (x, "x", read), (b, "b", None), (late, "late", None)],
                      [(loss, lambda: run("Tile", loss)), (product, lambda: run("MulGrad", product))])
        tape.tape_event("destroyed", block)
        tape.host_read(loss)
        tape.assign(w, made[0])
        tape.scalar("loss", 2.5, 0)
        tape.message("it is done", severity=1)
        tape.step_end(0)
    run = tapescope_json("report", path)
    assert run["loss"] == [2.5], run["loss"]
    assert run["tape"]["backward_ops"] == 2, run["tape"]
    rows = rows_of(tapescope_json("explain", path))
    assert [rows[name]["status"] for name in ("w", "x", "b", "late")] == ["value", "value", "none", "none"], rows
    assert (rows["b"]["reason"], rows["late"]["reason"]) == ("stop_gradient", "paused"), rows


def each_kind(path):
    """Every kind of record can be written, and none is unknown to the reader or damages what the others say."""
    with tape_writer.TapeWriter(path, name="kinds") as tape:
        tape.step_begin(0)
        for kind in tape_writer.KINDS:
            tape.record(kind)
        tape.record("function_made", function=9, name="unrolls", mark=1)
        tape.record("function_call", flags=1, function=9, call=1, trace=1)
        tape.record("trace_argument", name="x", key="[3]", given="[3]", type=((3,), "float32"), index=1)
        tape.record("unrolled_loop", function=9, trace=1, op="Tanh", rounds=300, nodes=600, trace_nodes=601)
        tape.record("function_end", function=9, nodes=601, duration=5000)
        tape.record("graph", name="unrolls", function=9, trace=1)
        tape.record("graph_pass", round=1, **{"pass": "fusion"}, nodes_before=601, nodes_after=3, bytes_before=1e6, bytes_after=2e3)
        tape.record("rewrite", rule="fuse", before="Tanh", after="Fused")
        tape.record("recomputation_hint", op="Exp", bytes=65536, flops=1e5)
        tape.record("step_end", step=0)
    with open(path, "rb") as file:
        numbers = {number for number, _ in tape_writer.KINDS.values()}
        assert len(numbers) == len(tape_writer.KINDS) and file.read(12)[8:] == b"\1\0\2\0"
    function = next(f for f in tapescope_json("report", path)["functions"] if f["name"] == "unrolls")
    assert (function["traces"], function["runs"], function["nodes"]) == (1, 1, 601), function
    loop, = function["unrolled_loops"]
    assert (loop["op"], loop["rounds"], loop["nodes"], loop["trace_nodes"]) == ("Tanh", 300, 600, 601), loop
    graph, = function["graphs"]
    assert graph["after"] == {"nodes": 3, "bytes": 2000.0, "flops": 0.0}, graph
    assert [rewrite["rule"] for rewrite in graph["rewrites"]] == ["fuse"], graph
    assert [(hint["op"], hint["bytes"]) for hint in graph["recompute"]] == [("Exp", 65536.0)], graph
    try:
        tape_writer.TapeWriter(os.devnull).record("op", place=1)
        raise AssertionError("a field that an op does not have was taken")
    except TypeError as error:
        assert "has no place" in str(error), error


with tempfile.TemporaryDirectory() as folder:
    for write in (several_sources, each_method, each_kind):
        write(os.path.join(folder, write.__name__ + ".tape"))

    path = os.path.join(folder, "python.tape")
    subprocess.run([sys.executable, "-B", os.path.join(root, "assets", "tape_writer.py"), path], check=True)

    run = tapescope_json("report", path)
    assert (run["sample"], run["seed"], run["steps"]) == ("from-python", 7, 3), run
    assert run["loss"] == [1, 0.5, 1 / 3], run["loss"]
    assert "MyOwnLoss" in [row["op"] for row in run["ops"]], run["ops"]

    explained = tapescope_json("explain", path)
    rows = {row["source"]: row for row in explained["gradients"]}
    assert rows["w"]["status"] == "value", rows["w"]
    count = rows["count"]
    assert (count["status"], count["reason"]) == ("none", "integer_cast"), count
    assert count["location"].startswith("tape_writer.py:"), count
    assert [item["op"] for item in count["path"]] == ["MyOwnLoss", "Cast", "Cast"], count["path"]

    # Cut short, it says so and shows what is there.
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(data[:-20])
    done = subprocess.run([tapescope, "explain", path], capture_output=True, text=True)
    assert done.returncode == 0 and "is cut off" in done.stderr and "integer_cast" in done.stdout, done

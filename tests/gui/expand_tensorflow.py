"""A call of a tf.function is stepped into in the window: expand_tensorflow.py TAPESCOPE PACKAGE_FOLDER (with a Python that has TensorFlow, on a
separate display)."""
import os
import sys
import tempfile
import textwrap

from scripted_window import ScriptedWindow

tapescope, package = map(os.path.abspath, sys.argv[1:])
os.environ.update(PYTHONPATH=package, PYTHON=sys.executable, TF_CPP_MIN_LOG_LEVEL="3")

PLAIN = textwrap.dedent('''\
    import tensorflow as tf

    w = tf.Variable([[0.5, 1.0], [2.0, 0.25]], name="w")


    @tf.function
    def forecast(v, rounds):
        h = tf.matmul(v, w)
        for _ in tf.range(rounds):
            h = tf.tanh(h)
        if tf.reduce_sum(h) > 0.0:
            y = tf.sqrt(tf.abs(h))
        else:
            y = tf.exp(h)
        left, right = tf.split(y, 2, axis=1)
        w.assign_add(0.0 * w)
        return left - right


    for step in range(1000):
        with tf.GradientTape() as tape:
            x = tf.tanh(tf.constant([[1.0, 2.0], [3.0, -1.0]]))
            tape.watch(x)
            loss = tf.reduce_sum(forecast(tf.sin(x), tf.constant(3)))
        tape.gradient(loss, x)
    ''')

def line_of(program, text):
    return next(number for number, line in enumerate(program.splitlines(), 1) if text in line)


with tempfile.TemporaryDirectory() as folder:
    scripted = ScriptedWindow(tapescope, folder)
    with open(os.path.join(folder, "plain.py"), "w") as file:
        file.write(PLAIN)

    # In the second step the call's ops one by one; then the call itself.
    into = []
    for number in range(36):
        into += ["step-into", "wait paused", f"state {folder}/in{number}.json"]
    scripted.play("break op Sin", "wait paused", "run", "wait paused", "run", "wait paused", "run", "wait paused", *into, "clear-breaks", "step-forward", "wait paused",
                  f"state {folder}/after.json", "quit", arguments=("--launch", "--", f"{folder}/plain.py"))
    stops = [scripted.state(f"in{number}.json") for number in range(36)]
    inside = [stop for stop in stops if stop["expansion"]]
    whole = inside[-1]["expansion"]
    assert whole["function"] == "forecast" and whole["op"] == len(whole["ops"]), whole
    ran = [op["op"] for op in whole["ops"]]
    assert ran.count("Tanh") == 3 and ran.count("Less") == 4, ran  # each round of the loop, and each look whether there is one more
    assert "Sqrt" in ran and "Exp" not in ran, ran  # the branch that was taken
    assert {"StatelessWhile", "StatelessIf", "Split", "AssignAddVariableOp"} <= set(ran), ran
    # Each has a time, and its line is the one that the source panel shows; what holds others has their time.
    assert all(op["us"] > 0 for op in whole["ops"]), whole
    assert sum(op["us"] for op in whole["ops"] if op["op"] not in ("StatelessWhile", "StatelessIf")) - whole["us"] < 1e-3 * whole["us"], whole
    for stop in inside:
        op = stop["expansion"]["ops"][stop["expansion"]["op"] - 1]
        assert stop["frame"]["op"] == op["op"], (stop["frame"], op)
        assert op["location"] == f"plain.py:{stop['source']['line']}", (stop["source"], op)
    lines = {op["op"]: op["location"] for op in whole["ops"]}
    assert lines["Tanh"] == f"plain.py:{line_of(PLAIN, 'h = tf.tanh(h)')}" and lines["Sqrt"] == f"plain.py:{line_of(PLAIN, 'tf.sqrt')}", lines
    rounds = {op["scope"].split("/")[-1] for op in whole["ops"] if op["op"] == "Tanh"}
    assert len(rounds) == 3, whole
    values = {each["role"] for each in inside[-1]["values"]}
    assert values >= {"input", "output"}, inside[-1]["values"]
    after = scripted.state("after.json")
    assert after["expansion"] is None and after["source"]["line"] == line_of(PLAIN, "forecast(tf.sin(x)"), after["source"]

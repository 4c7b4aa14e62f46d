"""A TensorFlow program, unchanged, is stopped, stepped and let go by a viewer.

usage: live_tensorflow.py TAPESCOPE PACKAGE_FOLDER   (with a Python that has TensorFlow)
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

TAPESCOPE, FOLDER = sys.argv[1:3]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import viewer  # noqa: E402

PROGRAM = textwrap.dedent('''\
    import sys
    import tensorflow as tf

    w = tf.Variable([[0.5, 1.0], [2.0, 0.25]], name="w")
    unused = tf.Variable(1.0, name="unused")
    x = tf.constant([[1.0, 2.0]])


    @tf.function
    def square(v):
        return tf.square(v)


    model = tf.keras.Sequential([tf.keras.layers.Dense(1, name="head")])
    model.compile(optimizer="sgd", loss="mse")
    for step in range(1000000):
        with tf.GradientTape() as tape:
            h = tf.tanh(tf.matmul(x, w))
            s = square(h) if step % 7 else square(tf.tile(h, [step + 1, 1]))
            loss = tf.reduce_sum(s)
        grads = tape.gradient(loss, [w, unused])
        w.assign_sub(0.01 * grads[0])
        tf.exp(tf.constant([[0.0, 1.0]], tf.bfloat16))
        if step == 20:
            model.fit(tf.ones([8, 2]), tf.ones([8, 1]), batch_size=4, epochs=2, verbose=0)
    ''')

FIT = textwrap.dedent('''\
    import tensorflow as tf

    tf.keras.utils.set_random_seed(3)
    layers = [tf.keras.Input([3]), tf.keras.layers.Dense(4, activation="tanh", name="hidden"), tf.keras.layers.Dropout(0.25), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    x = tf.reshape(tf.linspace(-1.0, 1.0, 72), [24, 3])
    model.fit(x, tf.reduce_sum(x, 1, keepdims=True), batch_size=4, epochs=3, verbose=0)
    print([weight.numpy().tobytes().hex() for weight in model.weights])


    @tf.function
    def looked_up(v):
        return tf.py_function(lambda u: u, [tf.exp(v)], tf.float32)


    for _ in range(3):
        looked_up(tf.sin(x))
    ''')


def line_of(text):
    return f"train.py:{PROGRAM.splitlines().index(text) + 1}"


class Attended(unittest.TestCase):
    """A program that waits for its viewer."""

    text = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "train.py")
        with open(path, "w") as file:
            file.write(cls.text)
        os.environ.update(XDG_RUNTIME_DIR=cls.folder.name, PYTHONPATH=FOLDER, TF_CPP_MIN_LOG_LEVEL="3")
        cls.program = subprocess.Popen([sys.executable, "-m", "tapescope", "--wait", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        socket = os.path.join(cls.folder.name, "tapescope", f"{cls.program.pid}.sock")
        deadline = time.monotonic() + viewer.PATIENCE
        while not os.path.exists(socket) and time.monotonic() < deadline:
            time.sleep(0.05)

    @classmethod
    def tearDownClass(cls):
        cls.program.kill()
        cls.program.communicate()
        cls.folder.cleanup()

    def tearDown(self):
        self.watcher.close()


class Live(Attended):
    text = PROGRAM

    def stop(self, *breakpoints):
        self.watcher.breaks(*breakpoints)
        self.watcher.run()
        frame = self.watcher.stopped()
        self.assertEqual(self.watcher.standing["reason"], "backward" if breakpoints[0][0] == viewer.BACKWARD else "breakpoint")
        return frame

    def test_it_is_stopped_and_moved_as_a_program_in_c_is(self):
        listed = json.loads(subprocess.run([TAPESCOPE, "list", "--live", "--json", "-"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual([(each["pid"], each["name"]) for each in listed["programs"]], [(self.program.pid, "train.py")])
        self.watcher = watcher = viewer.Viewer(self.program.pid)
        watcher.stopped()
        self.assertEqual((watcher.standing["cursor"], watcher.standing["step"]), (0, 0))

        multiplied = line_of("        h = tf.tanh(tf.matmul(x, w))")
        frame = self.stop((viewer.OP, "Tanh"))
        self.assertEqual((frame["op"], frame["backward"], frame["line"], frame["inputs"][0][2]), ("Tanh", False, multiplied, (4.5, 1.5)))
        self.assertEqual((frame["outputs"][0][1], round(frame["outputs"][0][2][1], 4)), ("float32[1, 2]", 0.9051))
        watcher.breaks()
        ops = [(frame["op"], frame["backward"]) for frame in (watcher.go(viewer.STEP) for _ in range(4))]
        self.assertEqual(ops, [("Tile", False), ("PartitionedCall", False), ("Sum", False), ("Sum", True)])
        self.assertEqual(watcher.go(viewer.STEP, -3)["op"], "Tile")
        self.assertEqual((watcher.go(viewer.TRAINING)["op"], watcher.standing["step"]), ("PartitionedCall", 1))

        # Into the function that is called next: its ops one by one, the call itself afterwards.
        self.assertTrue(self.stop((viewer.OP, "Tanh"))["backward"])
        frame = self.stop((viewer.OP, "Tanh"))
        self.assertNotEqual(watcher.standing["step"] % 7, 0)
        watcher.breaks()
        reached = frame["outputs"][0][2]
        frame = watcher.go(viewer.INTO)
        self.assertEqual((frame["op"], frame["line"], frame["inputs"][0][2]), ("Square", line_of("    return tf.square(v)"), reached))
        self.assertEqual(watcher.go(viewer.STEP)["op"], "PartitionedCall")

        # A type that Python's buffers have no letter for.
        frame = self.stop((viewer.OP, "Exp"))
        self.assertEqual(frame["outputs"][0][1:], ("bfloat16[1, 2]", (1.0, 2.71875)))
        frame = self.stop((viewer.NAME, "h"))
        self.assertEqual((frame["op"], frame["inputs"][0][0]), ("PartitionedCall", "h"))
        frame = self.stop((viewer.LINE, multiplied))
        self.assertEqual((frame["op"], frame["backward"], len(frame["cotangents_out"])), ("Tanh", True, 1))
        frame = self.stop((viewer.NORM_ABOVE, "", 1e-4, "w"))
        self.assertEqual((frame["op"], [each[0] for each in frame["accumulated"]]), ("gradient", ["w", "unused"]))
        frame = self.stop((viewer.NONE, "", 0, "unused"))
        self.assertEqual((frame["line"], frame["accumulated"][1]),
                         (line_of("    grads = tape.gradient(loss, [w, unused])"), ("unused", "None", None)))
        self.assertEqual(self.stop((viewer.RETRACE,))["op"], "PartitionedCall")
        self.assertEqual(watcher.standing["step"] % 7, 0)
        self.assertTrue(self.stop((viewer.BACKWARD,)))

        # Inside Keras' fit each batch is a training step and its function one op.
        watcher.breaks((viewer.LINE, line_of("        model.fit(tf.ones([8, 2]), tf.ones([8, 1]), batch_size=4, epochs=2, verbose=0)")))
        watcher.run()
        frame = watcher.stopped()
        self.assertEqual(frame["line"].partition(":")[0], "train.py")

        watcher.breaks()
        watcher.run()
        watcher.quiet(0.5)
        watcher.pause()
        self.program.send_signal(signal.SIGINT)
        out, err = self.program.communicate(timeout=viewer.PATIENCE)
        self.assertEqual(self.program.returncode, -signal.SIGINT)
        self.assertTrue(err.rstrip().endswith("KeyboardInterrupt"), err)
        self.assertNotIn("_tapescope", err)


class Fit(Attended):
    text = FIT

    def test_each_batch_is_stepped_into_before_it_updates_anything(self):
        self.watcher = watcher = viewer.Viewer(self.program.pid)
        watcher.stopped()
        watcher.breaks((viewer.OP, "PartitionedCall"))
        while watcher.standing["step"] < 3:
            watcher.run()
            watcher.stopped()
        watcher.breaks()
        watcher.go(viewer.SEEK, 1000)  # where Keras ends the step
        self.assertTrue(watcher.standing["at_end"])
        step, ran, elements = watcher.standing["step"], [], []
        for _ in range(2):  # two batches, the second one in a call that is not looked at otherwise
            frame = watcher.go(viewer.INTO)
            while watcher.standing["step"] == step and frame["op"] in ("ReadVariableOp", "Identity"):  # Keras 2 reads its counter first
                frame = watcher.go(viewer.INTO)
            step += 1
            inside = []
            while frame["op"] != "PartitionedCall":
                self.assertEqual((frame["line"].partition(":")[0], watcher.standing["step"]), ("train.py", step))
                inside.append(frame["op"])
                if frame["op"] == "MatMul" and not inside[:-1].count("MatMul"):
                    elements.append(frame["inputs"][0][2])
                frame = watcher.go(viewer.INTO)
            ran.append(inside)
            watcher.go(viewer.SEEK, 1000)
            self.assertEqual((watcher.standing["at_end"], watcher.standing["step"]), (True, step))
        self.assertEqual(ran[0], ran[1])
        forward = [op for op in ran[0] if op in ("MatMul", "Tanh", "SelectV2", "TanhGrad")]
        self.assertEqual(forward, ["MatMul", "Tanh", "SelectV2", "MatMul", "MatMul", "MatMul", "SelectV2", "TanhGrad", "MatMul"])
        self.assertEqual(ran[0].count("AssignSubVariableOp"), 4, ran[0])  # Adam, of four variables
        self.assertNotEqual(*elements)
        # Between two epochs what Keras does is met on the way.
        ops = []
        while "IteratorGetNext" not in ops:
            ops.append(watcher.go(viewer.INTO)["op"])
            self.assertLess(len(ops), 300)
        self.assertEqual(watcher.standing["step"], step + 1)
        # Calls that cannot be: the program stands at them.
        watcher.breaks((viewer.OP, "Sin"))
        for _ in range(2):
            watcher.run()
            frame = watcher.stopped()
        self.assertEqual(frame["op"], "Sin")
        self.assertEqual(watcher.go(viewer.INTO)["op"], "PartitionedCall")
        watcher.breaks()
        watcher.run()
        out, err = self.program.communicate(timeout=viewer.PATIENCE)
        self.assertEqual(self.program.returncode, 0, err)
        with open(os.path.join(self.folder.name, "train.py")) as file:
            bare = subprocess.run([sys.executable, "-c", file.read()], capture_output=True, text=True, check=True)
        self.assertEqual(out, bare.stdout)


class Reads(Attended):
    text = textwrap.dedent('''\
        import tensorflow as tf

        v = tf.Variable([1.0, 2.0], name="v")
        for step in range(1000000):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.exp(tf.sin(v)))
            tape.gradient(loss, v)
        ''')

    def test_a_read_that_an_op_does_itself_counts_as_a_recording_counts_it(self):
        self.watcher = watcher = viewer.Viewer(self.program.pid)
        watcher.stopped()
        watcher.breaks((viewer.OP, "Sin"))
        watcher.run()
        self.assertEqual((watcher.stopped()["op"], watcher.standing["cursor"]), ("Sin", 2))
        watcher.breaks()
        met = [(frame["op"], frame["backward"], frame["cursor"]) for frame in (watcher.go(viewer.STEP) for _ in range(6))]
        self.assertEqual(met, [("Exp", False, 3), ("Sum", False, 4), ("Sum", True, 5), ("Exp", True, 6), ("Sin", True, 7), ("ReadVariableOp", True, 8)])
        self.assertEqual((watcher.standing["forward"], watcher.go(viewer.STEP, -5)["op"]), (4, "Exp"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

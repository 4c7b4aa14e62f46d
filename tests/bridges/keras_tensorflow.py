"""What a recording says of Keras' fit(): steps, epochs, losses and metrics as Keras has them, ops in the scopes of their layers.

usage: keras_tensorflow.py TAPESCOPE PACKAGE_FOLDER   (with a Python that has TensorFlow)
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import unittest

TAPESCOPE, FOLDER = sys.argv[1:3]

PROGRAM = textwrap.dedent('''\
    import json
    import keras
    import tensorflow as tf


    class Logs(keras.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.seen = []

        def on_train_batch_end(self, batch, logs=None):
            self.seen.append({name: float(value) for name, value in logs.items()})


    class Custom(keras.Model):
        def __init__(self):
            super().__init__()
            self.only = keras.layers.Dense(1, name="only")

        def call(self, x):
            return self.only(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            return {"loss": loss, "twice": 2.0 * loss}


    logs = Logs()
    x, y = tf.reshape(tf.range(36.0), [12, 3]) / 36.0, tf.ones([12, 1])
    model = keras.Sequential([keras.layers.Dense(4, activation="relu", name="body"), keras.layers.Dense(1, name="head")])
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    model.fit(x, y, batch_size=4, epochs=2, verbose=0, callbacks=[logs])
    custom = Custom()
    custom.compile(optimizer="sgd", run_eagerly=True)
    custom.fit(x, y, batch_size=6, epochs=1, verbose=0, callbacks=[logs])
    print(json.dumps({"logs": logs.seen, "steps": int(model.optimizer.iterations) + int(custom.optimizer.iterations)}))
    ''')


class Keras(unittest.TestCase):
    def test_fit_is_recorded_as_keras_has_it(self):
        with tempfile.TemporaryDirectory() as folder:
            program, tape, base = (os.path.join(folder, name) for name in ("fit.py", "fit.tape", "fit.db"))
            with open(program, "w") as file:
                file.write(PROGRAM)
            environment = {**os.environ, "PYTHONPATH": FOLDER, "TF_CPP_MIN_LOG_LEVEL": "3"}
            run = subprocess.run([sys.executable, "-m", "tapescope", "--record", tape, program], capture_output=True, text=True, env=environment)
            self.assertEqual(run.returncode, 0, run.stderr)
            said = json.loads(run.stdout)
            subprocess.run([TAPESCOPE, "export", tape, "--format", "sqlite", "-o", base], capture_output=True, check=True)
            with sqlite3.connect(base) as rows:
                metrics = list(rows.execute("select name, step, value from metrics"))
                steps, = rows.execute("select steps from run").fetchone()
                scopes = {scope for scope, in rows.execute("select distinct scope from ops")}
            rows.close()
        self.assertEqual((steps, said["steps"]), (8, 8))
        self.assertEqual([(step, value) for name, step, value in metrics if name == "epoch"], [(0, 0), (3, 1), (6, 0)])
        for step, logs in enumerate(said["logs"]):
            found = {name: value for name, at, value in metrics if at == step and name != "epoch"}
            self.assertEqual(found.keys(), logs.keys(), step)
            for name, value in logs.items():
                self.assertAlmostEqual(found[name], value, places=5, msg=f"{name} of step {step}")
        self.assertIn("custom/only", scopes)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

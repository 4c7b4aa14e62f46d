"""What is said of tapes inside of functions: as of those outside, by values of the call in which something went wrong.

usage: looks_tensorflow.py TAPESCOPE PACKAGE_FOLDER   (with a Python that has TensorFlow)
"""
import gc
import json
import os
import subprocess
import sys
import tempfile
import unittest
import weakref

TAPESCOPE, FOLDER = sys.argv[1:3]
sys.path.insert(0, FOLDER)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: E402
import tapescope  # noqa: E402
from tapescope.tensorflow import graph_runs, looks  # noqa: E402


def line_of(mark):
    with open(__file__, encoding="utf-8") as file:
        return next(f"{os.path.basename(__file__)}:{number}" for number, line in enumerate(file, 1) if line.rstrip().endswith("  # " + mark))


def explained(program):
    """The answers about a program, by source; its alerts that name an op; what it returned."""
    failed = tapescope._tapescope.swallowed()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.tape")
        with tapescope.record(path):
            result = program()
        said = json.loads(subprocess.run([TAPESCOPE, "explain", path, "--json", "-"], capture_output=True, text=True, check=True).stdout)
    assert tapescope._tapescope.swallowed()[0] == failed, tapescope._tapescope.swallowed()
    return {row["source"]: row for row in said["gradients"]}, [alert for alert in said["alerts"] if alert["op"]], result


class Looks(unittest.TestCase):
    def test_the_first_value_that_is_not_finite_has_its_op_and_line_inside(self):
        w, rate = tf.Variable([[1.0, -2.0], [0.5, 3.0]], name="w"), tf.Variable(0.5, trainable=False)

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                p = tf.nn.softmax(x @ w * 600.0)
                loss = -tf.reduce_mean(tf.math.log(p[:, 1]))  # log
            w.assign_sub(rate * tape.gradient(loss, w))
            return loss

        rows, alerts, _ = explained(lambda: [step(tf.ones([3, 2])) for _ in range(3)])
        self.assertEqual((rows["w"]["status"], alerts[0]["op"], alerts[0]["location"]), ("nonfinite", "Log", line_of("log")))
        self.assertIn("log_softmax", alerts[0]["fix"])
        self.assertEqual(alerts[0]["kind"], "nonfinite")

    def test_a_call_long_after_the_first_is_looked_at_when_its_result_is_not_finite(self):
        w = tf.Variable(3.0, name="w")

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.sqrt(x * w)  # root
            w.assign_sub(0.0 * tape.gradient(loss, w))
            return loss

        def program():
            for call in range(30):
                step(tf.constant(1.0))
            step(tf.constant(-1.0))

        _, alerts, _ = explained(program)
        self.assertEqual((alerts[0]["op"], alerts[0]["location"]), ("Sqrt", line_of("root")))

    def test_a_gradient_that_spoils_a_variable_is_found_though_the_loss_is_finite(self):
        w = tf.Variable([0.0, 0.0], name="w")
        rate = tf.Variable(0.0, trainable=False)  # a constant 0 is multiplied by when the graph is optimized, in TensorFlow 2.15

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.norm(w + x)  # norm
            w.assign_sub(tape.gradient(loss, w) * rate)
            return loss

        def program():
            for _ in range(20):
                step(tf.constant(1.0))
            step(tf.constant(0.0))

        rows, alerts, _ = explained(program)
        self.assertEqual(rows["w"]["status"], "nonfinite")
        self.assertTrue(alerts and alerts[0]["location"] == line_of("norm"), alerts)

    def test_an_update_that_spoils_a_variable_is_found_though_its_gradient_is_finite(self):
        w, square = tf.Variable([1.0, 2.0], name="w"), tf.Variable([0.0, 0.0], trainable=False)

        @tf.function
        def step(mask):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w) * mask)
            grad = tape.gradient(loss, w)
            square.assign(0.9 * square + tf.square(grad))
            w.assign_sub(0.1 * grad / tf.sqrt(square))  # update
            return loss

        def program():
            for _ in range(6):
                step(tf.constant([1.0, 1.0]))
            square.assign([0.0, 0.0])
            step(tf.constant([1.0, 0.0]))
            step(tf.constant([1.0, 1.0]))

        rows, alerts, _ = explained(program)
        self.assertEqual(rows["w"]["status"], "nonfinite")
        self.assertEqual([(alerts[0]["op"], alerts[0]["location"])], [("RealDiv", line_of("update"))])
        self.assertIn("divide_no_nan", alerts[0]["fix"])

    def test_zeros_are_proved_by_the_values_of_a_call(self):
        hidden, out = tf.Variable(tf.ones([2, 4]), name="hidden"), tf.Variable(tf.ones([4, 1]), name="out")

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                units = tf.nn.relu(x @ hidden - 50.0)  # units
                loss = tf.reduce_sum(tf.square(units @ out - 1.0))
            tape.gradient(loss, [hidden, out])
            return loss

        rows, _, _ = explained(lambda: step(tf.ones([3, 2])))
        self.assertEqual({name: (row["status"], row["reason"], row["location"]) for name, row in rows.items()},
                         {"hidden": ("zero", "dead_relu", line_of("units")), "out": ("zero", "dead_relu", line_of("units"))})
        self.assertIn("-48", rows["hidden"]["message"])
        self.assertNotIn("probably", rows["hidden"]["message"])

    def test_functions_in_functions_conditions_and_loops_are_run_with_them(self):
        w = tf.Variable(tf.eye(3) * 0.5, name="w")

        @tf.function
        def inner(x, rounds):
            with tf.GradientTape() as tape:
                for _ in tf.range(rounds):
                    x = tf.tanh(x @ w)
                loss = tf.math.log(tf.reduce_sum(x) - tf.reduce_sum(x))  # inner
            w.assign_add(tape.gradient(loss, w) * 0.0)
            return loss

        @tf.function
        def outer(x, rounds):
            w.assign(w + 0.0)
            return inner(x, rounds) if tf.reduce_all(x > 0.0) else tf.constant(0.0)

        rows, alerts, _ = explained(lambda: outer(tf.ones([2, 3]), tf.constant(4)))
        self.assertEqual(alerts[0]["location"], line_of("inner"))
        self.assertEqual(rows["w"]["status"], "nonfinite")

    def test_what_a_call_computes_again_is_what_it_computed(self):
        """Variables that it assigns between two questions, in every way that a graph has."""
        w, v, table = tf.Variable([1.0, 2.0], name="w"), tf.Variable(3.0, name="v"), tf.Variable(tf.ones([4, 2]), name="table")
        seen = []

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w * v) + tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 3]))
            first = tape.gradient(loss, [w, table])
            w.assign_sub(0.1 * first[0])
            v.assign(v * 2.0)
            table.assign_add(tf.ones([4, 2]))
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.exp(w) * v * x) + tf.reduce_sum(tf.gather(table, 2) ** 2)
            return first[0], tape.gradient(loss, w)

        look = looks._look

        def noted(question, values, run, update):
            seen.append([values[gradient._id].numpy().tolist() for gradient, _, name in question.answers if name == "w"])
            return look(question, values, run, update)
        looks._look = noted
        try:
            _, _, results = explained(lambda: [[each.numpy().tolist() for each in step(tf.constant(1.5))] for _ in range(3)])
        finally:
            looks._look = look
        self.assertEqual([values for values, in seen], [gradient for result in results for gradient in result])

    def test_the_step_of_fit_is_looked_at(self):
        class Classifier(tf.keras.Model):
            def __init__(self):
                super().__init__()
                self.out = tf.keras.layers.Dense(2, kernel_initializer="ones", name="out")

            def call(self, x):
                return tf.nn.softmax(self.out(x) * tf.constant([900.0, 1.0]))

        def fit():
            model = Classifier()
            model.compile(optimizer="sgd", loss=lambda y, p: -tf.reduce_sum(y * tf.math.log(p), axis=-1))  # fit
            history = model.fit(tf.ones([12, 3]), tf.one_hot([1] * 12, 2), batch_size=4, epochs=2, verbose=0)
            return int(model.optimizer.iterations), str(history.history)

        bare = fit()
        rows, alerts, result = explained(fit)
        self.assertEqual(result, bare)
        self.assertEqual((alerts[0]["op"], alerts[0]["location"]), ("Log", line_of("fit")))
        self.assertEqual({row["status"] for row in rows.values()}, {"nonfinite"})
        self.assertEqual({row["target"] for row in rows.values()}, {"loss"})

    def test_every_element_of_an_iterator_is_taken_once(self):
        w = tf.Variable(1.0, name="w")

        @tf.function
        def step(iterator):
            with tf.GradientTape() as tape:
                x, name = next(iterator)
                loss = w * x
            tape.gradient(loss, w)
            return x, name

        def program():
            elements = iter(tf.data.Dataset.from_tensor_slices(([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], list("abcdef"))))
            seen = []
            try:
                while True:
                    x, name = step(elements)
                    seen.append((float(x), name.numpy()))
            except tf.errors.OutOfRangeError:
                return seen

        self.assertEqual(explained(program)[2], [(float(i + 1), name.encode()) for i, name in enumerate("abcdef")])

    def test_an_iterator_that_a_function_captured_gives_each_element_once_too(self):
        w = tf.Variable(1.0, name="w")

        def program():
            elements = iter(tf.data.Dataset.range(8).map(lambda i: tf.cast(i, tf.float32)))

            @tf.function
            def step():
                x = next(elements)
                with tf.GradientTape() as tape:
                    loss = w * x
                tape.gradient(loss, w)
                return x

            return [float(step()) for _ in range(8)]

        self.assertEqual(explained(program)[2], [float(i) for i in range(8)])

    def test_nothing_moves_that_the_program_would_see(self):
        def program():
            tf.random.set_seed(7)
            w = tf.Variable(tf.random.normal([4, 4], seed=3), name="w")
            count = tf.Variable(0, trainable=False)
            lines = []
            batches = iter(tf.data.Dataset.range(40).map(lambda i: tf.cast(i, tf.float32)))
            drop = tf.keras.layers.Dropout(0.5, seed=11)

            @tf.function
            def step(x):
                with tf.GradientTape() as tape:
                    h = drop(tf.tanh(x + w), training=True) + tf.random.normal([4, 4])
                    loss = tf.reduce_sum(tf.square(h))
                w.assign_sub(0.01 * tape.gradient(loss, w))
                count.assign_add(1)
                tf.py_function(lambda value: lines.append(float(value)), [loss], [])
                return loss

            @tf.function
            def step_from(iterator):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.square(w * next(iterator)))
                w.assign_sub(1e-6 * tape.gradient(loss, w))
                return loss

            losses = [float(step(next(batches))) for _ in range(6)] + [float(step_from(batches)) for _ in range(6)]
            return losses, w.numpy().tolist(), int(count), lines, float(tf.random.normal([]))

        bare = program()
        self.assertEqual(explained(program)[2], bare)

    def test_what_cannot_be_run_again_is_left_alone(self):
        w = tf.Variable(2.0, name="w")

        @tf.function
        def step(x):
            with tf.GradientTape() as tape:
                loss = w * tf.numpy_function(lambda value: value, [x], tf.float32)
            return tape.gradient(loss, w)

        rows, alerts, result = explained(lambda: float(step(tf.constant(4.0))))
        self.assertEqual((rows["w"]["status"], alerts, result), ("value", [], 4.0))

    def test_plans_read_what_the_questions_need(self):
        w, other = tf.Variable(2.0), tf.Variable(5.0)

        @tf.function
        def step(x):
            y = x * w
            other.assign_add(y)
            return y

        concrete = step.get_concrete_function(tf.constant(1.0))
        graph = concrete.graph
        product = next(op for op in graph.get_operations() if op.type == "Mul").outputs[0]
        question = looks._Question(0, 0, [product], [], [(product, 0, "")])
        plan = graph_runs.Plan(graph, lambda of: [question] if of is graph else [])
        self.assertEqual([node.type for node in plan.order if node.type != "Placeholder"], ["ReadVariableOp", "Mul"])
        self.assertEqual(plan.reads, [1])
        found = []
        graph_runs.Run(plan, [tf.constant(4.0), w.handle, other.handle], {1: tf.constant(3.0)}, lambda question, values, run: found.append(float(values[product._id])))
        self.assertEqual(found, [12.0])
        self.assertEqual(float(other), 5.0)


class Behind(unittest.TestCase):
    """A tape outside asks, and the function's backward step returns zeros or what is not finite."""

    def test_a_zero_is_placed_at_the_op_inside_also_long_after_the_first_call(self):
        w, v = tf.Variable([0.5, 1.0], name="w"), tf.Variable(1.0, name="v")

        @tf.function
        def units(x, level):
            return tf.nn.relu(x * v - level)  # level

        def program():
            for level in [0.0] * 12 + [50.0]:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(units(tf.tanh(w), tf.constant(level)) + 1.0)
                tape.gradient(loss, [w, v])

        rows, _, _ = explained(program)
        for name in ("w", "v"):
            row = rows[name]
            self.assertEqual((row["status"], row["reason"], row["location"]), ("zero", "dead_relu", line_of("level")), row)
            self.assertNotIn("probably", row["message"])

    def test_what_is_not_finite_on_the_way_back_alone_is_placed(self):
        w = tf.Variable([3.0, 4.0], name="w")

        @tf.function
        def length(x):
            return tf.sqrt(tf.reduce_sum(tf.square(x)))  # length

        def program():
            for place in ([0.0, 0.0], [3.0, 4.0]):
                with tf.GradientTape() as tape:
                    loss = length(w - place) + 1.0
                tape.gradient(loss, w)

        rows, alerts, _ = explained(program)
        self.assertEqual((rows["w"]["status"], alerts[0]["op"], alerts[0]["location"], alerts[0]["direction"]),
                         ("nonfinite", "Sqrt", line_of("length"), "backward"))
        self.assertIn("epsilon", alerts[0]["fix"])

    def test_of_a_loop_it_is_the_op_of_the_round_in_which_it_began(self):
        w = tf.Variable(2.0, name="w")

        @tf.function
        def settle(x):
            for _ in tf.range(5):
                x = tf.square(x) * 0.5
                x = x - 1.0 / (x - w)  # settle
            return x

        def program():
            with tf.GradientTape() as tape:
                loss = settle(tf.constant([1.3, 2.0]))
            tape.gradient(loss, w)

        _, alerts, _ = explained(program)
        self.assertEqual([(alerts[0]["op"], alerts[0]["location"], alerts[0]["value"])], [("RealDiv", line_of("settle"), "inf")])

    def test_a_gradient_of_the_programs_own_leaves_the_values(self):
        w = tf.Variable([1.0, 2.0], name="w")

        @tf.custom_gradient
        def none_back(x):
            return x * 2.0, lambda upstream: tf.zeros_like(upstream)

        @tf.function
        def asked(x):
            return none_back(x) + 0.0 * tf.reduce_sum(tf.stop_gradient(x))

        def program():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(asked(w * 1.0))
            return tape.gradient(loss, w).numpy().tolist()

        rows, _, result = explained(program)
        self.assertEqual((rows["w"]["status"], result), ("zero", [0.0, 0.0]))

    def test_nothing_moves_that_the_program_would_see_and_nothing_is_kept(self):
        def program():
            tf.random.set_seed(5)
            w, calls = tf.Variable([1.0, -1.0, 0.0], name="w"), tf.Variable(0, trainable=False)
            gone = []

            @tf.function
            def noisy(x, cut):
                calls.assign_add(1)
                kept = tf.nn.dropout(x, 0.5) + tf.random.normal([3])
                return tf.where(cut, tf.nn.relu(kept * w - 90.0), tf.sqrt(tf.abs(w) * kept * kept))

            results = []
            for call in range(6):
                given = tf.random.normal([3])
                gone.append(weakref.ref(given))
                with tf.GradientTape() as outer:
                    with tf.GradientTape(persistent=call % 2 == 0) as tape:
                        loss = tf.reduce_sum(noisy(given, tf.constant(call < 3)))
                    first = tape.gradient(loss, w)
                second = outer.gradient(first, w)
                results.append([repr(each if each is None else each.numpy().tolist()) for each in (loss, first, second)])
                del tape, outer, loss, given
            gc.collect()
            return results, int(calls), tf.random.normal([]).numpy().tolist(), [one() is None for one in gone]

        bare = program()
        result = explained(program)[2]
        self.assertEqual(result, bare)
        self.assertTrue(all(result[3]), result[3])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

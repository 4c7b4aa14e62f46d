"""What the texts of docs/lessons claim, tried with TensorFlow: the facts that the tables of those pages state.

usage: claims_tensorflow.py [--time]     (with a Python that has TensorFlow; --time prints what takes how long, too)
Counts and values are checked. Times are printed and never checked: each is the quickest of several rounds in turn, as a ratio.
"""
import os
import sys
import time
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.framework import op_callbacks  # noqa: E402

TIMED = "--time" in sys.argv


def ops_of(work):
    """The types of the ops that `work` runs eagerly."""
    seen = []

    def callback(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        if graph is None:
            seen.append(op_type.decode() if isinstance(op_type, bytes) else op_type)
    op_callbacks.add_op_callback(callback)
    try:
        work()
    finally:
        op_callbacks.remove_op_callback(callback)
    return seen


def ratio(text, first, second, repetitions=20, rounds=7):
    """Prints how long `first` takes, with that of `second` as 1."""
    if not TIMED:
        return
    best = [float("inf")] * 2
    for work in (first, second):
        work()
    for _ in range(rounds):
        for side, work in enumerate((first, second)):
            begin = time.perf_counter()
            for _ in range(repetitions):
                work()
            best[side] = min(best[side], (time.perf_counter() - begin) / repetitions)
    print(f"{text}: {best[0] / best[1]:.2f} ({best[0] * 1e6:.0f} and {best[1] * 1e6:.0f} us)")


def nodes_of(function, *arguments):
    """Op types of a function's graph."""
    return [op.type for op in function.get_concrete_function(*arguments).graph.get_operations()]


class ExecutionTime(unittest.TestCase):
    def test_what_leads_to_no_target_costs_no_backward_op(self):
        w = tf.Variable(tf.ones((8, 8)))

        def asked(extra):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.tanh(w))
                for _ in range(extra):
                    tf.exp(w)
            return ops_of(lambda: tape.gradient(y, w))
        self.assertEqual(asked(0), asked(50))

    def test_division_and_clipping_are_differentiable(self):
        x = tf.constant([51.0, 510.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.clip_by_value(x / 255.0, 0, 1)
        np.testing.assert_allclose(tape.gradient(y, x), [1 / 255.0, 0])

    def test_identity_inside_the_tape_does_not_help(self):
        scale, w = tf.Variable(2.0), tf.Variable(tf.ones((784, 10)))
        x = tf.ones((32, 784))

        def backward(factor_of, outside):
            factor = factor_of() if outside else None
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.matmul(x * (factor if outside else factor_of()), w))
            return ops_of(lambda: tape.gradient(y, [w])).count("MatMul")
        self.assertEqual(backward(lambda: tf.identity(scale), outside=True), 1)
        self.assertEqual(backward(lambda: tf.identity(scale), outside=False), 2)
        # A constant of the variable's value leaves the tape wherever it is made.
        self.assertEqual(backward(lambda: tf.constant(scale.numpy()), outside=False), 1)

    def test_a_function_of_one_op_and_of_a_step(self):
        w = [tf.Variable(tf.random.normal((64, 64)) * 0.1) for _ in range(4)]
        x = tf.random.normal((32, 64))

        def product(a, b):
            return tf.matmul(a, b)

        def step():
            with tf.GradientTape() as tape:
                y = x
                for each in w:
                    y = tf.tanh(tf.matmul(y, each))
                loss = tf.reduce_mean(tf.square(y))
            for variable, gradient in zip(w, tape.gradient(loss, w)):
                variable.assign_sub(0.01 * gradient)
        one, whole = tf.function(product), tf.function(step)
        np.testing.assert_allclose(one(x, w[0]), product(x, w[0]), rtol=1e-6)
        self.assertTrue(set(nodes_of(whole)) >= {"MatMul", "TanhGrad", "AssignSubVariableOp"})
        ratio("a function of one product over the product", lambda: one(x, w[0]), lambda: product(x, w[0]), 200)
        ratio("the whole step as a function over the eager step", whole, step, 50)

    def test_each_shape_is_traced(self):
        traced = []

        def square(x):
            traced.append(x.shape)
            return tf.reduce_sum(x * x)
        plain, relaxed = tf.function(square), tf.function(square, reduce_retracing=True)
        for size in range(1, 9):
            plain(tf.ones(size))
        self.assertEqual(len(traced), 8)
        traced.clear()
        for size in range(1, 9):
            relaxed(tf.ones(size))
        self.assertEqual(len(traced), 2)
        x = tf.ones(3)
        fresh = iter(range(1000000))
        ratio("a call with a new shape over a call", lambda: plain(tf.ones(100 + next(fresh))), lambda: plain(x), 5, 5)

    def test_a_cell_as_a_layer(self):
        cell = keras.layers.SimpleRNNCell(32)
        layer = keras.layers.RNN(cell)
        x = tf.random.normal((16, 20, 8))
        layer(x)
        kernel, recurrent, bias = cell.trainable_variables

        def by_hand(sequence):
            state = tf.zeros((16, 32))
            for at in range(20):
                state = tf.tanh(tf.matmul(sequence[:, at], kernel) + tf.matmul(state, recurrent) + bias)
            return state

        def by_cell(sequence):
            state = [tf.zeros((16, 32))]
            for at in range(20):
                _, state = cell(sequence[:, at], state)
            return state[0]

        def gradient_by(forward):
            def run():
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.square(forward(x)))
                return tape.gradient(loss, [kernel.value, recurrent.value, bias.value])
            return run
        hand, cells, whole = gradient_by(by_hand), gradient_by(by_cell), gradient_by(layer)
        for ours, theirs, third in zip(hand(), cells(), whole()):
            np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
            np.testing.assert_allclose(ours, third, rtol=1e-3, atol=1e-4)
        ratio("the cell as a layer over the cell by hand, eagerly", cells, hand, 5)
        ratio("keras.layers.RNN over the cell by hand, eagerly", whole, hand, 5)
        ratio("the cell as a layer over the cell by hand, in a function", tf.function(cells), tf.function(hand), 20)
        ratio("keras.layers.RNN over the cell by hand, in a function", tf.function(whole), tf.function(hand), 20)


class GraphMode(unittest.TestCase):
    def test_a_repeated_product_is_merged_in_a_function(self):
        x = tf.random.normal((512, 512))

        def twice(a):
            return tf.reduce_sum(tf.matmul(a, a) + tf.matmul(a, a))

        def once(a):
            product = tf.matmul(a, a)
            return tf.reduce_sum(product + product)
        traced_twice, traced_once = tf.function(twice), tf.function(once)
        self.assertEqual(nodes_of(traced_twice, x).count("MatMul"), 2)  # traced as written, merged before it runs
        ratio("a product twice over once, eagerly", lambda: twice(x), lambda: once(x))
        ratio("a product twice over once, in a function", lambda: traced_twice(x), lambda: traced_once(x))

    def test_a_reshape_copies_nothing(self):
        x = tf.random.normal((512, 512))
        self.assertTrue(np.shares_memory(x._numpy(), tf.reshape(x, (-1,))._numpy()))

    def test_a_convolution_as_a_layer(self):
        x, kernel = tf.random.normal((8, 28, 28, 1)), tf.random.normal((3, 3, 1, 8))

        def by_hand(images, weights):
            total = 0.0
            for i in range(3):
                for k in range(3):
                    total += images[:, i:i + 26, k:k + 26] * weights[i, k, 0]
            return total

        def by_op(images, weights):
            return tf.nn.conv2d(images, weights, 1, "VALID")
        np.testing.assert_allclose(by_hand(x, kernel), by_op(x, kernel), rtol=1e-4, atol=1e-5)

        def gradient_by(forward):
            def run():
                with tf.GradientTape() as tape:
                    tape.watch(kernel)
                    y = tf.reduce_sum(tf.square(forward(x, kernel)))
                return tape.gradient(y, kernel)
            return run
        ratio("a convolution by hand over the op, with its gradient", gradient_by(by_hand), gradient_by(by_op))

    def test_a_tape_around_a_tape_records_everything_again(self):
        w, x = tf.Variable(tf.random.normal((64, 64)) * 0.1), tf.random.normal((32, 64))

        def loss():
            return tf.reduce_sum(tf.tanh(tf.matmul(tf.tanh(tf.matmul(x, w)), w)))

        def alone():
            with tf.GradientTape() as tape:
                y = loss()
            return tape.gradient(y, w)

        def inside():
            with tf.GradientTape() as outer:
                gradient = alone()
            self.assertIsNotNone(outer.gradient(gradient, w))
            return gradient

        def inside_unasked():
            with tf.GradientTape():
                return alone()
        np.testing.assert_allclose(alone(), inside())
        ratio("a question inside another tape over the question alone", inside_unasked, alone, 50)

    def test_float16(self):
        wide = tf.random.normal((256, 256)), tf.random.normal((256, 256))
        half = [tf.cast(each, tf.float16) for each in wide]
        brain = [tf.cast(each, tf.bfloat16) for each in wide]
        ratio("a product in float16 over float32, this processor", lambda: tf.matmul(*half), lambda: tf.matmul(*wide))
        ratio("a product in bfloat16 over float32, this processor", lambda: tf.matmul(*brain), lambda: tf.matmul(*wide))

        def losses(dtype):
            tf.random.set_seed(1)
            images, labels = tf.random.normal((64, 784)), tf.one_hot(tf.range(64) % 10, 10)
            model = keras.Sequential([keras.layers.Dense(128, activation="relu", dtype=dtype), keras.layers.Dense(10, dtype=dtype)])
            optimizer, found = keras.optimizers.Adam(0.001), []
            for _ in range(4):
                with tf.GradientTape() as tape:
                    loss = keras.losses.CategoricalCrossentropy(from_logits=True)(labels, model(images))
                found.append(float(loss))
                optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
            return found
        self.assertLess(losses("float32")[1], 4)
        self.assertLess(losses("mixed_float16")[1], 4)
        # The second moments of small gradients are 0 in float16, so that the first update is far too large.
        self.assertEqual(float(tf.cast(0.001, tf.float16) * tf.cast(0.005, tf.float16) ** 2), 0.0)
        self.assertGreater(losses("float16")[1], 8)
        # Adam's beta of 0.999 is 1 in bfloat16.
        self.assertEqual(float(tf.cast(0.999, tf.bfloat16)), 1.0)
        self.assertEqual(len(set(losses("bfloat16"))), 1)

    def test_constants_are_folded_and_loops_are_not_unrolled(self):
        w = tf.Variable(tf.eye(4))

        @tf.function
        def python_loop(x):
            for _ in range(10):
                x = tf.matmul(x, w)
            return x

        @tf.function
        def tensor_loop(x):
            for _ in tf.range(10):
                x = tf.matmul(x, w)
            return x
        x = tf.ones((1, 4))
        self.assertEqual(nodes_of(python_loop, x).count("MatMul"), 10)  # Python's loop ran while it was traced
        self.assertEqual(nodes_of(tensor_loop, x).count("MatMul"), 0)
        self.assertEqual(sum(kind in ("While", "StatelessWhile") for kind in nodes_of(tensor_loop, x)), 1)

    def test_compiled_by_xla(self):
        x = tf.random.normal((1 << 20,))

        def chain(a):
            for _ in range(10):
                a = a * 1.01 + 0.5
            return tf.reduce_sum(a)
        traced, compiled = tf.function(chain), tf.function(chain, jit_compile=True)
        np.testing.assert_allclose(traced(x), compiled(x), rtol=1e-3)
        ratio("twenty cheap ops on a million floats compiled by XLA over the function", lambda: compiled(x), lambda: traced(x))
        ratio("the function over eager", lambda: traced(x), lambda: chain(x))


class Jacobians(unittest.TestCase):
    def test_one_forward_pass_serves_all_rows(self):
        x = tf.random.normal((10,))

        def jacobian():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.exp(x)
            return tape.jacobian(y, x)
        np.testing.assert_allclose(jacobian(), np.diag(np.exp(x)), rtol=1e-6)
        self.assertEqual(ops_of(jacobian).count("Exp"), 1)

        def by_rows():
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = tf.unstack(tf.exp(x))
            return [tape.gradient(each, x) for each in y]
        self.assertEqual(ops_of(by_rows).count("Exp"), 1)

    def test_a_jacobian_walks_back_once_or_row_by_row(self):
        x = tf.random.normal((10,))

        def walked(vectorized):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = tf.tanh(x)
            return ops_of(lambda: tape.jacobian(y, x, experimental_use_pfor=vectorized))
        self.assertEqual(walked(False).count("TanhGrad"), 10)
        # All rows are one call of a function that was traced for it.
        self.assertEqual(walked(True).count("TanhGrad"), 0)
        self.assertEqual(sum(name.startswith("__inference_f") for name in walked(True)), 1)

    def test_gradients_of_a_list_are_a_sum(self):
        @tf.function
        def gradients(x):
            return tf.gradients([x ** 2, x ** 3], x)
        np.testing.assert_allclose(gradients(tf.constant([2.0])), [[16.0]])

    def test_tape_and_gradients_in_a_function(self):
        w = tf.random.normal((64, 64)) * 0.1
        x = tf.random.normal((64,))

        def forward(a):
            return tf.tanh(tf.linalg.matvec(w, tf.tanh(tf.linalg.matvec(w, a))))

        def by_tape(a):
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = forward(a)
            return tape.jacobian(y, a)

        @tf.function
        def by_gradients(a):
            return tf.stack([tf.gradients(each, a)[0] for each in tf.unstack(forward(a))])
        traced = tf.function(by_tape)
        np.testing.assert_allclose(traced(x), by_gradients(x), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(by_tape(x), by_gradients(x), rtol=1e-4, atol=1e-6)
        ratio("a Jacobian of 64 by tape.jacobian over tf.gradients row by row, both in a function", lambda: traced(x), lambda: by_gradients(x))
        ratio("a Jacobian of 64 by tape.jacobian, eager over in a function", lambda: by_tape(x), lambda: traced(x), 3)


class Tutorial(unittest.TestCase):
    def test_the_loss_of_an_epoch_is_divided_by_too_little(self):
        batches = tf.data.Dataset.range(1000).batch(32)
        self.assertEqual(len(list(batches)), 32)
        self.assertEqual(len(list(batches)[-1]), 8)
        self.assertEqual(1000 / 32, 31.25)

    def test_one_epoch_of_the_regression_is_enough(self):
        numbers = np.random.default_rng(1)
        x = numbers.standard_normal(1000).astype(np.float32)
        y = 2 * x + 1 + 0.1 * numbers.standard_normal(1000).astype(np.float32)
        w, b = tf.Variable(0.0), tf.Variable(0.0)
        for x_batch, y_batch in tf.data.Dataset.from_tensor_slices((x, y)).batch(32):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(w * x_batch + b - y_batch))
            for variable, gradient in zip((w, b), tape.gradient(loss, [w, b])):
                variable.assign_sub(0.1 * gradient)
        # The text prints 0.478 and 0.263 here.
        self.assertAlmostEqual(float(w), 2, delta=0.05)
        self.assertAlmostEqual(float(b), 1, delta=0.05)

    def test_stop_gradient_records_and_gives_none(self):
        x, y = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            stopped = tf.stop_gradient(x * y)
            g = x * stopped
        self.assertEqual(float(tape.gradient(g, x)), 6.0)
        self.assertIsNone(tape.gradient(g, y))
        self.assertEqual(float(tape.gradient(g, y, unconnected_gradients="zero")), 0.0)

    def test_a_module_does_not_find_keras_variables(self):
        class Module(tf.Module):
            def __init__(self):
                super().__init__()
                self.dense = keras.layers.Dense(3)
        module = Module()
        module.dense(tf.ones((1, 2)))
        expected = 0 if int(keras.__version__.split(".")[0]) >= 3 else 2
        self.assertEqual(len(module.trainable_variables), expected)
        self.assertEqual(len(module.dense.trainable_variables), 2)

    def test_a_shuffle_of_a_small_buffer_is_local(self):
        order = list(tf.data.Dataset.range(60000).shuffle(10000, seed=1).as_numpy_iterator())
        # At place i stands nothing from beyond i + 10,000, so that the first batches never have a digit from the last five sixths.
        self.assertTrue(all(value < place + 10000 for place, value in enumerate(order)))
        self.assertLess(max(order[:64]), 10064)

    def test_clipping(self):
        clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
        self.assertEqual(float(norm), 5.0)
        np.testing.assert_allclose([float(each[0]) for each in clipped], [0.6, 0.8], rtol=1e-6)
        small, _ = tf.clip_by_global_norm([tf.constant([0.3]), tf.constant([0.4])], 1.0)
        np.testing.assert_allclose([float(each[0]) for each in small], [0.3, 0.4], rtol=1e-6)  # below the norm nothing changes
        # One gradient that is not finite makes all of them NaN.
        broken, _ = tf.clip_by_global_norm([tf.constant([float("inf")]), tf.constant([4.0])], 1.0)
        self.assertTrue(all(np.isnan(each.numpy()).all() for each in broken))

    def test_control_flow_on_tensors_is_not_traced_again(self):
        traced = []

        @tf.function
        def on_tensor(x):
            traced.append("tensor")
            if x > 0:
                return x * 2
            return x * 3

        @tf.function
        def on_number(x, times):
            traced.append("number")
            for _ in range(times):
                x = x * 2
            return x
        for value in (1.0, -1.0, 2.0, -5.0):
            on_tensor(tf.constant(value))
        self.assertEqual(traced.count("tensor"), 1)
        for times in (1, 2, 3, 4, 3):
            on_number(tf.constant(1.0), times)
        self.assertEqual(traced.count("number"), 4)  # once for each number, whether there is control flow or not


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))

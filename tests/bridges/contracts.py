"""What the hooks rely on in the installed TensorFlow: private names, arguments, identities. A version that breaks one fails here.

usage: contracts.py PACKAGE_FOLDER   (with a Python that has TensorFlow)
"""
import contextlib
import gc
import inspect
import io
import os
import sys
import unittest
import unittest.mock
import weakref

FOLDER = sys.argv[1]
sys.path.insert(0, FOLDER)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: E402
import tapescope  # noqa: E402
from tapescope.patches import Patches  # noqa: E402
from tapescope.tensorflow import versions as v  # noqa: E402


class Contracts(unittest.TestCase):
    def test_every_name_that_is_replaced_is_there(self):
        with tapescope.record(os.devnull):
            pass  # sets the hooks once, so that all modules are loaded
        from tapescope import tensorflow as hooks
        undo, missing = hooks.install()
        undo()
        self.assertEqual(missing, [])

    def test_a_name_that_a_version_lacks_turns_off_one_feature(self):
        def program():
            w, x = tf.Variable([2.0, 3.0]), tf.constant([1.0, 4.0])
            square = tf.function(lambda value: value * value)
            with tf.GradientTape(persistent=True) as tape:
                loss = tf.reduce_sum(square(w) * x) + tf.reduce_sum(tf.math.reduce_logsumexp(w))
            found = [tape.gradient(loss, w), tape.jacobian(square(w), w), tape.gradient(loss, x)]
            return [None if each is None else each.numpy().tolist() for each in found]

        names, whole = [], Patches.set
        with unittest.mock.patch.object(Patches, "set", lambda self, owner, name, *rest: names.append(name) or whole(self, owner, name, *rest)):
            with tapescope.record(os.devnull):
                expected = program()
        self.assertEqual(expected, program())
        self.assertGreater(len(names), 15)
        failed = tapescope._tapescope.swallowed()[0]
        for lacking in sorted(set(names)):
            def without(self, owner, name, make, feature, lacking=lacking):
                return whole(self, owner, name + "_of_another_version" * (name == lacking), make, feature)
            with self.subTest(lacking), unittest.mock.patch.object(Patches, "set", without):
                said = io.StringIO()
                with contextlib.redirect_stderr(said), tapescope.record(os.devnull):
                    self.assertEqual(program(), expected)
                sentences = said.getvalue().splitlines()
                self.assertEqual(len(sentences), names.count(lacking), sentences)
                self.assertTrue(all(f"{lacking}_of_another_version is missing in this version: " in each for each in sentences), sentences)
                self.assertEqual(tapescope._tapescope.swallowed()[0], failed, tapescope._tapescope.swallowed())

    def test_a_part_that_cannot_be_set_leaves_the_others(self):
        from tapescope.tensorflow import host, variables
        said = io.StringIO()
        with unittest.mock.patch.object(host, "install", side_effect=AttributeError("no such name")), unittest.mock.patch.object(
                variables, "define", wraps=variables.define) as defined:
            with contextlib.redirect_stderr(said), tapescope.record(os.devnull):
                w = tf.Variable(3.0, name="w")
                with tf.GradientTape() as tape:
                    loss = w * 2.0
                tape.gradient(loss, [w])
        self.assertEqual(said.getvalue().splitlines(), ["tapescope: this version of TensorFlow lacks something (no such name): "
                                                        "values that the program reads are not seen"])
        defined.assert_called()

    def test_parameters_have_the_names_that_callers_use(self):
        names = list(inspect.signature(v.record.record_operation).parameters)
        self.assertEqual(names, ["op_type", "output_tensors", "input_tensors", "backward_function", "forward_function"])
        names = list(inspect.signature(v.backprop.GradientTape.gradient).parameters)
        self.assertEqual(names, ["self", "target", "sources", "output_gradients", "unconnected_gradients"])
        names = list(inspect.signature(v.tracing_compilation.trace_function).parameters)
        self.assertEqual(names, ["args", "kwargs", "tracing_options"])

    def test_a_backward_step_has_the_attributes_that_the_op_announced(self):
        announced, walked = [], []

        def callback(op_type, inputs, attributes, outputs, *rest, **keywords):
            announced.append(attributes)

        def gradient(op_name, attributes, *rest):
            walked.append(attributes)
            return v.backprop._gradient_function(op_name, attributes, *rest)
        x = tf.constant([1.0, 2.0])
        v.op_callbacks.add_op_callback(callback)
        v.pywrap_tfe.TFE_Py_RegisterGradientFunction(gradient)
        try:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.exp(tf.sin(x))
            forward = list(announced)
            tape.gradient(y, x)
        finally:
            v.pywrap_tfe.TFE_Py_RegisterGradientFunction(v.backprop._gradient_function)
            v.op_callbacks.remove_op_callback(callback)
        self.assertEqual(len(walked), 2)
        for attributes in walked:
            self.assertTrue(any(attributes is other for other in forward))

    def test_a_plain_variable_keeps_what_its_properties_return(self):
        for trainable in (True, False):
            w = tf.Variable(1.0, trainable=trainable)
            self.assertIs(type(w), v.ResourceVariable)
            self.assertIs(w._handle, w.handle)
            self.assertIs(w._trainable, w.trainable)

    def test_identities_grow_and_are_not_reused(self):
        first = tf.constant(1.0)._id
        self.assertGreater(tf.constant(1.0)._id, first)

    def test_values_are_read_through_one_method(self):
        reads = []
        patches = Patches()
        owner = next(kind for kind in v.EagerTensor.__mro__ if "_numpy" in kind.__dict__)
        patches.set(owner, "_numpy", lambda original: lambda self: reads.append(1) or original(self), "nothing")
        x = tf.constant(1.5)
        x.numpy(), float(x), bool(x), repr(x)
        patches.undo()
        self.assertEqual(len(reads), 4)

    def test_values_are_read_by_their_element_type(self):
        module, nan, inf = tapescope._tapescope, float("nan"), float("inf")
        all_zero, has_nan, has_infinity = 1, 2, 4
        with tapescope.record(os.devnull):
            for kind in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
                for values, found in (([0.0, 0.0], all_zero), ([1.0, nan], has_nan), ([[1.0], [-inf]], has_infinity), ([1.0, 2.0], 0), (3.0, 0)):
                    self.assertEqual(module.look(tf.constant(values, kind)), found, (kind, values))
            # Two bytes of 255 are a NaN as bfloat16, and an odd number of them is no number of elements.
            for kind in (tf.uint8, tf.int32, tf.int64):
                self.assertEqual(module.look(tf.constant([255, 255, 255], kind)), 0)
                self.assertEqual(module.look(tf.constant([0, 0, 0], kind)), all_zero)
            self.assertEqual(module.look(tf.constant([False, True])), 0)
            self.assertEqual(module.look(tf.constant("text")), 0)
            self.assertEqual(module.look(tf.zeros((0, 3))), 0)

    def test_what_runs_a_graph_beside_a_call_draws_none_of_the_programs_numbers(self):
        from tapescope.tensorflow.graph_runs import Plan, Run

        class Shown:
            def __init__(self):
                self.types = []

            def begin(self):
                pass

            def ran(self, node, given, made):
                self.types.append(node.type)

        def drawn(beside):
            tf.random.set_seed(3)
            v = tf.Variable([0.0, 0.0])

            @tf.function
            def noisy(v):
                v.assign(tf.random.uniform([2], seed=5))

            graph, seen = noisy.get_concrete_function(v).graph, Shown()
            numbers = [tf.random.uniform([2], seed=5).numpy().tolist()]
            if beside:
                Run(Plan(graph, lambda _: (), {}, updates=True), [v.handle], {}, lambda *_: None, shown=seen)
                self.assertIn("RandomUniform", seen.types)
            return numbers + [tf.random.uniform([2], seed=5).numpy().tolist() for _ in range(2)]

        self.assertEqual(drawn(beside=True), drawn(beside=False))

    def test_a_recording_keeps_no_tensor_beyond_its_end(self):
        with tapescope.record(os.devnull):
            x = tf.Variable(2.0)
            with tf.GradientTape() as tape:
                middle = tf.exp(x)
                loss = middle * 3.0
            tape.gradient(loss, x)
            held = weakref.ref(middle)
            del middle, loss, tape
        gc.collect()
        self.assertIsNone(held())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""What is said of programs in styles that people write in: keywords, scopes, switches, gradients by hand, masks.

usage: styles_tensorflow.py TAPESCOPE PACKAGE_FOLDER   (with a Python that has TensorFlow)
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from reasons_tensorflow import Answers  # noqa: E402


class Retraces(unittest.TestCase):
    def retraces(self, body, name):
        answers = Answers(body)
        function = next(row for row in answers.said["functions"] if row["name"] == name)
        return function["retraces"]

    def test_keywords_that_come_and_go_are_another_structure(self):
        found = self.retraces("""
            @tf.function
            def sales(loaves, **measured):
                return loaves + tf.add_n(list(measured.values()))

            day = tf.ones([3])
            sales(day, rain=day)
            sales(day, heat=day, rain=day)
            sales(day, rain=day)
            sales(day, wind=day)""", "sales")
        self.assertEqual([(row["call"], row["kind"], row["argument"]) for row in found], [(2, "structure", "heat"), (4, "structure", "rain")])
        self.assertEqual((found[0]["from"], found[0]["to"]), ("loaves, rain", "loaves, heat, rain"))
        self.assertIn("same keyword arguments", found[0]["fix"])

    def test_a_strategy_s_scope_is_another_context(self):
        found = self.retraces("""
            @tf.function
            def penalty(w):
                return tf.reduce_sum(w * w)

            w = tf.ones([2])
            penalty(w)
            with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
                penalty(w)
            penalty(w)""", "penalty")
        self.assertEqual([(row["call"], row["kind"], row["from"]) for row in found], [(2, "context", "none")])
        self.assertIn("scope", found[0]["fix"])


class Nones(unittest.TestCase):
    def test_the_expert_that_a_switch_never_picks_is_in_a_branch_not_taken(self):
        answers = Answers("""
            left, right = tf.Variable(1.0, name="left"), tf.Variable(2.0, name="right")
            with tf.GradientTape() as tape:
                loss = 3.0 * tf.switch_case(tf.constant(0), [lambda: left * 1.0, lambda: right * 1.0])  # chosen
            tape.gradient(loss, [left, right])""")
        self.assertEqual(answers.of("right"), ("branch_not_taken", "chosen"))

    def test_an_index_that_the_program_reads_is_no_switch(self):
        answers = Answers("""
            left, right = tf.Variable(1.0, name="left"), tf.Variable(2.0, name="right")  # made
            with tf.GradientTape() as tape:
                loss = 3.0 * [left, left][int(tf.argmax(tf.constant([1.0, 0.0])))]
            tape.gradient(loss, [left, right])""")
        self.assertEqual(answers.of("right")[0], "unused")

    def test_an_argument_to_which_a_registered_gradient_gives_none_is_no_custom_gradient(self):
        answers = Answers("""
            level = tf.Variable(1.0, name="level")
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.pad(tf.ones([2, 2]), [[1, 1], [0, 0]], constant_values=level))  # padded
            tape.gradient(loss, level)""")
        self.assertEqual(answers.of("level"), ("argument_not_differentiable", "padded"))
        self.assertIn("custom_gradient", answers.gradients["level"]["fix"])

    def test_a_variable_of_which_only_the_shape_was_taken_is_unused(self):
        answers = Answers("""
            used = tf.Variable([1.0, 2.0], name="used")
            idle = tf.Variable([1.0, 2.0], name="idle")  # made
            speed = [tf.Variable(tf.zeros_like(v), trainable=False) for v in (used, idle)]
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(used * used)
            tape.gradient(loss, [used, idle])""")
        self.assertEqual(answers.of("idle"), ("unused", "made"))


    def test_a_condition_of_the_host_s_that_kept_the_only_use_from_running_is_named(self):
        answers = Answers("""
            class Lens(tf.Module):
                def __init__(self):
                    super().__init__()
                    self.curvature, self.rim = tf.Variable(0.8, name="curvature"), tf.Variable(0.1, name="rim")
                    self.mount = tf.Variable(0.5, name="mount")  # mount

                def mounted(self, training):
                    if training:
                        return self.mount * 2.0

                def __call__(self, rays, training=False):
                    bent = tf.sin(self.curvature * rays)
                    if training:  # condition
                        bent += self.rim
                    return bent

            lens = Lens()
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(lens(tf.ones([3])))
            tape.gradient(loss, [lens.curvature, lens.rim, lens.mount])""")
        self.assertEqual(answers.of("rim"), ("branch_not_taken", "condition"))
        self.assertIn("training=True", answers.gradients["rim"]["fix"])
        self.assertIn("`training`", answers.gradients["rim"]["message"])
        self.assertEqual(answers.of("mount"), ("unused", "mount"))  # no op of that method ran

    def test_a_condition_that_leaves_before_the_only_use_is_named_in_a_function_too(self):
        answers = Answers("""
            spread, level = tf.Variable(0.3, name="spread"), tf.Variable(1.0, name="level")

            def noisy(x, quiet):
                x = x * level
                if quiet:  # leaves
                    return x
                return x + spread

            @tf.function
            def loss_and_grads(x):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(noisy(x, True))
                grads = tape.gradient(loss, [level, spread])
                return loss, grads[0]

            loss_and_grads(tf.ones([2]))""")
        self.assertEqual(answers.of("spread"), ("branch_not_taken", "leaves"))


class Values(unittest.TestCase):
    def test_a_difference_cancels_what_both_sides_have_alone(self):
        answers = Answers("""
            neck = tf.Variable(1.2, name="neck")

            @tf.function
            def flow(heights):
                return tf.minimum(30.0 * neck * heights, 2.0)

            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(flow(tf.ones([4])) - 1.0))
            tape.gradient(loss, neck)""")
        self.assertNotIn("takes away what was added", answers.gradients["neck"]["message"])

    def test_a_nan_of_a_gradient_by_hand_is_on_its_line(self):
        answers = Answers("""
            @tf.custom_gradient
            def length(x):
                size = tf.sqrt(tf.reduce_sum(x * x))

                def backward(upstream):
                    return upstream * (x / size)  # divided

                return size, backward

            w = tf.Variable([0.0, 0.0], name="w")
            with tf.GradientTape() as tape:
                loss = length(w) + tf.reduce_sum(w)
            tape.gradient(loss, w)""")
        alert = answers.said["alerts"][0]
        self.assertEqual((alert["op"], alert["direction"], answers.line(alert["location"])), ("RealDiv", "backward", "divided"))
        self.assertIn("divide_no_nan", alert["fix"])

    def test_a_nan_that_reaches_a_gradient_by_hand_is_not_its_fault(self):
        answers = Answers("""
            @tf.custom_gradient
            def twice(x):
                def backward(upstream):
                    return upstream * 2.0

                return x * 2.0, backward

            w = tf.Variable([0.0, 1.0], name="w")
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sqrt(twice(w)))  # root
            tape.gradient(loss, w)""")
        alert = answers.said["alerts"][0]
        self.assertEqual((answers.line(alert["location"]), alert["direction"]), ("root", "backward"))

    def test_angles_of_no_direction_have_a_remedy_of_their_own(self):
        answers = Answers("""
            w = tf.Variable([0.0, 0.0], name="w")
            with tf.GradientTape() as tape:
                loss = tf.atan2(w[0], w[1])
            tape.gradient(loss, w)""")
        self.assertIn("atan2 has no slope at (0, 0)", answers.said["alerts"][0]["fix"])

    def test_a_mask_without_ones_is_a_mask_whatever_made_it(self):
        answers = Answers("""
            w = tf.Variable([1.0, 2.0, 3.0], name="w")
            with tf.GradientTape() as tape:
                each = tf.square(w)
                mask = tf.sequence_mask([0, 0, 0], maxlen=1, dtype=tf.float32)
                loss = tf.reduce_sum(each * tf.reshape(mask, [3]))  # masked
            tape.gradient(loss, w)""")
        self.assertEqual(answers.of("w"), ("masked", "masked"))

    def test_what_float16_cannot_hold_underflows(self):
        answers = Answers("""
            w = tf.Variable(tf.constant([0.01], tf.float16), name="w")
            with tf.GradientTape() as tape:
                small = w * tf.constant(1e-4, tf.float16) * tf.constant(1e-4, tf.float16)
                loss = tf.reduce_sum(tf.square(small))  # squared
            tape.gradient(loss, w)""")
        self.assertEqual(answers.of("w"), ("underflow", "squared"))

    def test_a_square_whose_slope_float16_cannot_hold_underflows(self):
        answers = Answers("""
            w = tf.Variable(tf.constant(2e-6, tf.float16), name="w")
            with tf.GradientTape() as tape:
                loss = tf.constant(0.002, tf.float16) * tf.square(w)  # squared
            tape.gradient(loss, w)""")
        self.assertEqual(answers.of("w"), ("underflow", "squared"))

    def test_a_gradient_by_hand_that_asks_a_tape_of_its_own_gave_none(self):
        answers = Answers("""
            @tf.custom_gradient
            def couple(x, k, b):
                def backward(upstream):
                    with tf.GradientTape() as tape:
                        tape.watch([x, k, b])
                        again = tf.matmul(x, k) + b
                    by_x, by_k = tape.gradient(again, [x, k], upstream)
                    return by_x, by_k, None

                return tf.matmul(x, k) + b, backward

            k, b = tf.Variable([[0.5], [0.3]], name="k"), tf.Variable([0.1], name="b")
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(couple(couple(tf.ones([2, 2]), k * tf.eye(2), tf.zeros([2])), k, b) ** 2)  # used
            tape.gradient(loss, {"k": k, "b": b})""")
        self.assertEqual(answers.of("b"), ("custom_gradient_none", "used"))

    def test_a_variable_that_a_pipeline_applies_is_outside_of_the_tape(self):
        answers = Answers("""
            gain, w = tf.Variable(1.5, name="gain"), tf.Variable(2.0, name="w")
            data = tf.data.Dataset.range(4).map(lambda x: tf.cast(x, tf.float32) * gain)  # mapped
            for batch in data.batch(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(batch * w)
                tape.gradient(loss, [gain, w])""")
        self.assertEqual(answers.of("gain"), ("outside_tape_before", "mapped"))
        self.assertIn("Dataset.map", answers.gradients["gain"]["fix"])

    def test_a_pipeline_does_not_hide_that_the_loop_reads_it_as_well(self):
        answers = Answers("""
            gain, w = tf.Variable(1.5, name="gain"), tf.Variable(2.0, name="w")
            data = tf.data.Dataset.range(4).map(lambda x: tf.cast(x, tf.float32) * gain)
            for batch in data.batch(2):
                with tf.GradientTape() as tape:
                    penalty = tf.square(gain)
                    loss = tf.reduce_sum(batch * w)  # without
                tape.gradient(loss, [gain, w])""")
        self.assertEqual(answers.of("gain"), ("independent", "without"))

    def test_a_check_that_reads_a_truth_value_hands_nothing_on(self):
        answers = Answers("""
            scale, w = tf.Variable([1.0, 2.0], name="scale"), tf.Variable([[3.0], [1.0]], name="w")
            with tf.GradientTape() as tape:
                spread = scale * 2.0
                tf.debugging.assert_equal(tf.shape(spread), [2])
                tf.debugging.assert_greater(spread, 0.0)
                loss = tf.reduce_sum(w[0:2])  # without
            tape.gradient(loss, [scale, w])""")
        self.assertEqual(answers.of("scale"), ("independent", "without"))

    def test_a_gradient_by_hand_that_gives_none_for_a_variable_is_a_custom_gradient(self):
        answers = Answers("""
            cut = tf.Variable(0.5, name="cut")

            @tf.custom_gradient
            def above(x):
                def backward(upstream, variables):
                    return upstream, [None]  # nothing

                return x - cut, backward

            w = tf.Variable(2.0, name="w")
            with tf.GradientTape() as tape:
                loss = above(w) * 3.0
            tape.gradient(loss, [w, cut])""")
        self.assertEqual(answers.gradients["cut"]["reason"], "custom_gradient_none")

    def test_a_product_of_many_numbers_underflows_where_it_is_made(self):
        answers = Answers("""
            w = tf.Variable(0.3, name="w")
            with tf.GradientTape() as tape:
                chances = tf.exp(-tf.square(tf.linspace(0.0, 1.0, 100) - w)) * 0.1
                loss = tf.square(1.0 - tf.reduce_prod(chances))  # product
            tape.gradient(loss, w)""")
        self.assertEqual(answers.of("w"), ("underflow", "product"))
        self.assertIn("log", answers.gradients["w"]["fix"])

    def test_weights_of_zero_are_weights_in_float16_too(self):
        answers = Answers("""
            w, v = tf.Variable([2.0], name="w"), tf.Variable([0.0], name="v")
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.cast(w, tf.float16) * tf.cast(v, tf.float16))
            tape.gradient(loss, [w, v])""")
        self.assertEqual(answers.of("w")[0], "zero_weights")


class NotFinite(unittest.TestCase):
    def test_parts_of_complex_numbers_are_looked_at(self):
        for kind in ("complex64", "complex128"):
            answers = Answers(f"""
                w = tf.Variable([1.0, 0.0], name="w", dtype=tf.{'float32' if kind == 'complex64' else 'float64'})
                with tf.GradientTape() as tape:
                    turned = tf.cast(w, tf.{kind}) * 1j
                    loss = tf.reduce_sum(tf.math.angle(turned))  # angle
                tape.gradient(loss, w)""")
            alert = next(row for row in answers.said["alerts"] if row["kind"] == "nonfinite")
            self.assertEqual((alert["op"], answers.line(alert["location"])), ("Angle", "angle"), kind)

    SCALED = """
        w = tf.Variable([0.5, 2.0], name="w")
        scale = {start}
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.cast(tf.square(tf.cast(w, tf.float16)), tf.float32)) * scale  # scaled
            grad = tape.gradient(loss, w) / scale
            if {check}:
                w.assign_sub(0.1 * grad)
            else:
                scale /= 64.0
    """

    def test_a_conversion_that_overflows_is_at_its_call_in_a_function_too(self):
        for decorator in ("", "@tf.function"):
            answers = Answers(f"""
                w = tf.Variable([70000.0, 0.2], name="w")

                def half(x):
                    return tf.cast(x, tf.float16)

                {decorator}
                def step():
                    with tf.GradientTape() as tape:
                        low = half(w * 0.0001)
                        high = half(w)  # call
                        loss = tf.reduce_sum(tf.cast(low, tf.float32) + tf.cast(high, tf.float32))
                    return tape.gradient(loss, w)

                step()""")
            self.assertEqual([answers.line(row["location"]) for row in answers.said["alerts"] if row["kind"] == "nonfinite"], ["call"], decorator)

    def test_steps_that_a_loss_scale_skips_are_no_fault(self):
        answers = Answers(self.SCALED.format(start="2.0 ** 18", check="tf.reduce_all(tf.math.is_finite(grad))"))
        self.assertEqual(answers.said["alerts"], [])

    def test_steps_that_are_skipped_for_ever_are(self):
        answers = Answers(self.SCALED.format(start="2.0 ** 60", check="tf.reduce_all(tf.math.is_finite(grad))"))
        self.assertEqual([row["kind"] for row in answers.said["alerts"]], ["nonfinite"])

    def test_a_step_that_is_not_skipped_is(self):
        answers = Answers(self.SCALED.format(start="2.0 ** 18", check="tf.reduce_sum(grad) != 0.0"))
        self.assertEqual([row["kind"] for row in answers.said["alerts"]], ["nonfinite"])


class Slow(unittest.TestCase):
    def test_a_helper_that_a_loop_calls_for_each_example_is_named_where_it_is_called(self):
        answers = Answers("""
            w = tf.Variable([0.5, 0.2], name="w")

            def error(example):
                return tf.reduce_sum(tf.square(example * w))

            def whole(examples):
                errors = []
                for example in examples:
                    errors.append(error(example))  # call
                return tf.add_n(errors)

            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = whole(tf.ones([20, 2]))
                w.assign_sub(0.1 * tape.gradient(loss, w))""")
        self.assertIn(("per_example_loop", "call"), answers.advice())

    def test_one_hot_rows_of_several_axes_look_a_table_up(self):
        for product in ("tf.one_hot(ids, 4000) @ table", "tf.tensordot(tf.one_hot(ids, 4000), table, 1)"):
            answers = Answers(f"""
                table = tf.Variable(tf.ones([4000, 8]), name="table")
                ids = tf.reshape(tf.range(12), [4, 3])
                for _ in range(2):
                    with tf.GradientTape() as tape:
                        rows = {product}  # product
                        loss = tf.reduce_sum(rows)
                    tape.gradient(loss, table)""")
            self.assertIn(("dense_from_sparse", "product"), answers.advice(), product)

    COUNTS = """
        w = tf.Variable(tf.ones([300]), name="w")
        rows = np.ones([8, 300], np.int16)
        rows[:, 30] = {counts}

        def scaled(row):
            counts = tf.cast(tf.convert_to_tensor(row), tf.float32) * 0.002
            around = counts - tf.reduce_mean(counts)
            return around / (tf.math.reduce_std(around) + 0.001)

        for step in range(8):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(w - scaled(rows[step])))
            w.assign_sub(0.1 * tape.gradient(loss, w))"""

    def test_numbers_that_come_anew_in_each_step_are_known_again_by_all_of_them(self):
        self.assertIn("repeated_work", [kind for kind, _ in Answers(self.COUNTS.format(counts="7")).advice()])

    def test_numbers_of_which_one_differs_are_others(self):
        self.assertEqual(Answers(self.COUNTS.format(counts="np.arange(8)")).advice(), [])

    def test_of_work_that_is_repeated_the_end_is_named(self):
        answers = Answers("""
            w = tf.Variable(tf.ones([40, 40]) * 0.1, name="w")

            def factor():
                return tf.linalg.cholesky(tf.matmul(w, w, transpose_b=True) + tf.eye(40))

            for _ in range(2):
                with tf.GradientTape() as tape:
                    first = factor()
                    second = factor()  # second
                    loss = tf.reduce_sum(first) + tf.reduce_sum(tf.square(second))
                w.assign_sub(0.001 * tape.gradient(loss, w))""")
        self.assertIn(("repeated_work", "second"), answers.advice())
        self.assertIn("Cholesky", next(row for row in answers.said["advice"] if row["kind"] == "repeated_work")["subject"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

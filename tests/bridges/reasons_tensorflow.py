"""What is said of small TensorFlow programs, one question each: reasons and lines, what is no fault, calls and traces.

usage: reasons_tensorflow.py TAPESCOPE PACKAGE_FOLDER   (with a Python that has TensorFlow)
A program is the body of a function, which runs in a child, as importing TensorFlow takes longer than all of them; lines that an answer
names end in a mark.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

TAPESCOPE, FOLDER = sys.argv[1:3]
sys.path.insert(0, FOLDER)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras  # noqa: E402,F401
import tensorflow as tf  # noqa: E402,F401

HEAD = "import threading\nimport keras\nimport numpy as np\nimport tensorflow as tf\n"


class Answers:
    def __init__(self, body):
        self.text = HEAD + textwrap.dedent(body)
        with tempfile.TemporaryDirectory() as folder:
            program, tape = pathlib.Path(folder, "program.py"), pathlib.Path(folder, "run.tape")
            program.write_text(self.text, encoding="utf-8")
            child = os.fork()
            if child == 0:
                try:
                    import tapescope.__main__ as command
                    with open(os.path.join(folder, "out"), "w", encoding="utf-8") as out:
                        os.dup2(out.fileno(), 1)
                        os.dup2(out.fileno(), 2)
                    sys.argv = ["tapescope", "--record", str(tape), str(program)]
                    command.main()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            done = subprocess.run([TAPESCOPE, "explain", tape, "--json", "-"], capture_output=True, text=True, check=False)
            self.said = json.loads(done.stdout or pathlib.Path(folder, "out").read_text(encoding="utf-8"))
        self.gradients = {row["source"]: row for row in self.said["gradients"]}

    def of(self, source):
        """Reason and text of the line."""
        row = self.gradients[source]
        return row["reason"], self.line(row["location"])

    def line(self, location):
        return self.text.splitlines()[int(location.rpartition(":")[2]) - 1].rpartition("# ")[2]

    def advice(self):
        return [(row["kind"], self.line(row["location"])) for row in self.said["advice"]]


class Nones(unittest.TestCase):
    def expect(self, body, **wanted):
        answers = Answers(body)
        for source, expected in wanted.items():
            self.assertEqual(answers.of(source), expected, answers.gradients)
        return answers

    def test_numpy_functions_read_tensors(self):
        self.expect("""
            w = tf.Variable([1.0, 2.0], name="w")
            with tf.GradientTape() as tape:
                doubled = w * 2.0
                grown = np.exp(doubled)  # read
                loss = tf.reduce_sum(grown)
            tape.gradient(loss, w)""", w=("host_round_trip", "read"))

    def test_numpy_reads_tensors_in_lists(self):
        self.expect("""
            w = tf.constant([1.0, 2.0])
            with tf.GradientTape() as tape:
                tape.watch(w)
                rows = np.array([w, w * 2.0])  # read
                loss = tf.reduce_sum(tf.convert_to_tensor(rows))
            tape.gradient(loss, w)""", w=("host_round_trip", "read"))

    def test_what_a_function_returned_is_read_in_the_round_that_traced_it(self):
        self.expect("""
            w = tf.Variable([[1.0], [2.0]], name="w")

            @tf.function
            def net(x):
                return tf.tanh(x @ w)

            with tf.GradientTape() as tape:
                seen = net(tf.constant([[0.1, 0.2], [0.3, 0.4]])).numpy()  # read
                loss = tf.reduce_sum(1.5 * tf.convert_to_tensor(seen))
            tape.gradient(loss, w)""", w=("host_round_trip", "read"))

    def test_what_a_model_predicts_has_left_for_the_host(self):
        self.expect("""
            model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, name="height", use_bias=False)])
            light = tf.constant([[0.1, 0.2], [0.3, 0.4]])
            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(2.0 * model.predict(light, verbose=0))  # read
                tape.gradient(loss, model.trainable_variables)""", **{"sequential/height/kernel": ("host_round_trip", "read")})

    def test_a_value_that_numpy_read_in_a_trace_is_a_constant_from_there_on(self):
        self.expect("""
            class Panel:
                def __init__(self):
                    self.gain, self.tilt = tf.linspace(-0.2, 0.2, 3), tf.constant(0.4)

                def gains(self):
                    return np.exp(self.gain)  # read

                @tf.function
                def power(self, height):
                    return tf.reduce_sum((height[:, None] - self.tilt) * self.gains())

            panel = Panel()
            for _ in range(3):
                sources = {"gain": panel.gain, "tilt": panel.tilt}
                with tf.GradientTape() as tape:
                    tape.watch(sources)
                    loss = panel.power(tf.linspace(0.1, 1.0, 4))
                tape.gradient(loss, sources)""", gain=("traced_constant", "read"))

    def test_what_is_written_into_a_part_of_a_variable_is_an_assignment(self):
        self.expect("""
            board, gain = tf.Variable([1.0, 2.0, 3.0], name="board"), tf.Variable(2.0, name="gain")
            with tf.GradientTape() as tape:
                board.scatter_nd_update([[1]], [gain * 5.0])  # written
                loss = tf.reduce_sum(board)
            tape.gradient(loss, gain)""", gain=("state_update", "written"))

    def test_a_custom_gradient_in_a_trace_gave_none(self):
        self.expect("""
            @tf.custom_gradient
            def cut(x, level):
                return tf.minimum(x, level), lambda upstream: (upstream, None)

            w, level = tf.Variable([1.0, 2.0], name="w"), tf.Variable(1.5, name="level")

            @tf.function
            def step(x):
                with tf.GradientTape() as tape:
                    kept = cut(x * w, level)  # called
                    loss = tf.reduce_sum(kept)
                return tape.gradient(loss, w)

            @tf.function
            def step_of_level(x):
                with tf.GradientTape() as tape:
                    kept = cut(x * w, tf.convert_to_tensor(level))  # called
                    loss = tf.reduce_sum(kept)
                grads = tape.gradient(loss, [w, level])
                w.assign_sub(grads[0])
                return grads[0]

            for _ in range(2):
                step_of_level(tf.constant([1.0, 2.0]))""", level=("custom_gradient_none", "called"))

    def test_ops_of_a_thread_whose_class_has_its_own_run_are_seen(self):
        self.expect("""
            w = tf.Variable(3.0, name="w")

            class Worker(threading.Thread):
                def run(self):
                    self.result = w * 2.0  # elsewhere

            with tf.GradientTape() as tape:
                worker = Worker()
                worker.start()
                worker.join()
                loss = worker.result * 1.0
            tape.gradient(loss, w)""", w=("other_thread", "elsewhere"))

    def test_an_argument_of_a_function_was_computed_before_its_tape(self):
        self.expect("""
            table, gain = tf.Variable([[1.0], [2.0]], name="table"), tf.Variable(0.5, name="gain")

            @tf.function
            def step(x, features):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(features * gain * x)
                return tape.gradient(loss, [table, gain])

            features = tf.constant([[1.0, 2.0]]) @ table  # before
            for _ in range(2):
                step(tf.constant([[2.0]]), features)""", table=("outside_tape_before", "before"))

    @unittest.skipUnless(hasattr(keras, "Variable"), "Keras 2 makes a layer's variables where it asks for them")
    def test_a_variable_of_a_layer_was_made_where_the_layer_asked_for_it(self):
        answers = Answers("""
            class Seats(keras.layers.Layer):
                def build(self, shape):
                    self.scale = self.add_weight(shape=(), initializer="ones", name="scale")
                    self.spare = self.add_weight(shape=(), initializer="ones", name="spare")  # made

                def call(self, x):
                    return self.scale * x

            class House(keras.Model):
                def __init__(self):
                    super().__init__(name="house")
                    self.seats = Seats(name="seats")

                def call(self, x):
                    return self.seats(x)

            house = House()
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(house(tf.ones([1, 2])))
            tape.gradient(loss, house.trainable_variables)
            """)
        self.assertEqual(answers.of("house/seats/spare"), ("unused", "made"))

    def test_a_tensor_that_a_helper_computed_again_is_not_the_one_that_was_used(self):
        answers = self.expect("""
            w = tf.Variable([[0.5, 0.2], [0.1, 0.3]], name="w")
            x = tf.constant([[1.0, 2.0]])

            def features(x):
                return tf.tanh(x @ w)  # made

            with tf.GradientTape() as tape:
                maps = features(x)
                score = tf.reduce_sum(features(x))
            tape.gradient(score, maps)""", maps=("recreated_tensor", "made"))
        self.assertIn("same tensor", answers.gradients["maps"]["fix"])

    def test_variables_of_one_name_in_two_layers_are_two(self):
        answers = Answers("""
            near, far = tf.Variable([1.0, 2.0], name="kernel"), tf.Variable([3.0, 4.0], name="kernel")
            x = tf.constant([1.0, 1.0])
            with tf.GradientTape() as tape:
                one, other = x * near, x * far
                loss = tf.reduce_sum(one)
            tape.gradient(loss, [near, far])""")
        self.assertEqual([row["reason"] for row in answers.said["gradients"] if row["status"] == "none"], ["independent"])

    def test_the_line_of_a_tape_that_watches_nothing_is_the_tapes(self):
        self.expect("""
            w = tf.Variable([1.0, 2.0], name="w")
            with tf.GradientTape(watch_accessed_variables=False) as tape:  # made
                loss = tf.reduce_sum(w * w)
            tape.gradient(loss, w)""", w=("watch_disabled", "made"))


    def test_what_a_layer_made_in_fit_and_nobody_used_is_dropped_in_the_model(self):
        answers = Answers("""
            class Net(keras.Model):
                def __init__(self):
                    super().__init__(name="net")
                    self.body, self.side = keras.layers.Dense(4, name="body"), keras.layers.Dense(2, name="side")

                def call(self, x):
                    self.side(x)  # dropped
                    return self.body(x)

            net = Net()
            net.compile("sgd", "mse")
            net.fit(tf.ones([8, 3]), tf.ones([8, 4]), batch_size=4, verbose=0)""")
        self.assertEqual(answers.of("net/side/kernel"), ("independent", "dropped"))
        self.assertEqual(answers.gradients["net/body/kernel"]["status"], "value")


class Zeros(unittest.TestCase):
    def test_a_function_that_updates_returns_gradients_under_other_names(self):
        answers = Answers("""
            w = tf.Variable([1.0, 2.0], name="w")

            @tf.function
            def step(x):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.sign(x * w))
                grads = tape.gradient(loss, {"w": w})
                w.assign_sub(0.1 * grads["w"])
                return grads

            for _ in range(2):
                step(tf.constant([1.0, 2.0]))""")
        self.assertEqual(answers.gradients["w"]["status"], "zero")

    def test_ways_that_cancel_meet_where_they_part(self):
        answers = Answers("""
            bias, slope = tf.Variable([0.1], name="bias"), tf.Variable([[0.3], [0.2]], name="slope")

            def score(x):
                return tf.squeeze(x @ slope + bias, axis=-1)

            better, worse = tf.constant([[1.0, 2.0], [2.0, 3.0]]), tf.constant([[0.5, 0.2], [0.1, 0.9]])
            with tf.GradientTape() as tape:
                one, other = score(better), score(worse)
                margin = one - other  # part
                loss = tf.reduce_mean(tf.nn.softplus(-margin))
            tape.gradient(loss, [slope, bias])""")
        self.assertEqual(answers.of("bias"), ("cancels", "part"))

    def test_of_two_computed_operands_the_larger_one_loses_the_minimum(self):
        answers = Answers("""
            low, high = tf.Variable([0.1, 0.2], name="low"), tf.Variable([5.0, 6.0], name="high")
            with tf.GradientTape() as tape:
                lower = tf.minimum(low * 2.0, high * 3.0)  # chosen
                loss = tf.reduce_sum(lower)
            tape.gradient(loss, [low, high])""")
        self.assertEqual(answers.of("high"), ("max_loser", "chosen"))


    def test_units_that_are_all_zero_are_no_zero_weights(self):
        answers = Answers("""
            w = tf.Variable(tf.fill([4, 3], -0.5), name="w")
            v = tf.Variable(tf.ones([3, 1]), name="v")
            for _ in range(2):
                with tf.GradientTape() as tape:
                    units = tf.nn.relu(tf.ones([2, 4]) @ w)  # dead
                    loss = tf.reduce_sum(units @ v)
                grads = tape.gradient(loss, [w, v])""")
        self.assertEqual((answers.of("v"), answers.of("w")), (("dead_relu", "dead"), ("dead_relu", "dead")))

    def test_weights_that_start_at_zero_make_zero_units(self):
        answers = Answers("""
            w = tf.Variable(tf.zeros([4, 3]), name="w")
            v = tf.Variable(tf.ones([3, 1]), name="v")
            for _ in range(2):
                with tf.GradientTape() as tape:
                    units = tf.nn.relu(tf.ones([2, 4]) @ w)
                    loss = tf.reduce_sum(units @ v)  # product
                grads = tape.gradient(loss, [w, v])""")
        self.assertEqual(answers.of("v"), ("zero_weights", "product"))

    def test_a_square_of_what_was_left_out_is_masked_where_it_was_left_out(self):
        answers = Answers("""
            w = tf.Variable([0.5, 0.6], name="w")
            v = tf.Variable([2.0, 3.0], name="v")
            for _ in range(2):
                with tf.GradientTape() as tape:
                    left = tf.where(w > 1.0, w - 2.0, 0.0)  # left out
                    beyond = tf.maximum(0.0, 1.0 - v)  # beyond
                    loss = tf.reduce_sum(tf.square(left)) + tf.reduce_sum(tf.square(beyond))
                tape.gradient(loss, [w, v])""")
        self.assertEqual((answers.of("w"), answers.of("v")), (("masked", "left out"), ("clipped", "beyond")))

    def test_weights_made_of_booleans_are_a_mask(self):
        answers = Answers("""
            w = tf.Variable([0.5, 0.6], name="w")
            for _ in range(2):
                with tf.GradientTape() as tape:
                    known = tf.cast(tf.reduce_any(tf.constant([[1, 2], [3, 4]]) == 7, axis=1), tf.float32)
                    loss = tf.reduce_sum(known * w)  # masked
                tape.gradient(loss, w)""")
        self.assertEqual(answers.of("w"), ("masked", "masked"))


class NotFinite(unittest.TestCase):
    def test_values_of_every_float_are_looked_at(self):
        for kind in ("bfloat16", "float16", "float32", "float64"):
            answers = Answers(f"""
                w = tf.Variable(tf.constant([0.5, -1.0], tf.{kind}), name="w")
                x = tf.constant([1.0, 2.0], tf.{kind})
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.math.log(w * x))  # broken
                tape.gradient(loss, w)
                """)
            found = [(alert["op"], self.line_of(answers, alert)) for alert in answers.said["alerts"] if alert["kind"] == "nonfinite"]
            self.assertEqual(found, [("Log", "broken")], kind)

    def test_mixed_bfloat16_is_followed_into_a_layer(self):
        answers = Answers("""
            keras.utils.set_random_seed(1)
            inputs = keras.Input((4,))
            hidden = keras.layers.Dense(8, activation="relu", dtype="mixed_bfloat16")(inputs)
            logs = keras.layers.Lambda(lambda t: tf.math.log(t - 10.0), dtype="mixed_bfloat16")(hidden)  # broken
            model = keras.Model(inputs, keras.layers.Dense(1)(logs))
            model.compile("sgd", "mse")
            x = tf.sin(tf.reshape(tf.range(64.0), (16, 4)))
            model.fit(x, tf.reduce_sum(x, 1, keepdims=True), epochs=1, batch_size=8, verbose=0)
            """)
        found = [(alert["op"], self.line_of(answers, alert)) for alert in answers.said["alerts"] if alert["kind"] == "nonfinite"]
        self.assertEqual(found[:1], [("Log", "broken")], found)

    def line_of(self, answers, alert):
        return answers.line(alert["location"])


class Healthy(unittest.TestCase):
    def test_a_tape_of_py_function_asks_no_question_of_the_programs(self):
        answers = Answers("""
            decay = tf.Variable(0.6, name="decay")

            @tf.function
            def step(time):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.py_function(lambda t, d: tf.exp(-d * t), [time, decay.read_value()], tf.float32))
                return tape.gradient(loss, decay)

            for _ in range(2):
                step(tf.constant([1.0, 2.0]))""")
        self.assertEqual([(name, row["status"]) for name, row in answers.gradients.items()], [("decay", "value")])

    def test_functions_that_tensorflow_traces_for_itself_are_no_calls_of_the_programs(self):
        answers = Answers("""
            w = tf.Variable(0.5, name="w")

            @tf.function
            def gradients(x):
                with tf.GradientTape() as outer:
                    with tf.GradientTape(watch_accessed_variables=False) as inner:
                        inner.watch(x)
                        y = x
                        for _ in tf.range(3):
                            y = y + 0.1 * tf.tanh(w * y)
                    slope = inner.gradient(y, x)
                return outer.gradient(slope, w)

            for k in range(3):
                gradients(tf.constant(float(k)))""")
        self.assertEqual([(f["name"], f["calls"], f["traces"], f["retraces"]) for f in answers.said["functions"]], [("gradients", 3, 1, [])])

    def test_what_a_layer_computes_twice_by_itself_is_nothing_to_mend(self):
        answers = Answers("""
            layer = keras.layers.GRU(64, return_sequences=True)
            x = tf.reshape(tf.sin(tf.range(4 * 5 * 64.0)), [4, 5, 64])
            layer(x)
            for _ in range(3):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(layer(x))
                tape.gradient(loss, layer.trainable_variables)""")
        self.assertEqual([kind for kind, _ in answers.advice() if kind == "repeated_work"], [])

    def test_a_bias_under_a_softmax_does_not_vanish(self):
        answers = Answers("""
            keras.utils.set_random_seed(1)
            layer = keras.layers.MultiHeadAttention(2, 4, name="attend")
            x = tf.reshape(tf.sin(tf.range(2 * 5 * 8.0)), [2, 5, 8])
            for _ in range(6):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(layer(x, x)))
                grads = tape.gradient(loss, layer.trainable_variables)""")
        self.assertEqual([alert["subject"] for alert in answers.said["alerts"] if alert["kind"] == "vanishing"], [])


class Advice(unittest.TestCase):
    def test_a_pair_that_the_program_wrote_on_two_lines_is_redundant_however_small(self):
        answers = Answers("""
            w = tf.Variable([0.5, 0.6], name="w")
            for _ in range(2):
                with tf.GradientTape() as tape:
                    logarithms = tf.math.log(w)
                    back = tf.exp(logarithms)  # undone
                    loss = tf.reduce_sum(back * back)
                tape.gradient(loss, w)""")
        self.assertIn(("redundant_ops", "undone"), answers.advice())

    def test_a_table_that_is_computed_whole_before_a_look_up_is_dense(self):
        answers = Answers("""
            table = tf.Variable(tf.reshape(tf.sin(tf.range(20000.0 * 4)), [20000, 4]), name="table")
            for _ in range(2):
                with tf.GradientTape() as tape:
                    scaled = table * 0.5  # whole
                    loss = tf.reduce_sum(tf.gather(scaled, [1, 5, 7]))
                tape.gradient(loss, table)""")
        self.assertIn(("dense_from_sparse", "whole"), answers.advice())

    def test_transpositions_of_four_axes_undo_each_other(self):
        answers = Answers("""
            w = tf.Variable(tf.reshape(tf.sin(tf.range(2 * 6 * 6 * 3.0)), [2, 6, 6, 3]), name="w")
            for _ in range(2):
                with tf.GradientTape() as tape:
                    first = tf.transpose(w, [0, 3, 1, 2])
                    last = tf.transpose(first, [0, 2, 3, 1])  # undone
                    loss = tf.reduce_sum(last * last)
                tape.gradient(loss, w)""")
        self.assertIn(("redundant_ops", "undone"), answers.advice())


    def test_places_made_of_numbers_in_each_call_of_a_layer_are_repeated_work(self):
        answers = Answers("""
            def places(length, width):
                place = tf.range(length, dtype=tf.float32)[:, None]
                turn = place * tf.exp(-9.0 * 2.0 * tf.range(width // 2, dtype=tf.float32) / width)
                return tf.concat([tf.sin(turn), tf.cos(turn)], axis=-1)

            class Listen(keras.layers.Layer):
                def build(self, shape):
                    self.parts = [self.add_weight(name=name, shape=(8, 8)) for name in ("query", "key", "value")]

                def call(self, bars):
                    bars = bars + places(bars.shape[1], bars.shape[2])  # made
                    query, key, value = (tf.nn.tanh(tf.matmul(bars, part)) for part in self.parts)
                    share = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / 2.8)
                    return tf.reduce_mean(tf.square(tf.nn.tanh(tf.matmul(share, value)) + bars), axis=-1)

            listen = Listen()
            for evening in range(5):
                bars = tf.reshape(tf.sin(tf.range(320.0) + evening), [2, 20, 8])
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(listen(bars) - tf.reduce_mean(bars, axis=-1)))
                slopes = tape.gradient(loss, listen.trainable_variables)
                for weight, slope in zip(listen.trainable_variables, slopes):
                    weight.assign_sub(0.1 * slope)""")
        self.assertEqual([what for what in answers.advice() if what[0] == "repeated_work"], [("repeated_work", "made")])

    def test_a_table_made_of_numbers_in_each_round_is_repeated_work(self):
        answers = Answers("""
            w = tf.Variable(tf.ones([40, 2]), name="w")

            def table():
                places = tf.linspace(0.0, 1.0, 64)[:, tf.newaxis] - tf.linspace(0.0, 1.0, 40)
                return tf.maximum(0.0, 1.0 - tf.abs(places))

            for number in range(3):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.square(table() @ w))  # made
                w.assign_sub(0.01 * tape.gradient(loss, w))""")
        self.assertEqual([what for what in answers.advice() if what[0] == "repeated_work"], [("repeated_work", "made")])

    def test_a_table_made_of_the_rounds_number_is_another_one_each_time(self):
        answers = Answers("""
            w = tf.Variable(tf.ones([40, 2]), name="w")
            for number in range(3):
                for part in range(4):
                    places = tf.range(64.0)[:, tf.newaxis] * 0.1 + number - tf.range(40.0) * 0.2 * part
                    batch = tf.abs(tf.cos(tf.square(places)))
                    with tf.GradientTape() as tape:
                        loss = tf.reduce_sum(tf.square(batch @ w))
                    w.assign_sub(0.01 * tape.gradient(loss, w))""")
        self.assertEqual([what for what in answers.advice() if what[0] == "repeated_work"], [])


class Names(unittest.TestCase):
    def test_sources_of_a_dict_are_called_by_its_keys(self):
        answers = Answers("""
            class Array:
                def __init__(self):
                    self.tilt = tf.constant(0.45)

            array = Array()
            with tf.GradientTape() as tape:
                tape.watch(array.tilt)
                loss = array.tilt * 2.0
            tape.gradient(loss, {"slope": array.tilt})""")
        self.assertEqual(list(answers.gradients), ["slope"])

    def test_variables_of_layers_that_are_built_late_are_called_by_their_path(self):
        answers = Answers("""
            class Block(keras.layers.Layer):
                def __init__(self, **options):
                    super().__init__(**options)
                    self.near, self.far = keras.layers.Dense(2, name="near"), keras.layers.Dense(2, name="far")

                def call(self, x):
                    self.far(x)
                    return self.near(x)

            class Net(keras.Model):
                def __init__(self):
                    super().__init__(name="net")
                    self.block = Block(name="block")

                def call(self, x):
                    return self.block(x)

            net = Net()
            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(net(tf.ones([2, 3])))
                tape.gradient(loss, net.trainable_variables)""")
        row = answers.gradients["net/block/far/kernel"]
        self.assertEqual(row["reason"], "independent")
        self.assertIn("'net/block/far/kernel'", row["message"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

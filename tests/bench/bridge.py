"""What recording costs a TensorFlow program: the same loops bare and recorded, in turns, in one process.

usage: bridge.py PACKAGE_FOLDER [--json]   (with a Python that has TensorFlow)
"""
import json
import os
import statistics
import sys
import tempfile
import time

sys.path.insert(0, sys.argv[1])
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: E402
import tapescope  # noqa: E402

a, b = tf.ones([8, 8]), tf.ones([8, 8])
w = tf.Variable(tf.ones([8, 8]))


def raw_op(count):
    for _ in range(count):
        tf.raw_ops.Mul(x=a, y=b)


def multiplied(count):
    for _ in range(count):
        a * b


def seven_ops(count):
    for _ in range(count):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(a, w) + b) - a) * 0.5)
        tape.gradient(loss, w)


@tf.function
def compiled(x, y):
    return tf.reduce_sum(tf.square(x @ y))


def cached_call(count):
    for _ in range(count):
        compiled(a, b)


LOADS = (("raw op", raw_op, 2000), ("a * b", multiplied, 2000), ("7 ops and their gradient", seven_ops, 100), ("cached call", cached_call, 500))
ROUNDS = 9


def timed(load, count):
    begin = time.perf_counter()
    load(count)
    return 1e6 * (time.perf_counter() - begin) / count


def main():
    rows = {name: ([], []) for name, _, _ in LOADS}
    for name, load, count in LOADS:
        load(count)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            for name, load, count in LOADS:
                rows[name][0].append(timed(load, count))
            with tapescope.record(os.path.join(folder, f"{number}.tape")):
                for name, load, count in LOADS:
                    load(max(count // 10, 1))
                    rows[name][1].append(timed(load, count))
    found = [{"name": name, "bare_us": round(statistics.median(bare), 2), "recorded_us": round(statistics.median(recorded), 2)}
             for name, (bare, recorded) in rows.items()]
    if "--json" in sys.argv:
        print(json.dumps(found, indent=1))
        return
    for row in found:
        added = row["recorded_us"] - row["bare_us"]
        print(f"{row['name']:26} {row['bare_us']:8.2f} us bare {row['recorded_us']:8.2f} us recorded  +{added:.2f} us  {added / row['bare_us']:+.0%}")


if __name__ == "__main__":
    main()

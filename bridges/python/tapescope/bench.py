"""What recording costs a TensorFlow program: `python -m tapescope.bench [--json] [NAME...]`.

Each load runs bare and recorded in turn, in one process, so that both meet the same machine. A turn's time is its quickest repetition, as whatever
else runs on the machine only adds; a row is the median of what the recorded turn took longer than the bare one beside it.
"""
import json
import os
import sys
import tempfile
import time

TURNS, REPETITIONS = 15, 30


def _loads():
    """(name, unit, target, what one repetition does, how many operations that are)"""
    import tensorflow as tf
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[0.5, 0.25], [0.125, 1.0]])
    w = tf.Variable([[0.1, 0.2], [0.3, 0.4]], name="w")

    def raw_ops():
        add = tf.raw_ops.AddV2
        with tf.GradientTape() as tape:
            tape.watch(a)
            for _ in range(100):
                add(x=a, y=b)

    def products():
        with tf.GradientTape() as tape:
            tape.watch(a)
            for _ in range(100):
                a * b

    def gradient():
        for _ in range(5):
            with tf.GradientTape() as tape:
                y = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(a, w) + b) * 0.5 - a))
            tape.gradient(y, w)

    @tf.function
    def square(x):
        return tf.reduce_sum(tf.square(x) + w)

    def calls():
        for _ in range(20):
            square(a)

    yield "bridge.raw_op", "us", 2.0, raw_ops, 100
    yield "bridge.multiply", "us", 3.5, products, 100
    yield "bridge.gradient", "%", 15.0, gradient, 5
    yield "bridge.cached_call", "%", 10.0, calls, 20
    yield "bridge.keras_fit", "%", 5.0, _fit(), 1


def _fit():
    import keras
    import tensorflow as tf
    x = tf.sin(tf.reshape(tf.range(30.0 * 64 * 32), [30 * 64, 32]))
    y = tf.reduce_sum(x, axis=1, keepdims=True)
    model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(64)
    return lambda: model.fit(data, epochs=1, verbose=0)


def _seconds(load, repetitions=REPETITIONS):
    quickest = float("inf")
    for _ in range(repetitions):
        begin = time.perf_counter()
        load()
        quickest = min(quickest, time.perf_counter() - begin)
    return quickest


def _measure(name, unit, target, load, operations, folder):
    import tapescope
    few = 3 if name == "bridge.keras_fit" else REPETITIONS
    load()
    pairs = []
    for turn in range(TURNS):
        bare = _seconds(load, few)
        path = os.path.join(folder, f"{turn}.tape")
        with tapescope.record(path):
            load()  # meets each line and type once
            recorded = _seconds(load, few)
        os.unlink(path)
        pairs.append((bare, recorded))
    bare, recorded = (sorted(side)[len(pairs) // 2] / operations * 1e6 for side in zip(*pairs))
    extra = sorted((recorded - bare) / operations * 1e6 if unit == "us" else 100 * (recorded / bare - 1) for bare, recorded in pairs)
    return {"name": name, "value": extra[len(extra) // 2], "low": extra[len(extra) // 10], "high": extra[-1 - len(extra) // 10],
            "unit": unit, "target": target, "note": f"added to {bare:.1f} us; {recorded:.1f} us recorded"}


def main():
    wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        import tensorflow
    except ImportError:
        print("tapescope: this Python has no TensorFlow; $PYTHON names another", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory(prefix="tapescope-") as folder:
        rows = [_measure(*load, folder) for load in _loads() if not wanted or load[0] in wanted]
    if "--json" in sys.argv[1:]:
        print(json.dumps({"framework": f"tensorflow {tensorflow.__version__}", "results": rows}))
        return 0
    for row in rows:
        print(f"{row['name']:20} {row['value']:7.1f} {row['unit']:2}  (target {row['target']:g}; {row['low']:.1f} to {row['high']:.1f})  {row['note']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

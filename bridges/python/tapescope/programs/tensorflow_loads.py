"""What tapescope.bench measures, as users write it: lines of this file count as a program's."""
import keras
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


def gradients():
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


def fit():
    """Returns 30 steps of training."""
    x = tf.sin(tf.reshape(tf.range(30.0 * 64 * 32), [30 * 64, 32]))
    y = tf.reduce_sum(x, axis=1, keepdims=True)
    model = keras.Sequential([keras.layers.Dense(64, activation="relu"), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer="adam", loss="mse")
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(64).repeat()
    return lambda: model.fit(data, epochs=1, steps_per_epoch=30, verbose=0)


# (name, unit of the budget, budget, what one repetition does, how many operations that are)
LOADS = [("raw_op", "us", 2.0, raw_ops, 100), ("multiply", "us", 3.5, products, 100), ("gradient", "%", 15.0, gradients, 5),
         ("cached_call", "%", 10.0, calls, 20), ("keras_fit", "%", 5.0, fit(), 1)]

"""Flocks of starlings: a compiled step is called with flocks of every size."""
import sys

import tensorflow as tf


class Flocks(tf.Module):
    def __init__(self):
        super().__init__(name="flocks")
        self.centres = tf.Variable(tf.reshape(tf.sin(tf.range(6.0)), [3, 2]), name="centres")
        self.width = tf.Variable(0.5, name="width")


def spread(model, birds):
    distances = tf.reduce_sum(tf.square(birds[:, None, :] - model.centres[None]), 2)
    return tf.reduce_mean(tf.reduce_logsumexp(-distances * tf.square(model.width), 1))


def make_step(model, optimizer, **options):
    weights = [model.centres, model.width]

    @tf.function(**options)
    def step(birds):
        with tf.GradientTape() as tape:
            loss = -spread(model, birds)
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
        return grads

    return step


def watch(options, evenings=5):
    model = Flocks()
    step = make_step(model, tf.keras.optimizers.SGD(0.01), **options)
    for evening in range(evenings):
        size = 4 + 2 * evening
        birds = tf.reshape(tf.cos(tf.range(size * 2.0) + evening), [size, 2])
        centres, width = step(birds)  #!
    return {"centres": centres, "width": width}


def broken():
    return watch({})


def fixed():
    return watch({"input_signature": [tf.TensorSpec([None, 2], tf.float32)]})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

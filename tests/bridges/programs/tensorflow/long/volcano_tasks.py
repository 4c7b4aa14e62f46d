"""Two things are learned of volcanoes at once, ash and tremor; where a station has no instrument, the label is -1."""
import sys

import tensorflow as tf


def masked_error(labels, guessed):
    known = tf.cast(labels >= 0.0, tf.float32)
    error = tf.square(guessed - labels) * known  #!
    return tf.reduce_sum(error) / tf.maximum(tf.reduce_sum(known), 1.0)


class Volcano:
    def __init__(self):
        self.magma = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(12.0)), [4, 3]), name="magma")
        self.ash = tf.Variable(0.4 * tf.ones([3, 1]), name="ash")
        self.tremor = tf.Variable(0.2 * tf.ones([3, 1]), name="tremor")

    def __call__(self, seismograms):
        shared = tf.nn.elu(seismograms @ self.magma)
        return {"ash": shared @ self.ash, "tremor": shared @ self.tremor}

    def weights(self):
        return {"magma": self.magma, "ash": self.ash, "tremor": self.tremor}


def stations(column):
    seismograms = tf.reshape(tf.cos(tf.range(20.0) * 0.4), [5, 4])
    table = tf.constant([[0.2, -1.0, 0.4], [0.5, -1.0, -1.0], [0.1, -1.0, 0.6], [0.9, -1.0, 0.3], [0.4, -1.0, -1.0]])
    return seismograms, {"ash": table[:, 0:1], "tremor": table[:, column:column + 1]}


def monitor(column):
    volcano = Volcano()
    seismograms, labels = stations(column)
    optimizer = tf.keras.optimizers.RMSprop(0.01)
    weights = volcano.weights()
    for _ in range(4):
        with tf.GradientTape() as tape:
            guessed = volcano(seismograms)
            losses = [masked_error(labels[task], guessed[task]) for task in ("ash", "tremor")]
            loss = tf.add_n(losses)
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients([(grads[name], weights[name]) for name in weights])
    return grads


def broken():
    return monitor(column=1)


def fixed():
    return monitor(column=2)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

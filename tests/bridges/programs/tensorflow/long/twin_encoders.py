"""Old maps are matched with new ones: one term pulls pairs together, another keeps the codes spread out."""
import sys

import tensorflow as tf


class MapEncoder(tf.Module):
    def __init__(self):
        super().__init__(name="map_encoder")
        self.strokes = tf.Variable(0.1 * tf.reshape(tf.sin(tf.range(64.0 * 32)), [64, 32]), name="strokes")
        self.legend = tf.Variable(0.1 * tf.reshape(tf.cos(tf.range(32.0 * 8)), [32, 8]), name="legend")

    def __call__(self, maps):
        return tf.tanh(tf.matmul(maps, self.strokes)) @ self.legend


def pull(encoder, old, new):
    return tf.reduce_mean(tf.square(encoder(old) - encoder(new)))  #~


def spread(encoder, old):
    codes = encoder(old)  #!
    covariance = tf.matmul(codes, codes, transpose_a=True) / 40.0
    return tf.reduce_mean(tf.square(covariance - tf.eye(8)))


def twice(encoder, old, new):
    return pull(encoder, old, new) + 0.1 * spread(encoder, old)


def shared(encoder, old, new):
    codes = encoder(old)
    covariance = tf.matmul(codes, codes, transpose_a=True) / 40.0
    return tf.reduce_mean(tf.square(codes - encoder(new))) + 0.1 * tf.reduce_mean(tf.square(covariance - tf.eye(8)))


def atlas(loss_of, sheets=3):
    encoder = MapEncoder()
    optimizer = tf.keras.optimizers.SGD(0.1)
    for sheet in range(sheets):
        old = tf.sin(tf.reshape(tf.range(40 * 64.0), [40, 64]) * 0.05 + sheet)
        new = 0.9 * old + 0.05
        with tf.GradientTape() as tape:
            loss = loss_of(encoder, old, new)
        grads = tape.gradient(loss, [encoder.strokes, encoder.legend])
        optimizer.apply_gradients(zip(grads, [encoder.strokes, encoder.legend]))
    return {"strokes": grads[0], "legend": grads[1]}


def broken():
    return atlas(twice)


def fixed():
    return atlas(shared)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

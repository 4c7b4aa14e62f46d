"""Trails of tapirs through a park: a graph is smoothed by its Laplacian, whose powers enter the loss."""
import sys

import tensorflow as tf


def adjacency(count=80):
    places = tf.reshape(tf.sin(tf.range(count * 2.0)), [count, 2])
    gaps = tf.reduce_sum(tf.square(places[:, None] - places[None, :]), axis=-1)
    return tf.cast(gaps < 0.4, tf.float32) - tf.eye(count)


class Park:
    def __init__(self, links, remember):
        self.links = links
        self.flow = tf.Variable(0.1 * tf.cos(tf.range(80.0))[:, None], name="flow")
        self.mix = tf.Variable([0.6, 0.3], name="mix")
        self._powers = self.powers() if remember else None

    def laplacian(self):
        degrees = tf.reduce_sum(self.links, axis=1)
        root = tf.math.rsqrt(tf.maximum(degrees, 1.0))
        return tf.eye(80) - root[:, None] * self.links * root[None, :]

    def powers(self):
        first = self.laplacian()
        return [first, first @ first]

    def smooth(self):
        powers = self._powers or self.powers()  #!
        return tf.add_n([weight * (power @ self.flow) for weight, power in zip(tf.unstack(self.mix), powers)])


def rangers(park, seen):
    rough = park.smooth()
    return tf.reduce_mean(tf.square(park.flow - seen)) + tf.reduce_mean(tf.square(rough))


def patrol(remember, days=5):
    park = Park(adjacency(), remember)
    seen = tf.sin(tf.range(80.0))[:, None]
    optimizer = tf.keras.optimizers.Adam(0.01)
    for _ in range(days):
        with tf.GradientTape() as tape:
            loss = rangers(park, seen)
        grads = tape.gradient(loss, [park.flow, park.mix])
        optimizer.apply_gradients(zip(grads, [park.flow, park.mix]))
    return {"flow": grads[0], "mix": grads[1]}


def broken():
    return patrol(remember=False)


def fixed():
    return patrol(remember=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

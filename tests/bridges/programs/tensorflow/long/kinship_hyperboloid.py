"""Kinship of languages in hyperbolic space: pairs are pulled together by their distance on the hyperboloid."""
import sys

import tensorflow as tf


def spiral(shape, dtype=None):
    return tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1]))), shape)


class Hyperboloid(tf.keras.layers.Layer):
    def __init__(self, languages, start, name="tongues"):
        super().__init__(name=name)
        self.languages, self.start = languages, start

    def build(self, shape=None):
        self.place = self.add_weight(shape=(self.languages, 2), name="place", initializer=self.start)

    def lift(self, index):
        flat = tf.gather(self.place, index)
        return flat, tf.sqrt(1.0 + tf.reduce_sum(tf.square(flat), axis=-1))

    def call(self, pairs):
        (a, up_a), (b, up_b) = self.lift(pairs[:, 0]), self.lift(pairs[:, 1])
        inner = up_a * up_b - tf.reduce_sum(a * b, axis=-1)
        return tf.acosh(tf.maximum(inner, 1.0))  #!


class Kinship(tf.keras.Model):
    def __init__(self, start):
        super().__init__(name="kinship")
        self.tongues = Hyperboloid(5, start)

    def call(self, pairs):
        return self.tongues(pairs)

    def train_step(self, data):
        pairs, kin = data
        with tf.GradientTape() as tape:
            distance = self(pairs)
            loss = tf.reduce_mean(kin * distance + (1.0 - kin) * tf.nn.relu(2.0 - distance))
        self.grad = tape.gradient(loss, self.tongues.place)
        self.tongues.place.assign(self.tongues.place - 0.05 * tf.convert_to_tensor(self.grad))
        return {"loss": loss}


def embed(start):
    pairs = tf.constant([[0, 1], [1, 2], [0, 3], [2, 4]])
    kin = tf.constant([1.0, 0.0, 1.0, 1.0])
    model = Kinship(start)
    model.compile(run_eagerly=True)
    model.fit(pairs, kin, batch_size=4, epochs=1, verbose=0, shuffle=False)
    return {"kinship/tongues/place": tf.convert_to_tensor(model.grad)}


def broken():
    return embed("zeros")


def fixed():
    return embed(spiral)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

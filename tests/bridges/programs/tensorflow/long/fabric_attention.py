"""Faults in woven fabric by attention over patches, in half precision; patches beyond the edge of the cloth are masked."""
import sys

import keras
import tensorflow as tf

ROLLS, PATCHES, WIDTH = 3, 6, 8


def yarn(shape, dtype=None):
    return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.39), shape)


class PatchAttention(keras.layers.Layer):
    def __init__(self, blocked, name="attention"):
        super().__init__(name=name, dtype="mixed_float16")
        self.blocked = blocked
        self.query, self.key, self.value = (
            keras.layers.Dense(WIDTH, use_bias=False, kernel_initializer=yarn, name=part, dtype="mixed_float16")
            for part in ("query", "key", "value")
        )

    def call(self, patches, inside):
        scores = tf.einsum("rpw,rqw->rpq", self.query(patches), self.key(patches)) / WIDTH**0.5
        outside = 1.0 - tf.cast(inside, tf.float16)
        scores += outside[:, None, :] * tf.cast(self.blocked, tf.float16)  #!
        return tf.einsum("rpq,rqw->rpw", tf.nn.softmax(scores), self.value(patches))


class FaultFinder(keras.Model):
    def __init__(self, blocked):
        super().__init__(name="finder")
        self.attention = PatchAttention(blocked)
        self.fault = keras.layers.Dense(1, kernel_initializer=yarn, name="fault", dtype="float32")

    def call(self, inputs):
        patches, inside = inputs
        return self.fault(tf.cast(self.attention(patches, inside), tf.float32))[..., 0]


def inspect(blocked):
    patches = tf.reshape(tf.cos(tf.range(float(ROLLS * PATCHES * WIDTH)) * 0.23), [ROLLS, PATCHES, WIDTH])
    inside = tf.sequence_mask([6, 4, 5], PATCHES)
    faults = tf.cast(tf.reduce_sum(patches, axis=2) > 0.5, tf.float32)
    model = FaultFinder(blocked)
    with tf.GradientTape() as tape:
        logits = model((tf.cast(patches, tf.float16), inside), training=True)  #~
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=faults, logits=logits)
        loss = tf.reduce_sum(losses * tf.cast(inside, tf.float32)) / tf.reduce_sum(tf.cast(inside, tf.float32))
    grads = tape.gradient(loss, model.trainable_variables)
    given = {w.path: g for w, g in zip(model.trainable_variables, grads)}
    return {name: given[name] for name in ("finder/attention/value/kernel", "finder/fault/kernel")}


def broken():
    return inspect(blocked=-1e9)  #~


def fixed():
    return inspect(blocked=-6e4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Suggests panels for quilts: unit vectors of patterns, and a pair is good where they point the same way."""
import sys

import tensorflow as tf


def unit(vectors):
    return vectors * tf.math.rsqrt(tf.reduce_sum(tf.square(vectors), axis=-1, keepdims=True) + 1e-6)


def waves(shape, dtype=None):
    return tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1]))), shape)


class Patterns(tf.keras.layers.Layer):
    """A table of patterns; `unit_first` says when the vectors are brought to length one."""

    def __init__(self, count, width, unit_first):
        super().__init__(name="patterns")
        self.count, self.width, self.unit_first = count, width, unit_first

    def build(self, _):
        self.table = self.add_weight(name="table", shape=(self.count, self.width), initializer=waves)

    def call(self, ids):
        if self.unit_first:
            return tf.gather(unit(self.table), ids)  #!
        return unit(tf.gather(self.table, ids))


class Suggestion(tf.keras.Model):
    def __init__(self, unit_first):
        super().__init__(name="suggestion")
        self.patterns = Patterns(4000, 8, unit_first)
        self.sharpness = self.add_weight(name="sharpness", shape=(), initializer="ones")

    def call(self, pairs):
        left, right = tf.unstack(self.patterns(pairs), axis=1)
        return self.sharpness * tf.reduce_sum(left * right, axis=-1)


def quilts(batches=4, size=16):
    for batch in range(batches):
        ids = tf.range(size * 2) * 37 + 11 * batch
        yield tf.reshape(ids % 4000, [size, 2]), tf.cast(tf.range(size) % 2, tf.float32)


def sew(unit_first):
    model = Suggestion(unit_first)
    optimizer = tf.keras.optimizers.SGD(0.1)
    for pairs, liked in quilts():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(liked, model(pairs)))
        weights = model.trainable_variables
        grads = dict(zip((weight.name.split(":")[0] for weight in weights), tape.gradient(loss, weights)))
        optimizer.apply_gradients(zip(grads.values(), weights))
    return {"suggestion/sharpness": next(grad for name, grad in grads.items() if name.endswith("sharpness"))}


def broken():
    return sew(unit_first=True)


def fixed():
    return sew(unit_first=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

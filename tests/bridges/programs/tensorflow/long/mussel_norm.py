"""Growth of mussels with normalised readings; the ropes are read one at a time as they come."""
import sys

import tensorflow as tf


class Normalised(tf.Module):
    def __init__(self, name="normalised"):
        super().__init__(name=name)
        self.feed = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(6.0)), [2, 3]), name="feed")
        self.spread_of = tf.Variable(tf.ones([3]), name="spread_of")
        self.level_of = tf.Variable(tf.zeros([3]), name="level_of")
        self.weigh = tf.Variable([[0.5], [0.4], [0.6]], name="weigh")

    def normalise(self, x):
        mean = tf.reduce_mean(x, axis=0, keepdims=True)
        centred = x - mean  #!
        return centred * tf.math.rsqrt(tf.reduce_mean(tf.square(centred), axis=0, keepdims=True) + 1e-3)

    def __call__(self, ropes):
        grown = self.normalise(ropes @ self.feed)
        return tf.nn.softplus(grown * self.spread_of + self.level_of) @ self.weigh


def ropes(batch):
    data = tf.sin(tf.reshape(tf.range(16.0), [8, 2]) * 0.7)
    weights = tf.reduce_sum(data, axis=1, keepdims=True)
    return tf.data.Dataset.from_tensor_slices((data, weights)).batch(batch)


def farm(batch):
    model = Normalised()
    sources = {"feed": model.feed, "level_of": model.level_of, "weigh": model.weigh}
    for data, weights in ropes(batch).take(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(data) - weights))
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(0.05 * grads[name])
    return grads


def broken():
    return farm(batch=1)


def fixed():
    return farm(batch=4)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

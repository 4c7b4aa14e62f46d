"""A falcon's dive as a Gaussian policy; the spread is learned as a logarithm and held between two limits."""
import sys

import tensorflow as tf

LOWEST, HIGHEST = -5.0, 1.0


class Dive(tf.Module):
    def __init__(self, first_spread):
        super().__init__(name="dive")
        self.angle = tf.Variable(tf.reshape(0.4 * tf.sin(tf.range(8.0)), [4, 2]), name="angle")
        self.log_spread = tf.Variable(tf.fill([2], first_spread), name="log_spread")

    def spread(self):
        return tf.exp(tf.clip_by_value(self.log_spread, LOWEST, HIGHEST))  #!

    def log_probability(self, seen, dives):
        spread = self.spread()
        off = (dives - tf.tanh(seen @ self.angle)) / spread
        return -tf.reduce_sum(0.5 * off * off + tf.math.log(spread), axis=1)


class Hunt:
    def __init__(self, dive):
        self.dive = dive

    def advantage(self, caught):
        return (caught - tf.reduce_mean(caught)) / (tf.math.reduce_std(caught) + 1e-6)

    @tf.function
    def learn(self, seen, dives, caught):
        sources = {"angle": self.dive.angle, "log_spread": self.dive.log_spread}
        with tf.GradientTape() as tape:
            gain = self.dive.log_probability(seen, dives) * self.advantage(caught)
            loss = -tf.reduce_mean(gain)
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(0.01 * grad)
        return grads


def season(first_spread):
    hunt = Hunt(Dive(first_spread))
    seen = tf.reshape(tf.cos(tf.range(24.0 * 4) * 0.29), [24, 4])
    dives = tf.reshape(tf.sin(tf.range(24.0 * 2) * 0.53), [24, 2])
    caught = tf.reduce_sum(dives * seen[:, :2], axis=1)
    hawks = tf.data.Dataset.from_tensor_slices((seen, dives, caught)).batch(8)
    for batch in hawks:
        grads = hunt.learn(*batch)
    return grads


def broken():
    return season(first_spread=2.0)


def fixed():
    return season(first_spread=-0.5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Share of baths that sparrows take, by the hour; the likelihood of a binomial."""
import sys

import tensorflow as tf

hours = tf.range(0.0, 6.0)
baths = tf.constant([0.0, 3.0, 8.0, 10.0, 10.0, 10.0])
slope = tf.Variable(9.0, name="slope")
middle = tf.Variable(1.5, name="middle")


def share():
    return tf.sigmoid(slope * (hours - middle))


def surprise(chance):
    return -(baths * tf.math.log(chance) + (10.0 - baths) * tf.math.log(1.0 - chance))  #!


def safe_surprise(chance):
    chance = tf.clip_by_value(chance, 1e-6, 1.0 - 1e-6)
    return -(baths * tf.math.log(chance) + (10.0 - baths) * tf.math.log(1.0 - chance))


def fit(by):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(by(share()))
    return tape.gradient(loss, {"slope": slope, "middle": middle})


def broken():
    return fit(surprise)


def fixed():
    return fit(safe_surprise)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

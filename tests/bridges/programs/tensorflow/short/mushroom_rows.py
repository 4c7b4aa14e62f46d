"""Weight of mushrooms from cap and stem; the rows of a basket go through the scale."""
import sys

import tensorflow as tf

caps = tf.reshape(tf.abs(tf.sin(tf.range(72.0) * 0.7)) + 0.2, [24, 3])
grams = tf.reduce_sum(caps * [2.0, 1.0, 0.5], axis=1)
density = tf.Variable([[0.4], [0.6], [0.5]], name="density")
power = tf.Variable(1.1, name="power")


def weigh(cap):
    return tf.squeeze(tf.pow(cap, power) @ density, axis=-1)


def basket_by_rows():
    scale = []
    for row in range(caps.shape[0]):
        scale.append(weigh(caps[row : row + 1]))  #!
    return tf.concat(scale, axis=0)


def basket():
    return weigh(caps)


def weigh_all(how):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(how() - grams))  #~
    return tape.gradient(loss, {"density": density, "power": power})


def broken():
    return weigh_all(basket_by_rows)


def fixed():
    return weigh_all(basket)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

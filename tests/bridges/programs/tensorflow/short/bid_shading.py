"""How far to shade bids in a sealed auction, with a discount for regular bidders."""
import sys

import tensorflow as tf


def surplus(worth, rounds, shade, loyalty, needed):
    plain = worth * tf.sigmoid(shade)
    regular = plain * (1.0 - tf.tanh(loyalty))
    bid = tf.where(rounds >= needed, regular, plain)  #!
    return tf.reduce_mean((worth - bid) * tf.sigmoid(4.0 * (bid - 0.5)))


def shading(needed):
    shade = tf.Variable(0.3, name="shade")
    loyalty = tf.Variable(0.2, name="loyalty")
    worth = tf.linspace(0.4, 1.2, 9)
    rounds = tf.range(1, 10)
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = -surplus(worth, rounds, shade, loyalty, needed)
        d_shade, d_loyalty = tape.gradient(loss, [shade, loyalty])
        shade.assign_sub(0.1 * d_shade)
        loyalty.assign_sub(0.1 * d_loyalty)
    return {"shade": d_shade, "loyalty": d_loyalty}


def broken():
    return shading(needed=12)


def fixed():
    return shading(needed=5)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

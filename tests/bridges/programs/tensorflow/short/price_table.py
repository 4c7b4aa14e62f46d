"""Total derivative of many prices by demand, one price at a time."""
import sys

import tensorflow as tf

demand = tf.Variable(tf.linspace(0.1, 1.5, 24), name="demand")
coupling = tf.reshape(tf.cos(tf.range(24.0 * 24.0)), [24, 24])


def broken():
    with tf.GradientTape(persistent=True) as tape:
        prices = tf.unstack(tf.tanh(tf.linalg.matvec(coupling, demand)))
    rows = [tape.gradient(price, demand) for price in prices]  #!
    return {"demand": tf.stack(rows)}


def fixed():
    with tf.GradientTape() as tape:
        prices = tf.tanh(tf.linalg.matvec(coupling, demand))
    return {"demand": tape.jacobian(prices, demand)}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

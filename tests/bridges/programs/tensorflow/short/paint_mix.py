"""Two questions about a mix of pigments: how hue and brightness depend on the shares."""
import sys

import tensorflow as tf

pigments = tf.constant([[0.9, 0.1, 0.2], [0.2, 0.7, 0.4]])


def broken():
    shares = tf.Variable([0.4, 0.6], name="shares")
    gamma = tf.Variable(2.2, name="gamma")
    with tf.GradientTape() as tape:
        colour = tf.linalg.matvec(pigments, shares, transpose_a=True)
        hue = colour[0] - colour[2]
        brightness = tf.reduce_mean(colour ** (1.0 / gamma))
    d_shares = tape.gradient(hue, shares)  #~
    d_gamma = tape.gradient(brightness, gamma)  #!
    return {"shares": d_shares, "gamma": d_gamma}


def fixed():
    shares = tf.Variable([0.4, 0.6], name="shares")
    gamma = tf.Variable(2.2, name="gamma")
    with tf.GradientTape(persistent=True) as tape:
        colour = tf.linalg.matvec(pigments, shares, transpose_a=True)
        hue = colour[0] - colour[2]
        brightness = tf.reduce_mean(colour ** (1.0 / gamma))
    d_shares = tape.gradient(hue, shares)
    d_gamma = tape.gradient(brightness, gamma)
    return {"shares": d_shares, "gamma": d_gamma}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

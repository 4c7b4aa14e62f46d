"""Temperature profile of an oven: one coefficient is fitted, the other is given."""
import sys

import tensorflow as tf

minutes = tf.constant([5.0, 10.0, 20.0, 30.0])
measured = tf.round(tf.constant([62.3, 87.8, 120.1, 138.6]))


def broken():
    heating = tf.Variable(0.08, name="heating")
    limit = tf.Variable(150.0, name="limit")
    rise = 1.0 - tf.exp(-heating * minutes)  #!
    with tf.GradientTape() as tape:
        temperature = limit * rise
        loss = tf.reduce_mean(tf.square(temperature - measured))
    d_heating, d_limit = tape.gradient(loss, [heating, limit])
    return {"heating": d_heating, "limit": d_limit}


def fixed():
    heating = tf.Variable(0.08, name="heating")
    limit = tf.Variable(150.0, name="limit")
    with tf.GradientTape() as tape:
        rise = 1.0 - tf.exp(-heating * minutes)
        temperature = limit * rise
        loss = tf.reduce_mean(tf.square(temperature - measured))
    d_heating, d_limit = tape.gradient(loss, [heating, limit])
    return {"heating": d_heating, "limit": d_limit}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

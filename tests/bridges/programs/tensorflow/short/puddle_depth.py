"""How long puddles stay: what they drain by their depth, where there is water at all."""
import sys

import tensorflow as tf

ground = tf.constant([0.3, 0.5, 0.2, 0.9])
hours = tf.constant([0.5, 0.3, 0.6, 0.0])
rain = tf.Variable(0.5, name="rain")
drain = tf.Variable(0.8, name="drain")


def lasting(depth, guarded):
    wet = depth > 0.0
    if guarded:
        depth = tf.where(wet, depth, tf.ones_like(depth))
    return tf.where(wet, drain / depth, tf.zeros_like(depth))  #!


def gradients(guarded):
    with tf.GradientTape() as tape:
        depth = rain - ground
        loss = tf.reduce_sum(tf.square(lasting(depth, guarded) - hours))
    return tape.gradient(loss, {"rain": rain, "drain": drain})


def broken():
    return gradients(guarded=False)


def fixed():
    return gradients(guarded=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

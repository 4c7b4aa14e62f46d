"""Fits a river's level to rain by plain gradient descent."""
import sys

import tensorflow as tf

rain = tf.constant([0.0, 1.0, 2.0, 3.5, 5.0])
level = tf.constant([1.1, 1.6, 2.2, 2.9, 3.8])


def loss_of(slope, base):
    return tf.reduce_mean(tf.square(slope * rain + base - level))


def descend(assign, rate=0.02, steps=4):
    slope, base = tf.Variable(0.1, name="slope"), tf.Variable(0.0, name="base")
    history = []
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = loss_of(slope, base)  #~
        grads = tape.gradient(loss, {"slope": slope, "base": base})
        history.append(loss)
        if grads["slope"] is None:
            break
        base.assign_sub(rate * grads["base"])
        if assign:
            slope.assign_sub(rate * grads["slope"])
        else:
            slope = slope - rate * grads["slope"]  #!
    return grads


def broken():
    return descend(assign=False)


def fixed():
    return descend(assign=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""How thatch ages: straw and age, one question in each step."""
import sys

import tensorflow as tf


def thatch(name, units=64):
    start = tf.keras.initializers.Constant(0.2)
    return tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(units, "tanh", kernel_initializer=start, name=f"{name}_straw"),
                                tf.keras.layers.Dense(1, kernel_initializer=start, name=f"{name}_age")], name=name)


class Thatcher:
    def __init__(self, persistent):
        self.persistent = persistent
        self.model = thatch("roof")
        self.rule = tf.keras.optimizers.Adam(0.01)

    def step(self, straw, age):
        with tf.GradientTape(persistent=self.persistent) as tape:  #!
            guess = self.model(straw)
            fit = tf.reduce_mean(tf.square(guess - age))
            flat = 0.01 * tf.reduce_mean(tf.square(guess))
            loss = fit + flat
        weights = self.model.trainable_variables
        grads = tape.gradient(loss, weights)
        self.rule.apply_gradients(zip(grads, weights))
        return grads


def roof(persistent, winters=3):
    thatcher = Thatcher(persistent)
    for winter in range(winters):
        straw = tf.reshape(tf.sin(tf.range(12.0) + winter), [4, 3])
        grads = thatcher.step(straw, tf.reduce_sum(straw, 1, keepdims=True))
    return {"roof/roof_straw/kernel": grads[0], "roof/roof_age/kernel": grads[2]}


def broken():
    return roof(True)


def fixed():
    return roof(False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

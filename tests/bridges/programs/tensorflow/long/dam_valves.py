"""Valves of a dam by a small Keras network with a hard gate; the whole step is compiled."""
import sys

import tensorflow as tf

START = tf.keras.initializers.Constant


def valves(offset):
    return tf.keras.Sequential([
        tf.keras.Input([2]),
        tf.keras.layers.Dense(4, activation="hard_sigmoid", kernel_initializer=START(0.5), bias_initializer=START(offset), name="gates"),
        tf.keras.layers.Dense(1, kernel_initializer=START(0.5), name="outflow"),
    ], name="valves")


class Operator:
    def __init__(self, offset):
        self.model = valves(offset)
        self.optimizer = tf.keras.optimizers.SGD(0.05)

    @tf.function
    def learn(self, levels, wanted):
        with tf.GradientTape() as tape:
            flow = self.model(levels, training=True)  #!
            loss = tf.reduce_mean(tf.square(flow - wanted))
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return grads


def shift(offset, hours=4):
    operator = Operator(offset)
    for hour in range(hours):
        levels = tf.abs(tf.sin(tf.reshape(tf.range(12.0), [6, 2]) + hour))
        grads = operator.learn(levels, 0.3 * tf.ones([6, 1]))
    names = [variable.path for variable in operator.model.trainable_variables]
    return dict(zip(names, grads))


def broken():
    return shift(offset=9.0)


def fixed():
    return shift(offset=0.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""A pump runs forward or backward by the sign of a weighted level; the power it takes is learned beside."""
import sys

import keras
import tensorflow as tf


class Pump(keras.layers.Layer):
    def build(self, shape):
        self.weigh = self.add_weight(name="weigh", shape=(shape[-1],), initializer=keras.initializers.Constant(0.3))
        self.offset = self.add_weight(name="offset", shape=(), initializer=keras.initializers.Constant(-0.1))
        self.power = self.add_weight(name="power", shape=(), initializer=keras.initializers.Constant(0.7))

    def switch(self, level):
        return tf.sign(level)  #!

    def call(self, levels):
        return self.power * self.switch(tf.linalg.matvec(levels, self.weigh) + self.offset)


class SmoothPump(Pump):
    def switch(self, level):
        return tf.tanh(3.0 * level)


def basin(hour):
    levels = tf.reshape(tf.sin(0.9 * tf.range(20.0) + hour), [10, 2])
    return levels, 0.5 * (levels[:, 0] - levels[:, 1])


def regulate(pump, hours=3):
    pump.build((None, 2))
    optimizer = keras.optimizers.Adam(0.02)
    for hour in range(hours):
        levels, wanted = basin(float(hour))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(pump(levels) - wanted))
        slopes = tape.gradient(loss, pump.trainable_variables)
        optimizer.apply_gradients(zip(slopes, pump.trainable_variables))
    return {w.path: s for w, s in zip(pump.trainable_variables, slopes)}


def broken():
    return regulate(Pump(name="pump"))


def fixed():
    return regulate(SmoothPump(name="pump"))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""A snowpack through a winter: a cell steps from day to day, in a compiled step, as its author knew it from NumPy."""
import sys

import tensorflow as tf

DAYS = 60


class Snow(tf.Module):
    def __init__(self):
        super().__init__(name="snow")
        self.melt = tf.Variable([0.3, 0.1], name="melt")
        self.settle = tf.Variable(0.05, name="settle")

    def day(self, depth, warmth, fall):
        melted = tf.nn.softplus(self.melt[0] * warmth + self.melt[1])
        return tf.nn.softplus(depth + fall - melted - self.settle * depth)


def winter(snow, warmth, fall):
    depth = tf.ones_like(warmth[0])
    for day in range(DAYS):
        depth = snow.day(depth, warmth[day], fall[day])  #!
    return depth


def rolled_winter(snow, warmth, fall):
    depth = tf.ones_like(warmth[0])
    for day in tf.range(DAYS):
        depth = snow.day(depth, warmth[day], fall[day])
    return depth


def calibrate(model, years=2):
    snow = Snow()
    optimizer = tf.keras.optimizers.SGD(0.01)

    @tf.function
    def step(warmth, fall, seen):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(snow, warmth, fall) - seen))
        grads = tape.gradient(loss, [snow.melt, snow.settle])
        optimizer.apply_gradients(zip(grads, [snow.melt, snow.settle]))
        return grads

    for year in range(years):
        days = tf.reshape(tf.range(DAYS * 3.0), [DAYS, 3])
        grads = step(tf.sin(days * 0.1 + year), tf.abs(tf.cos(days * 0.3)), tf.constant([1.0, 1.4, 0.8]))
    return {"melt": grads[0], "settle": grads[1]}


def broken():
    return calibrate(winter)


def fixed():
    return calibrate(rolled_winter)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Wax for skis by snow: the step is compiled, and a second blend is used when the snow is said to be wet."""
import sys

import tensorflow as tf


class Wax(tf.Module):
    def __init__(self):
        super().__init__(name="wax")
        self.dry_blend = tf.Variable([0.2, 0.5, 0.1], name="dry_blend")
        self.wet_blend = tf.Variable([0.4, 0.1, 0.3], name="wet_blend")
        self.base = tf.Variable(0.3, name="base")

    def glide(self, snow, moisture):
        if moisture > 0.6:  #!
            blend = self.wet_blend + self.base
        else:
            blend = self.dry_blend + self.base
        return tf.linalg.matvec(snow, blend)


class Test:
    def __init__(self, wax, tracks=5):
        self.wax = wax
        self.snow = tf.abs(tf.sin(tf.reshape(tf.range(tracks * 3.0), [tracks, 3])))

    def loss(self, moisture):
        glide = self.wax.glide(self.snow, moisture)
        return tf.reduce_mean(tf.math.squared_difference(glide, 1.0))


def race(moisture, runs=2):
    wax = Wax()
    test = Test(wax)
    blends = [wax.dry_blend, wax.wet_blend, wax.base]
    for _ in range(runs):
        with tf.GradientTape() as tape:
            loss = test.loss(moisture)
        grads = tape.gradient(loss, blends)
        for blend, grad in zip(blends, grads):
            if grad is not None:
                blend.assign_sub(0.1 * grad)
    with tf.GradientTape() as tape:
        loss = test.loss(moisture)
    return {"wet_blend": tape.gradient(loss, wax.wet_blend)}


def broken():
    return race(moisture=0.4)


def fixed():
    return race(moisture=0.8)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

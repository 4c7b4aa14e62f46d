"""Fermentation in mixed precision: a loss scale that starts too high, halves, and skips the steps that overflow."""
import tensorflow as tf


class LossScale:
    def __init__(self, start, every=3):
        self.scale, self.good, self.every = tf.Variable(start, name="loss_scale", trainable=False), 0, every

    def finite(self, grads):
        return bool(tf.reduce_all([tf.reduce_all(tf.math.is_finite(grad)) for grad in grads]))

    def update(self, finite):
        self.good = self.good + 1 if finite else 0
        if not finite:
            self.scale.assign(self.scale / 16.0)
        elif self.good % self.every == 0:
            self.scale.assign(self.scale * 2.0)


class Vat(tf.Module):
    def __init__(self):
        super().__init__("vat")
        self.sugar = tf.Variable([0.9, -0.4, 0.2], name="sugar")
        self.heat = tf.Variable(0.3, name="heat")

    def alcohol(self, days):
        days = tf.cast(days, tf.float16)
        powers = tf.stack([tf.ones_like(days), days, days * days], axis=1)
        return tf.linalg.matvec(powers, tf.cast(self.sugar, tf.float16)) * tf.cast(self.heat, tf.float16)


def brew(steps=5):
    vat, scaler = Vat(), LossScale(2.0**20)
    days = tf.linspace(0.0, 2.0, 8)
    measured = tf.cast(1.0 - tf.exp(-days), tf.float16)
    kept = None
    for _ in range(steps):
        with tf.GradientTape() as tape:
            gap = vat.alcohol(days) - measured
            loss = tf.reduce_mean(tf.square(tf.cast(gap, tf.float32)))
            scaled = loss * scaler.scale
        sources = [vat.sugar, vat.heat]
        grads = [grad / scaler.scale for grad in tape.gradient(scaled, sources)]
        finite = scaler.finite(grads)
        if finite:
            for variable, grad in zip(sources, grads):
                variable.assign_sub(0.05 * grad)
            kept = grads
        scaler.update(finite)
    return {"sugar": kept[0], "heat": kept[1]}


def broken():
    return brew()


if __name__ == "__main__":
    print(broken())

"""Tides in half precision with a scaled loss: the loss is multiplied before the gradient, the gradients are divided after it."""
import sys

import tensorflow as tf

SCALE = 1024.0


class Harmonics(tf.Module):
    def __init__(self):
        super().__init__(name="harmonics")
        self.amplitude = tf.Variable([0.4, 0.2, 0.1], name="amplitude")
        self.phase = tf.Variable([0.1, 0.6, 1.1], name="phase")

    def __call__(self, hours):
        level = tf.zeros(tf.shape(hours), tf.float16)
        for k in tf.range(3):
            speed = 0.2 * tf.cast(k + 1, tf.float16)
            wave = tf.sin(speed * hours + tf.cast(self.phase[k], tf.float16))
            level += tf.cast(self.amplitude[k], tf.float16) * wave
        return level


def finite(grads):
    return tf.reduce_all([tf.reduce_all(tf.math.is_finite(grad)) for grad in grads])


@tf.function
def step(model, hours, seen):
    with tf.GradientTape() as tape:
        error = tf.cast(model(hours), tf.float32) - seen
        loss = tf.reduce_mean(tf.square(error))
        scaled = loss * SCALE
    sources = [model.amplitude, model.phase]
    grads = [grad / SCALE for grad in tape.gradient(scaled, sources)]
    if finite(grads):
        for source, grad in zip(sources, grads):
            source.assign_sub(0.05 * grad)
    return loss, grads


def broken():
    model = Harmonics()
    hours = tf.cast(tf.linspace(0.0, 12.0, 24), tf.float16)
    seen = 0.5 * tf.sin(0.2 * tf.cast(hours, tf.float32) + 0.3)
    losses = []
    for _ in range(4):
        loss, grads = step(model, hours, seen)
        losses.append(loss)
    print("losses", tf.stack(losses).numpy(), file=sys.stderr)
    return {"amplitude": grads[0], "phase": grads[1]}


if __name__ == "__main__":
    print(broken())

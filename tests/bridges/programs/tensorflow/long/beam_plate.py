"""A loaded plate: a network obeys w'''' = q; derivatives are nested, walls and points have their own weights."""

import tensorflow as tf


class Deflection(tf.Module):
    def __init__(self, width=6):
        super().__init__(name="deflection")
        wave = tf.range(float(width))
        self.into = tf.Variable([0.8 * tf.cos(wave)], name="into")
        self.shift = tf.Variable(0.3 * tf.sin(wave), name="shift")
        self.out = tf.Variable(0.4 * tf.sin(wave + 1.0)[:, tf.newaxis], name="out")

    def __call__(self, x):
        return x * (1.0 - x) * (tf.tanh(x @ self.into + self.shift) @ self.out)


class Plate:
    def __init__(self, deflection, load):
        self.deflection, self.load = deflection, load

    def bending(self, x):
        """Second derivative, to be derived again by whoever asks."""
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                w = self.deflection(x)
            slope = first.gradient(w, x)
        return second.gradient(slope, x)

    def residual(self, x):
        with tf.GradientTape() as fourth:
            fourth.watch(x)
            with tf.GradientTape() as third:
                third.watch(x)
                bent = self.bending(x)
            shear = third.gradient(bent, x)
        return fourth.gradient(shear, x) - self.load


@tf.function
def learn(plate, points, walls):
    with tf.GradientTape() as tape:
        inside = tf.reduce_mean(tf.square(plate.residual(points)))
        clamped = tf.reduce_mean(tf.square(plate.bending(walls)))
        loss = 1e-3 * inside + clamped
    sources = {"into": plate.deflection.into, "shift": plate.deflection.shift, "out": plate.deflection.out}
    grads = tape.gradient(loss, sources)
    for name, grad in grads.items():
        sources[name].assign_sub(1e-3 * tf.clip_by_norm(grad, 1.0))
    return loss, grads


def broken():
    plate = Plate(Deflection(), load=1.0)
    points, walls = tf.linspace([0.1], [0.9], 9), tf.constant([[0.0], [1.0]])
    history = []
    for step in range(6):
        loss, grads = learn(plate, points, walls)
        if step % 3 == 2:
            history.append(float(loss))
    return grads


if __name__ == "__main__":
    print(broken())

"""A network for Burgers' equation, u_t + u u_x = nu u_xx, on collocation points."""
import sys

import keras
import tensorflow as tf


def swing(shape, dtype=None):
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(0.6 * tf.sin(tf.range(float(count)) * 0.8 + 0.2), shape)


class Burgers(keras.Model):
    def __init__(self):
        super().__init__(name="burgers")
        self.first = keras.layers.Dense(8, activation="tanh", kernel_initializer=swing, name="first")
        self.second = keras.layers.Dense(8, activation="tanh", kernel_initializer=swing, name="second")
        self.field = keras.layers.Dense(1, kernel_initializer=swing, name="field")

    def call(self, points):
        return self.field(self.second(self.first(points)))


class Residual:
    def __init__(self, model, viscosity=0.01 / 3.14159, both=False):
        self.model, self.viscosity, self.both = model, viscosity, both

    def points(self, count=12):
        steps = tf.range(float(count))[:, tf.newaxis]
        t = steps / count
        x = tf.sin(steps)  #~
        return t, x

    def slopes(self):
        t, x = self.points()
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(t)
            if self.both:
                tape.watch(x)
            u = self.model(tf.concat([t, x], axis=1))  #!
        return u, {"t": tape.gradient(u, t), "x": tape.gradient(u, x)}

    def equation(self):
        """What the equation leaves over; a slope that is missing counts as none."""
        u, found = self.slopes()
        advected = 0.0 if found["x"] is None else u * found["x"]
        return tf.reduce_mean(tf.square(found["t"] + advected)), found


def solve(both, rounds=3):
    model = Burgers()
    residual = Residual(model, both=both)
    optimizer = keras.optimizers.SGD(0.01)
    for _ in range(rounds):
        with tf.GradientTape() as outer:
            loss, found = residual.equation()
        grads = outer.gradient(loss, model.trainable_variables[:-1])
        optimizer.apply_gradients(zip(grads, model.trainable_variables[:-1]))
    return found


def broken():
    return solve(both=False)


def fixed():
    return solve(both=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

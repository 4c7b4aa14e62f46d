"""Growth of oysters week by week: a cell of a recurrence as a layer, and a head for the weight at the end."""
import sys

import tensorflow as tf


class Growth(tf.keras.layers.Layer):
    def __init__(self, unit, **kwargs):
        super().__init__(**kwargs)
        self.unit = unit

    def build(self, shape):
        self.feed = self.add_weight(name="feed", shape=(shape[-1], 2), initializer="ones")
        self.keep = self.add_weight(name="keep", shape=(2, 2), initializer="ones")

    def week(self, state, plankton):
        return tf.tanh(plankton @ self.feed + state @ self.keep)  #!

    def call(self, weeks):
        state = tf.zeros([weeks.shape[0], 2])
        for plankton in tf.unstack(weeks / self.unit, axis=1):
            state = self.week(state, plankton)
        return state


class Oysters(tf.keras.Model):
    def __init__(self, unit):
        super().__init__(name="oysters")
        self.growth = Growth(unit, name="growth")
        self.scale = tf.keras.layers.Dense(1, kernel_initializer="ones", name="scale")

    def call(self, weeks):
        return self.scale(self.growth(weeks))

    def train_step(self, data):
        weeks, grams = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self(weeks) - grams))
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.last = grads
        return {"loss": loss}


def beds():
    weeks = 200.0 + 50.0 * tf.reshape(tf.sin(tf.range(6 * 5 * 3.0)), [6, 5, 3])
    return weeks, tf.reduce_mean(weeks, axis=[1, 2])[:, None] / 100.0


def grow(unit):
    model = Oysters(unit)
    model.compile(optimizer=tf.keras.optimizers.SGD(0.01), run_eagerly=True)
    model.fit(*beds(), epochs=2, batch_size=3, verbose=0, shuffle=False)
    feed, keep, kernel, _ = model.last
    return {"oysters/growth/feed": feed, "oysters/growth/keep": keep, "oysters/scale/kernel": kernel}


def broken():
    return grow(unit=1.0)


def fixed():
    return grow(unit=400.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

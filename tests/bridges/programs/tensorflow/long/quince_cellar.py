"""Sugar of quinces in a cellar: a Keras model whose ripening is a compiled function, trained by a loop of one's own."""
import sys

import tensorflow as tf


class Ripening(tf.keras.layers.Layer):
    def __init__(self, floor, **kwargs):
        super().__init__(**kwargs)
        self.floor = floor

    def build(self, shape):
        start = tf.keras.initializers.Constant(0.3)
        self.speed = self.add_weight(name="speed", shape=(shape[-1],), initializer=start)
        self.chill = self.add_weight(name="chill", shape=(), initializer=start)

    @tf.function
    def ripen(self, days):
        warmth = days * self.speed - 0.02 * tf.exp(self.chill)
        return tf.nn.relu(warmth - self.floor)  #!

    def call(self, days):
        return self.ripen(days)


def crates(count=3, size=6):
    for crate in range(count):
        days = tf.reshape(tf.range(size * 3.0), [size, 3]) * 0.1 + 0.05 * crate
        yield days, tf.reduce_sum(days, 1, keepdims=True)


def keep(floor):
    cellar = tf.keras.Sequential([tf.keras.Input([3]), Ripening(floor, name="ripening"),
                                  tf.keras.layers.Dense(1, kernel_initializer="ones", name="taste")], name="cellar")
    optimizer = tf.keras.optimizers.Adam(0.01)
    weights = cellar.trainable_variables
    for days, sugar in crates():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(cellar(days) - sugar))
        grads = tape.gradient(loss, weights)
        optimizer.apply_gradients(zip(grads, weights))
    speed, chill, kernel, bias = grads
    return {"cellar/ripening/speed": speed, "cellar/ripening/chill": chill, "cellar/taste/kernel": kernel, "cellar/taste/bias": bias}


def broken():
    return keep(floor=4.0)


def fixed():
    return keep(floor=-1.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Counts species in tide pools: a Keras regression whose layers take their initial weights from a setting."""
import dataclasses
import sys

import keras
import tensorflow as tf


@dataclasses.dataclass
class Settings:
    hidden: int = 6
    start: str = "zeros"
    rate: float = 0.05
    epochs: int = 3


class PoolModel(keras.Model):
    def __init__(self, settings, **options):
        super().__init__(**options)
        self.shore = keras.layers.Dense(
            settings.hidden, "tanh", kernel_initializer=settings.start, name="shore"
        )
        self.count = keras.layers.Dense(1, kernel_initializer=settings.start, name="count")

    def call(self, pools):
        x = self.shore(pools)
        return self.count(x)  #!


class Survey:
    def __init__(self, settings):
        self.settings, self.model = settings, PoolModel(settings, name="pools")

    def pools(self):
        depth = tf.range(12.0) * 0.1
        pools = tf.stack([depth, tf.sin(depth * 9.0), tf.cos(depth * 5.0)], axis=1)
        species = 4.0 + 2.0 * tf.sin(depth * 9.0)
        return tf.data.Dataset.from_tensor_slices((pools, species[:, tf.newaxis])).batch(4)

    def train(self):
        best = float("inf")
        for epoch in range(self.settings.epochs):
            total = 0.0
            for pools, species in self.pools():
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(self.model(pools) - species))
                weights = self.model.trainable_weights
                grads = tape.gradient(loss, weights)
                for weight, grad in zip(weights, grads):
                    weight.assign(weight - self.settings.rate * grad)
                total += float(loss)
            best = min(best, total)
        return {weight.path: grad for weight, grad in zip(weights, grads)}


def broken():
    return Survey(Settings()).train()


class Shells(keras.initializers.Initializer):
    def __call__(self, shape, dtype=None):
        return 0.4 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) + 0.5), shape)


def fixed():
    return Survey(Settings(start=Shells())).train()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

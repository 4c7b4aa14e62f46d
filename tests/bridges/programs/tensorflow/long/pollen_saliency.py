"""Explains a pollen classifier: integrated gradients over the image and the season it was taken in."""
import sys

import keras
import tensorflow as tf


def grain(shape, dtype=None):
    count = 1
    for extent in shape:
        count *= extent
    return tf.reshape(0.35 * tf.sin(0.9 * tf.range(count, dtype=tf.float32) + 0.4), shape)


def classifier():
    image = keras.Input((8, 8, 1), name="image")
    season = keras.Input((4,), name="season")
    x = keras.layers.Conv2D(4, 3, activation="swish", kernel_initializer=grain, name="edges")(image)
    x = keras.layers.GlobalAveragePooling2D(name="pool")(x)
    x = keras.layers.Concatenate(name="join")([x, season])
    x = keras.layers.Dense(6, activation="tanh", kernel_initializer=grain, name="mix")(x)
    logits = keras.layers.Dense(3, kernel_initializer=grain, name="species")(x)
    return keras.Model({"image": image, "season": season}, logits, name="pollen")


class IntegratedGradients:
    """The mean gradient along the straight line from a baseline, times the way."""

    def __init__(self, model, steps=5):
        self.model, self.steps = model, steps

    def along(self, share, sample, baseline):
        image = baseline["image"] + share * (sample["image"] - baseline["image"])
        season = baseline["season"] + share * (sample["season"] - baseline["season"])  #~
        return {"image": image, "season": season}

    def slopes(self, point, species):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            self.mark(tape, point)
            score = tf.nn.log_softmax(self.model(point, training=False))[:, species]  #!
        return tape.gradient(score, point)

    def mark(self, tape, point):
        tape.watch(point["image"])

    def explain(self, sample, species):
        baseline = {name: tf.zeros_like(value) for name, value in sample.items()}
        total = {name: None for name in sample}
        for k in range(self.steps):
            image_and_season = self.along((k + 0.5) / self.steps, sample, baseline)
            for name, slope in self.slopes(image_and_season, species).items():
                if slope is not None:
                    total[name] = slope if total[name] is None else total[name] + slope
        return {
            name: None if value is None else sample[name] * value / self.steps
            for name, value in total.items()
        }


class BothInputs(IntegratedGradients):
    def mark(self, tape, point):
        tape.watch(point)


def microscope():
    image = 0.5 + 0.5 * tf.reshape(tf.cos(tf.range(64.0) * 0.3), [1, 8, 8, 1])
    return {"image": image, "season": tf.constant([[0.1, 0.7, 0.2, 0.0]])}


def explain(method):
    model = classifier()
    sample = microscope()
    species = int(tf.argmax(model(sample)[0]))
    return method(model).explain(sample, species)


def broken():
    return explain(IntegratedGradients)


def fixed():
    return explain(BothInputs)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Two regions of a survey are evaluated by workers; the shared model is trained on their sum."""
import sys

from concurrent.futures import ThreadPoolExecutor

import tensorflow as tf


class ShareModel(tf.Module):
    def __init__(self):
        super().__init__(name="share")
        self.slope = tf.Variable([0.4, -0.3], name="slope")
        self.start = tf.Variable(0.2, name="start")

    def __call__(self, answers):
        return tf.sigmoid(tf.linalg.matvec(answers, self.slope))  #!


class Region:
    def __init__(self, phase):
        self.answers = tf.reshape(tf.sin(tf.range(8.0) + phase), [4, 2])
        self.voted = tf.constant([0.0, 1.0, 1.0, 0.0])

    def loss(self, model):
        return tf.reduce_mean(tf.square(model(self.answers) - self.voted))  #~


class Survey:
    def __init__(self):
        self.model = ShareModel()
        self.regions = [Region(0.0), Region(1.0)]

    def losses(self):
        with ThreadPoolExecutor(max_workers=2) as pool:
            return list(pool.map(lambda region: region.loss(self.model), self.regions))  #~

    def gradients(self):
        with tf.GradientTape() as tape:
            total = tf.add_n(self.losses()) + 0.1 * tf.square(self.model.start - 1.0)
        grads = tape.gradient(total, [self.model.slope, self.model.start])
        return dict(zip(["slope", "start"], grads))


class SerialSurvey(Survey):
    def losses(self):
        return [region.loss(self.model) for region in self.regions]


def broken():
    return Survey().gradients()


def fixed():
    return SerialSurvey().gradients()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

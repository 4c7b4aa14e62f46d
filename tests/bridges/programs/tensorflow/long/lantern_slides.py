"""Old lantern slides are brought back: a tone curve and a tint are fitted to a print that was kept."""
import sys

import tensorflow as tf


class Projector(tf.Module):
    def __init__(self):
        super().__init__(name="projector")
        self.gamma = tf.Variable(0.45, name="gamma")
        self.tint = tf.Variable([1.0, 0.9, 0.8], name="tint")
        self.fade = tf.Variable(tf.fill([6, 6, 1], 0.02), name="fade")

    def exposed(self, slide):
        return tf.nn.relu(slide - self.fade)

    def shown(self, slide):
        return tf.pow(self.exposed(slide), self.gamma) * self.tint  #!


class LiftedProjector(Projector):
    def shown(self, slide):
        return tf.pow(self.exposed(slide) + 1e-4, self.gamma) * self.tint


def slide():
    light = tf.reshape(tf.range(36.0) / 36.0, [6, 6, 1])
    return tf.tile(light, [1, 1, 3])


def print_kept():
    return tf.sqrt(tf.clip_by_value(slide() * [0.9, 0.7, 0.5], 0.01, 1.0))


class Restorer:
    def __init__(self, projector):
        self.projector = projector

    def parts(self):
        return [self.projector.gamma, self.projector.tint, self.projector.fade]

    def evening(self, picture, wanted):
        with tf.GradientTape() as tape:
            seen = self.projector.shown(picture)
            rough = tf.reduce_mean(tf.image.total_variation(seen)) / 400.0
            loss = tf.reduce_mean(tf.abs(seen - wanted)) + rough
        return tape.gradient(loss, self.parts())

    def restore(self, evenings=1):
        for _ in range(evenings):
            slopes = self.evening(slide(), print_kept())
            for part, slope in zip(self.parts(), slopes):
                part.assign_sub(0.01 * slope)
        return dict(zip(["gamma", "tint", "fade"], slopes))


def broken():
    return {"fade": Restorer(Projector()).restore()["fade"]}


def fixed():
    return {"fade": Restorer(LiftedProjector()).restore()["fade"]}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

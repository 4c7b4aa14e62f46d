"""Counts of reef fish along transects; the link between density and rate is chosen by name."""
import dataclasses
import math
import sys

import tensorflow as tf


@dataclasses.dataclass
class Transect:
    density: tf.Variable
    visibility: tf.Variable
    link: str = "exp"

    def rate(self, metres):
        match self.link:
            case "exp":
                scale = math.exp(self.density)  #!
            case "softplus":
                scale = tf.nn.softplus(self.density)
            case other:
                raise ValueError(f"no link {other}")
        return scale * metres * tf.sigmoid(self.visibility)

    def loss(self, metres, counts):
        return tf.reduce_mean(tf.nn.log_poisson_loss(counts, tf.math.log(self.rate(metres))))


def survey(link):
    transect = Transect(tf.Variable(0.2, name="density"), tf.Variable(1.0, name="visibility"), link)
    metres = tf.linspace(10.0, 50.0, 9)
    counts = tf.round(0.8 * metres + tf.sin(metres))
    with tf.GradientTape() as tape:
        loss = transect.loss(metres, counts)
    fields = [field.name for field in dataclasses.fields(transect) if field.type is tf.Variable]
    return dict(zip(fields, tape.gradient(loss, [getattr(transect, name) for name in fields])))


def broken():
    return survey("exp")


def fixed():
    return survey("softplus")


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""How each of forty hides reacts to a recipe's four parts: a table of derivatives for the tannery's laboratory."""
import sys

import numpy as np
import tensorflow as tf


class Recipe:
    def __init__(self):
        self.parts = tf.Variable([0.5, 0.2, 0.2, 0.1], name="parts")

    def softness(self, hides):
        absorbed = tf.nn.softplus(hides @ self.parts[:, None])
        return tf.squeeze(tf.sqrt(1.0 + tf.square(absorbed)), axis=1)


def hides(count=40):
    return tf.reshape(tf.sin(0.7 * tf.range(4.0 * count)), [count, 4])


class Laboratory:
    """Derivatives by name of the method that makes them."""

    def __init__(self, recipe):
        self.recipe = recipe

    def by_rows(self, skins):
        with tf.GradientTape(persistent=True) as tape:
            soft = self.recipe.softness(skins)
            rows = tf.unstack(soft)
        table = np.array([tape.gradient(row, self.recipe.parts).numpy() for row in rows])  #!
        return tf.constant(table)

    def at_once(self, skins):
        with tf.GradientTape() as tape:
            soft = self.recipe.softness(skins)
        return tape.jacobian(soft, self.recipe.parts)

    def table(self, how, skins):
        return getattr(self, how)(skins)


def broken():
    return {"parts": Laboratory(Recipe()).table("by_rows", hides())}


def fixed():
    return {"parts": Laboratory(Recipe()).table("at_once", hides())}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Hardness of pewter by its parts of antimony and copper, in grades as the buyers have them."""
import sys

import tensorflow as tf


def pipeline(*stages):
    """One function of several, the first first."""

    def run(value):
        for stage in stages:
            value = stage(value)
        return value

    return run


class Alloy(tf.Module):
    def __init__(self):
        super().__init__(name="alloy")
        self.antimony = tf.Variable([0.5, 0.7, 0.9], name="antimony")
        self.copper = tf.Variable([0.1, 0.2, 0.15], name="copper")
        self.price = tf.Variable(1.2, name="price")

    def hardness(self, wear):
        return 12.0 * self.antimony + 30.0 * self.copper - wear


def in_grades(hardness):
    return tf.floor(hardness / 2.0) * 2.0  #!


def in_soft_grades(hardness):
    return hardness - 2.0 / 6.283 * tf.sin(3.1416 * hardness)


def limited(hardness):
    return tf.minimum(hardness, 40.0)


def cost(alloy, grades, wear):
    grade = grades(alloy.hardness(wear))
    spent = alloy.price * tf.reduce_sum(alloy.antimony * 0.0 + 1.0)
    return tf.reduce_mean(tf.square(grade - 9.0)) + 0.01 * spent + tf.nn.l2_loss(alloy.price)


def smelt(grading):
    alloy = Alloy()
    grades = pipeline(limited, grading)
    optimizer = tf.keras.optimizers.SGD(0.01)
    for wear in (0.0, 0.3, 0.6):
        with tf.GradientTape() as tape:
            loss = cost(alloy, grades, wear)
        copper, price = tape.gradient(loss, [alloy.copper, alloy.price])
        optimizer.apply_gradients([(grad, weight) for grad, weight in ((copper, alloy.copper), (price, alloy.price)) if grad is not None])
    return {"copper": copper, "price": price}


def broken():
    return smelt(in_grades)


def fixed():
    return smelt(in_soft_grades)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Weights of hives by cross-validation: each fold fits its own regression, and the fit is compiled."""
import sys

import tensorflow as tf


def loss_of(coefficients, rows, kilos):
    return tf.reduce_mean(tf.square(tf.linalg.matvec(rows, coefficients) - kilos))


class Fold:
    """One split of the hives."""

    def __init__(self, held, total=9):
        numbers = tf.range(total)
        self.train = tf.boolean_mask(numbers, numbers % 3 != held)

    def rows(self, hives, kilos):
        return tf.gather(hives, self.train), tf.gather(kilos, self.train)


class Validation:
    def __init__(self, scale_of):
        self.scale_of = scale_of
        self.coefficients = tf.Variable([0.1, -0.2, 0.3], name="coefficients")

        @tf.function
        def fit(rows, kilos, scales):
            with tf.GradientTape() as tape:
                loss = loss_of(self.coefficients * scales["rows"], rows, kilos)
                if "kilos" in scales:
                    loss = loss / scales["kilos"]
            return tape.gradient(loss, self.coefficients)

        self.fit = fit

    def run(self, hives, kilos):
        for held in range(3):
            fold_rows, fold_kilos = Fold(held).rows(hives, kilos)
            slope = self.fit(fold_rows, fold_kilos, self.scale_of(held))  #!
            self.coefficients.assign_sub(0.1 * slope)
        return {"coefficients": slope}


def by_need(held):
    return {"rows": tf.constant(1.0)} if held < 2 else {"rows": tf.constant(1.0), "kilos": tf.constant(2.0)}


def always_both(held):
    return {"rows": tf.constant(1.0), "kilos": tf.constant(1.0 if held < 2 else 2.0)}


def apiary(scale_of):
    hives = tf.sin(tf.reshape(tf.range(27.0), [9, 3]))
    return Validation(scale_of).run(hives, tf.reduce_sum(hives, axis=1))


def broken():
    return apiary(by_need)


def fixed():
    return apiary(always_both)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

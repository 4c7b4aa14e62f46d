"""Prices of old wines from their year and rating: a table is read, a line is fitted by gradient descent."""
import csv
import io
import sys

import tensorflow as tf

TABLE = """year;rating;bottles;price
1961;98;120;2100
1970;91;600;420
1982;97;800;1650
1986;93;1200;640
1990;95;900;980
1996;92;1500;510
2000;96;2000;1320
2005;94;1800;760
"""


def table(text):
    rows = csv.reader(io.StringIO(text), delimiter=";")
    next(rows)
    return tf.constant([[float(cell) for cell in row] for row in rows])


class Cellar:
    def __init__(self, text):
        cells = table(text)
        self.features, self.prices = cells[:, :3], cells[:, 3] / 1000.0

    def inputs(self):
        return self.features


class StandardCellar(Cellar):
    def inputs(self):
        middle, width = tf.nn.moments(self.features, axes=[0])
        return (self.features - middle) / tf.sqrt(width)


class Line:
    def __init__(self, columns):
        self.weight = tf.Variable(tf.fill([columns], 0.001), name="weight")
        self.offset = tf.Variable(0.0, name="offset")

    def __call__(self, rows):
        return tf.linalg.matvec(rows, self.weight) + self.offset


class Appraiser:
    def __init__(self, cellar, rate=0.01):
        self.cellar, self.rate = cellar, rate
        self.line = Line(3)
        self.seen = []

    def round(self):
        with tf.GradientTape() as tape:
            guess = self.line(self.cellar.inputs())
            loss = tf.reduce_mean(tf.square(guess - self.cellar.prices))  #!
        slopes = tape.gradient(loss, [self.line.weight, self.line.offset])
        self.line.weight.assign_sub(self.rate * slopes[0])
        self.line.offset.assign_sub(self.rate * slopes[1])
        self.seen.append(loss)
        return dict(zip(["weight", "offset"], slopes))

    def appraise(self, rounds=12):
        for _ in range(rounds):
            slopes = self.round()
        return slopes


def broken():
    return Appraiser(Cellar(TABLE)).appraise()


def fixed():
    return Appraiser(StandardCellar(TABLE)).appraise()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

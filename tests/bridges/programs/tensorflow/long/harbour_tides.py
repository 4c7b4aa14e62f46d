"""Tide tables of several harbours trained by one compiled step, which is given the harbour's name."""
import sys

import tensorflow as tf

HARBOURS = ("bergen", "cadiz", "galway", "porto")


class TideTable:
    def __init__(self):
        self.moon = tf.Variable(tf.fill([len(HARBOURS)], 0.3), name="moon")
        self.sun = tf.Variable(tf.fill([len(HARBOURS)], 0.1), name="sun")
        self.rows = {name: number for number, name in enumerate(HARBOURS)}

    def height(self, hours, row):
        return tf.gather(self.moon, row) * tf.sin(0.5 * hours) + tf.gather(self.sun, row) * tf.cos(0.26 * hours)

    def row(self, harbour):
        return self.rows[harbour]

    @tf.function
    def learn(self, hours, heights, harbour):
        row = self.row(harbour) if isinstance(harbour, str) else harbour
        with tf.GradientTape() as tape:
            miss = tf.reduce_mean(tf.square(self.height(hours, row) - heights))
        return [tf.convert_to_tensor(g) for g in tape.gradient(miss, [self.moon, self.sun])]


def measured(number):
    hours = tf.linspace(0.0, 12.0, 25)
    return hours, (0.5 + 0.1 * number) * tf.sin(0.5 * hours + 0.2)


def year(table, label):
    for number, harbour in enumerate(HARBOURS):
        hours, heights = measured(number)
        for _ in range(2):
            moon, sun = table.learn(hours, heights, label(table, harbour))  #!
            table.moon.assign_sub(0.1 * moon)
            table.sun.assign_sub(0.1 * sun)
    return {"moon": moon, "sun": sun}


def broken():
    return year(TideTable(), lambda table, harbour: harbour)


def fixed():
    return year(TideTable(), lambda table, harbour: tf.constant(table.row(harbour)))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

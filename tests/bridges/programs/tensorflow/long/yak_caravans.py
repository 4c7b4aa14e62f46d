"""Plans caravans of yaks: a planner reads the gradient's norm each round to write the journal."""
import sys

import tensorflow as tf


class Journal:
    def __init__(self):
        self.lines = []

    def note(self, day, **figures):
        self.lines.append((day, {key: value.numpy() for key, value in figures.items()}))  #!

    def keep(self, day, **figures):
        self.lines.append((day, figures))

    def close(self):
        return len(self.lines)


class Caravan(tf.Module):
    def __init__(self):
        super().__init__(name="caravan")
        self.loads = tf.Variable(0.5 * tf.ones([6]), name="loads")
        self.rest = tf.Variable(0.3, name="rest")

    def cost(self, slope):
        pace = tf.exp(-self.loads * slope) * (1.0 + self.rest)
        return tf.reduce_sum(tf.square(pace - 0.6)) + 0.1 * tf.square(self.rest)


def days(count=24):
    for day in range(count):
        yield day, 0.5 + 0.3 * tf.abs(tf.sin(tf.range(6.0) + day))


def travel(write):
    caravan, journal = Caravan(), Journal()
    sources = [caravan.loads, caravan.rest]
    for day, slope in days():
        with tf.GradientTape() as tape:
            cost = caravan.cost(slope)
        grads = tape.gradient(cost, sources)
        write(journal, day, cost=cost, norm=tf.linalg.global_norm(grads), rest=caravan.rest.read_value())  #~
        for grad, source in zip(grads, sources):
            source.assign_sub(0.02 * grad)
    print("lines", journal.close())
    return {"loads": grads[0], "rest": grads[1]}


def broken():
    return travel(Journal.note)


def fixed():
    return travel(Journal.keep)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Routes of caravans, each of another length, are embedded by the mean of their stops."""
import sys

import tensorflow as tf


class Routes(tf.Module):
    def __init__(self, stops, width):
        super().__init__(name="routes")
        self.table = tf.Variable(tf.reshape(tf.sin(tf.range(float(stops * width))), [stops, width]), name="table")
        self.value = tf.Variable(tf.fill([width], 0.2), name="value")

    def worth(self, routes):
        stops = tf.ragged.map_flat_values(lambda flat: tf.gather(self.table, flat), routes)
        return tf.linalg.matvec(tf.reduce_mean(stops, axis=1), self.value)


class Ledger:
    def __init__(self, signature=None):
        self.routes = Routes(6, 3)
        self.price = tf.function(self.miss, input_signature=signature)

    def miss(self, routes, paid):
        return tf.reduce_mean(tf.square(self.routes.worth(routes) - paid))

    def season(self, months):
        for month in months:
            paid = tf.fill([month.nrows()], 0.5)
            with tf.GradientTape() as tape:
                loss = self.price(month, paid)  #!
            table, value = tape.gradient(loss, [self.routes.table, self.routes.value])
            self.routes.value.assign_sub(0.1 * value)
        return {"table": tf.convert_to_tensor(table), "value": value}


def months():
    return [
        tf.ragged.constant([[0, 1], [2, 3, 4]]),
        tf.ragged.constant([[5], [1, 2], [0]]),
        tf.ragged.constant([[1], [2], [3, 3], [4]]),
    ]


def broken():
    return Ledger().season(months())


def fixed():
    stops = tf.RaggedTensorSpec([None, None], tf.int32)
    return Ledger([stops, tf.TensorSpec([None])]).season(months())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

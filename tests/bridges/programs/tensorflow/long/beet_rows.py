"""Sugar of beets from rows of a field: the loss adds what each row says, row by row, as the formula in the report does."""
import sys

import tensorflow as tf

ROWS, PLANTS = 18, 6


class Beets:
    def __init__(self):
        self.soil = tf.Variable(0.2 * tf.cos(tf.range(float(PLANTS))), name="soil")
        self.rain = tf.Variable(0.5, name="rain")

    def sugar(self, row):
        return tf.sigmoid(tf.reduce_sum(row * self.soil, axis=-1) + self.rain)


def row_by_row(beets, field, wanted):
    loss = tf.constant(0.0)
    for row, sugar in zip(field, wanted):
        loss += tf.square(beets.sugar(row) - sugar)  #!
    return loss / ROWS


def whole_field(beets, field, wanted):
    return tf.reduce_mean(tf.square(beets.sugar(field) - wanted))


def grow(loss_of, seasons=2):
    beets = Beets()
    optimizer = tf.keras.optimizers.SGD(0.5)
    for season in range(seasons):
        field = tf.sin(tf.reshape(tf.range(float(ROWS * PLANTS)), [ROWS, PLANTS]) * 0.21 + season)
        wanted = 0.5 + 0.3 * tf.cos(tf.range(float(ROWS)))
        with tf.GradientTape() as tape:
            loss = loss_of(beets, field, wanted)
        grads = tape.gradient(loss, [beets.soil, beets.rain])
        optimizer.apply_gradients(zip(grads, [beets.soil, beets.rain]))
    return {"soil": grads[0], "rain": grads[1]}


def broken():
    return grow(row_by_row)


def fixed():
    return grow(whole_field)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

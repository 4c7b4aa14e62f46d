"""Arrivals of trams are counted in slots of a learned width and compared with the timetable's slots."""
import sys

import tensorflow as tf


def whole_slots(arrivals, width):
    slots = tf.cast(arrivals / width, tf.int32)  #!
    return tf.cast(slots, tf.float32)


def parts_of_slots(arrivals, width):
    return arrivals / width - 0.5


def compare(slots_of):
    width = tf.Variable(2.5, name="width")
    offset = tf.Variable(tf.zeros([4]), name="offset")
    arrivals = 20.0 + 8.0 * tf.sin(tf.reshape(tf.range(40.0), [10, 4]))
    timetable = tf.fill([10, 4], 6.0)
    with tf.GradientTape() as tape:
        slots = slots_of(arrivals, width) + tf.nn.tanh(offset)
        loss = tf.reduce_mean(tf.square(slots - timetable))
    return dict(zip(("width", "offset"), tape.gradient(loss, (width, offset))))


def broken():
    return compare(whole_slots)


def fixed():
    return compare(parts_of_slots)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Sorts bricks by their colour after firing; accuracy and confidence of each batch are kept for a plot."""
import sys

import tensorflow as tf


class Sorter(tf.Module):
    def __init__(self):
        super().__init__(name="sorter")
        self.kernel = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(15.0)), [5, 3]), name="kernel")
        self.offset = tf.Variable(tf.zeros([3]), name="offset")

    def __call__(self, colours):
        return colours @ self.kernel + self.offset


class Plot:
    def __init__(self):
        self.rows = []

    def add(self, logits, kinds):
        shares = tf.nn.softmax(logits)
        sure = tf.reduce_mean(tf.reduce_max(shares, axis=1))
        entropy = -tf.reduce_mean(tf.reduce_sum(shares * tf.math.log(shares + 1e-9), axis=1))
        right = tf.cast(tf.equal(tf.argmax(logits, axis=1, output_type=tf.int32), kinds), tf.float32)
        self.rows.append((sure, entropy, tf.reduce_mean(right)))


def plotted_inside(sorter, plot, colours, kinds):
    with tf.GradientTape() as tape:
        logits = sorter(colours)
        plot.add(logits, kinds)  #!
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=kinds, logits=logits))
    return tape.gradient(loss, [sorter.kernel, sorter.offset])


def plotted_after(sorter, plot, colours, kinds):
    with tf.GradientTape() as tape:
        logits = sorter(colours)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=kinds, logits=logits))
    plot.add(logits, kinds)
    return tape.gradient(loss, [sorter.kernel, sorter.offset])


def fire(step, loads=4):
    sorter, plot = Sorter(), Plot()
    for load in range(loads):
        colours = tf.sin(tf.reshape(tf.range(30.0), [6, 5]) * 0.7 + load)
        kernel, offset = step(sorter, plot, colours, tf.range(6) % 3)
        sorter.kernel.assign_sub(0.1 * kernel)
        sorter.offset.assign_sub(0.1 * offset)
    print(len(plot.rows), "batches", file=sys.stderr)
    return {"kernel": kernel, "offset": offset}


def broken():
    return fire(plotted_inside)


def fixed():
    return fire(plotted_after)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

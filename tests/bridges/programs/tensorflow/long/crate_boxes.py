"""Finds crates in warehouse pictures; boxes are compared with the true ones by their overlap."""
import sys

import tensorflow as tf


class BoxHead(tf.Module):
    """Centre and size of a crate, from features of its picture."""

    def __init__(self, features=6):
        super().__init__(name="box_head")
        grid = tf.reshape(tf.sin(tf.range(features * 4.0) * 0.4), [features, 4])
        self.weight = tf.Variable(0.2 * grid, name="weight")
        self.bias = tf.Variable([0.5, 0.5, -1.0, -1.0], name="bias")

    def __call__(self, features):
        raw = features @ self.weight + self.bias
        return tf.concat([raw[:, :2], tf.exp(raw[:, 2:])], axis=1)


def overlap(mine, theirs):
    """Intersection over union of two boxes, each (x, y, w, h)."""
    low = tf.maximum(mine[:2] - mine[2:] / 2, theirs[:2] - theirs[2:] / 2)
    high = tf.minimum(mine[:2] + mine[2:] / 2, theirs[:2] + theirs[2:] / 2)
    shared = tf.reduce_prod(tf.maximum(high - low, 0.0))
    return shared / (mine[2] * mine[3] + theirs[2] * theirs[3] - shared)


def one_by_one(predicted, truth):
    shares = []
    for mine, theirs in zip(tf.unstack(predicted), tf.unstack(truth)):
        shares.append(overlap(mine, theirs))  #!
    return tf.stack(shares)


def together(predicted, truth):
    low = tf.maximum(predicted[:, :2] - predicted[:, 2:] / 2, truth[:, :2] - truth[:, 2:] / 2)
    high = tf.minimum(predicted[:, :2] + predicted[:, 2:] / 2, truth[:, :2] + truth[:, 2:] / 2)
    shared = tf.reduce_prod(tf.maximum(high - low, 0.0), axis=1)
    return shared / (tf.reduce_prod(predicted[:, 2:], 1) + tf.reduce_prod(truth[:, 2:], 1) - shared)


def train(overlaps, rounds=2):
    head = BoxHead()
    optimizer = tf.keras.optimizers.SGD(0.05)
    features = tf.reshape(tf.cos(tf.range(48.0 * 6) * 0.13), [48, 6])
    truth = tf.concat([0.5 + 0.1 * features[:, :2], 0.4 + 0.1 * tf.abs(features[:, 2:4])], axis=1)
    pictures = tf.data.Dataset.from_tensor_slices((features, truth)).batch(24)
    for _ in range(rounds):
        for seen, boxes in pictures:
            with tf.GradientTape() as tape:
                loss = 1.0 - tf.reduce_mean(overlaps(head(seen), boxes))
            grads = tape.gradient(loss, {"weight": head.weight, "bias": head.bias})
            optimizer.apply_gradients([(grads["weight"], head.weight), (grads["bias"], head.bias)])
    return grads


def broken():
    return train(one_by_one)


def fixed():
    return train(together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

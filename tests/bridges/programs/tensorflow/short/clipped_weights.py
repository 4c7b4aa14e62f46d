"""Trains a glider's weights; gradients are cut by their norm, variable by variable."""
import sys

import tensorflow as tf


def cut_here(grad, most=0.5):
    norm = tf.norm(grad).numpy()  #!
    return grad * (most / norm) if norm > most else grad


def cut_there(grad, most=0.5):
    return tf.clip_by_norm(grad, most)


def fly(cut, steps=6):
    weights = [tf.Variable(tf.reshape(tf.sin(tf.range(6.0) + k), [2, 3]), name=f"w{k}") for k in range(3)]
    winds = tf.reshape(tf.cos(tf.range(8.0)), [4, 2])
    for _ in range(steps):
        with tf.GradientTape() as tape:
            heights = [tf.reduce_sum(tf.square(winds @ w - 1.5)) for w in weights]
            loss = tf.add_n(heights)
        grads = [cut(grad) for grad in tape.gradient(loss, weights)]
        for w, grad in zip(weights, grads):
            w.assign_sub(0.1 * grad)
    return {f"w{k}": grad for k, grad in enumerate(grads)}


def broken():
    return fly(cut_here)


def fixed():
    return fly(cut_there)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

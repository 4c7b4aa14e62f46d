"""Third derivative of a bell curve by nested tapes, each question inside the next block."""
import tensorflow as tf


def broken():
    x = tf.Variable(0.6, name="x")
    with tf.GradientTape() as third:
        with tf.GradientTape() as second:
            with tf.GradientTape() as first:
                y = tf.exp(-x * x)
            dy = first.gradient(y, x)
        d2y = second.gradient(dy, x)
    return {"x": third.gradient(d2y, x)}


if __name__ == "__main__":
    print(broken())

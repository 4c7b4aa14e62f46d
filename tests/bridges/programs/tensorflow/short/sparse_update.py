"""Looks words up in a table: the gradient is sparse and most rows have none."""
import tensorflow as tf

sentence = tf.constant([2, 5, 2])


def broken():
    table = tf.Variable(tf.reshape(tf.sin(tf.range(40.0)), [10, 4]), name="table")
    scorer = tf.Variable([0.5, -0.2, 0.3, 0.1], name="scorer")
    with tf.GradientTape() as tape:
        rows = tf.gather(table, sentence)
        score = tf.reduce_mean(tf.linalg.matvec(rows, scorer))
        loss = tf.square(score - 1.0)
    return tape.gradient(loss, {"table": table, "scorer": scorer})


if __name__ == "__main__":
    print(broken())

"""A logarithm guarded by two selections, so that no gradient goes through the unguarded one."""
import tensorflow as tf

amounts = tf.constant([0.0, 1.5, 3.0])


def safe_log(x):
    positive = x > 0.0
    guarded = tf.where(positive, x, 1.0)
    return tf.where(positive, tf.math.log(guarded), 0.0)


def broken():
    scale = tf.Variable(0.7, name="scale")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(safe_log(scale * amounts))
    return {"scale": tape.gradient(loss, scale)}


if __name__ == "__main__":
    print(broken())

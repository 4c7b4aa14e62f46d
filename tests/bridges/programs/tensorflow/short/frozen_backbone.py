"""Trains a head on features of a frozen backbone, which is on purpose."""
import tensorflow as tf

images = tf.reshape(tf.sin(tf.range(24.0)), [6, 4])
labels = tf.constant([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
backbone = tf.Variable(tf.reshape(tf.cos(tf.range(12.0)), [4, 3]), trainable=False, name="backbone")


def broken():
    head = tf.Variable([[0.1], [0.2], [-0.1]], name="head")
    with tf.GradientTape() as tape:
        features = tf.stop_gradient(tf.tanh(tf.matmul(images, backbone)))
        logits = tf.squeeze(tf.matmul(features, head), axis=1)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels, logits))
    return {"head": tape.gradient(loss, head)}


if __name__ == "__main__":
    print(broken())

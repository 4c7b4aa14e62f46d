"""Leaves of mint by their colours; a learned white balance is applied while the pictures are read."""
import sys

import tensorflow as tf


class Balance(tf.Module):
    def __init__(self):
        super().__init__("balance")
        self.gain = tf.Variable([1.1, 0.9, 1.05], name="gain")

    def __call__(self, picture, label):
        return tf.minimum(picture * self.gain, 0.99), label  #!


class Classifier(tf.Module):
    def __init__(self):
        super().__init__("classifier")
        self.kernel = tf.Variable(tf.reshape(tf.sin(tf.range(6.0)), [3, 2]), name="kernel")

    def __call__(self, pictures):
        return tf.reduce_mean(pictures, axis=[1, 2]) @ self.kernel


def pictures():
    values = 0.4 + 0.3 * tf.sin(tf.range(6.0 * 48.0) * 0.11)
    labels = tf.range(6) % 2
    return tf.data.Dataset.from_tensor_slices((tf.reshape(values, [6, 4, 4, 3]), labels))


def learn(in_pipeline):
    balance, classifier = Balance(), Classifier()
    data = pictures().cache()
    if in_pipeline:
        data = data.map(balance)  #~
    sums = {"gain": None, "kernel": None}
    for batch, labels in data.batch(3).prefetch(1):
        with tf.GradientTape() as tape:
            if not in_pipeline:
                batch, labels = balance(batch, labels)
            logits = classifier(batch)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        sources = {"gain": balance.gain, "kernel": classifier.kernel}
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            if grad is not None:
                sources[name].assign_sub(0.1 * grad)
            sums[name] = grad
    return sums


def broken():
    return learn(in_pipeline=True)


def fixed():
    return learn(in_pipeline=False)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

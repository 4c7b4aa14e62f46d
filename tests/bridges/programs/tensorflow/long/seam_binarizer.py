"""Seams in rock, yes or no: a hard step forward, a smooth slope backward, and the first activations are recomputed."""
import tensorflow as tf


@tf.custom_gradient
def hard_step(x):
    def backward(upstream):
        return upstream * tf.cast(tf.abs(x) < 1.5, x.dtype)

    return tf.cast(x > 0.0, x.dtype), backward


class Seams(tf.Module):
    def __init__(self):
        super().__init__("seams")
        grid = tf.reshape(tf.range(12.0), [3, 4])
        self.scan = tf.Variable(0.5 * tf.sin(grid), name="scan")
        self.judge = tf.Variable(tf.cos(tf.range(4.0))[:, None], name="judge")
        self.scale = tf.Variable(1.0, name="scale")

    def features(self, rocks):
        return tf.tanh(rocks @ self.scan)

    def __call__(self, rocks):
        found = hard_step(self.features(rocks))
        spread = tf.stop_gradient(tf.math.reduce_std(found, axis=0) + 0.1)
        return (found / spread) @ self.judge * self.scale


def train(seams, steps=3):
    rocks = tf.reshape(tf.cos(tf.range(24.0) * 0.6), [8, 3])
    veins = tf.cast(rocks[:, :1] > 0.2, tf.float32)
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.binary_crossentropy(veins, seams(rocks), from_logits=True))
        sources = {"scan": seams.scan, "judge": seams.judge, "scale": seams.scale}
        grads = tape.gradient(loss, sources)
        norm = tf.linalg.global_norm(list(grads.values()))
        for name, grad in grads.items():
            sources[name].assign_sub(0.1 * grad / tf.maximum(norm, 1.0))
    return grads


def broken():
    return train(Seams())


if __name__ == "__main__":
    print(broken())

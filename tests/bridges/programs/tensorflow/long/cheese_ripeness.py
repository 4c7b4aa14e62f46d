"""Ripeness of cheeses from smell and rind; a second head that names the dairy steadies the trunk while it is trained."""
import sys

import tensorflow as tf


def wave(shape, dtype=None):
    return 0.4 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.6), shape)


class Cheese(tf.keras.Model):
    def __init__(self):
        super().__init__(name="cheese")
        self.trunk = tf.keras.layers.Dense(6, activation="tanh", kernel_initializer=wave, name="trunk")
        self.ripe = tf.keras.layers.Dense(1, kernel_initializer=wave, name="ripe")
        self.dairy = tf.keras.layers.Dense(3, kernel_initializer=wave, name="dairy")

    def call(self, rinds, training=False):
        shared = self.trunk(rinds)
        outputs = {"ripe": self.ripe(shared)}
        if training:  #!
            outputs["dairy"] = self.dairy(shared)
        return outputs


def loss_of(outputs, ripe, dairy):
    loss = tf.reduce_mean(tf.square(outputs["ripe"] - ripe))
    if "dairy" in outputs:
        loss += 0.1 * tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=dairy, logits=outputs["dairy"])
        )
    return loss


def store(weeks=2, **options):
    model = Cheese()
    model(tf.zeros([1, 4]), training=True)
    optimizer = tf.keras.optimizers.SGD(0.1)
    for week in range(weeks):
        rinds = tf.sin(tf.reshape(tf.range(24.0), [6, 4]) * 0.5 + week)
        with tf.GradientTape() as tape:
            outputs = model(rinds, **options)
            loss = loss_of(outputs, tf.reduce_mean(rinds, axis=1, keepdims=True), tf.constant([0, 1, 2, 2, 1, 0]))
        weights = model.trainable_variables
        grads = dict(zip([weight.path for weight in weights], tape.gradient(loss, weights)))
        optimizer.apply_gradients((g, w) for g, w in zip(grads.values(), weights) if g is not None)
    return {name: grads[name] for name in ("cheese/ripe/kernel", "cheese/dairy/kernel")}


def broken():
    return store()


def fixed():
    return store(training=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""A variational model of plovers' nests; the spread of the code is learnt as a logarithm."""
import sys

import tensorflow as tf


class Encoder(tf.keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.middle = tf.keras.layers.Dense(2, kernel_initializer="ones", name="middle")
        self.width = tf.keras.layers.Dense(2, kernel_initializer="ones", name="width")

    def call(self, nests):
        return self.middle(nests), self.width(nests)


class Prior:
    def __init__(self, most):
        self.most = most

    def spread(self, log_width):
        if self.most is not None:
            log_width = self.most * tf.tanh(log_width / self.most)
        return tf.exp(log_width)  #!

    def divergence(self, middle, log_width):
        return 0.5 * tf.reduce_sum(self.spread(log_width) + tf.square(middle) - log_width - 1.0, axis=-1)


class Plovers(tf.keras.Model):
    def __init__(self, prior):
        super().__init__(name="plovers")
        self.prior = prior
        self.encoder = Encoder(name="encoder")
        self.decoder = tf.keras.layers.Dense(3, kernel_initializer="ones", name="decoder")

    def call(self, nests):
        middle, log_width = self.encoder(nests)
        noise = tf.cos(7.0 * middle)
        code = middle + noise * tf.sqrt(self.prior.spread(log_width))
        self.add_loss(tf.reduce_mean(self.prior.divergence(middle, log_width)))
        return self.decoder(code)


def nests(count=5):
    for day in range(count):
        yield (0.2 + 60.0 * (day // 4)) * tf.reshape(tf.abs(tf.sin(tf.range(1.0, 13.0))), [4, 3])


def train(prior):
    model = Plovers(prior)
    model.build([None, 3])
    optimizer = tf.keras.optimizers.SGD(0.01)
    for batch in nests():
        with tf.GradientTape() as tape:
            rebuilt = model(batch)
            loss = tf.reduce_mean(tf.square(rebuilt - batch)) + tf.add_n(model.losses)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return {"plovers/encoder/width/kernel": grads[2]}


def broken():
    return train(Prior(most=None))


def fixed():
    return train(Prior(most=4.0))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

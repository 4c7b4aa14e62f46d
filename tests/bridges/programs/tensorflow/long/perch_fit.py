"""Weighs perch from their photographs' measures: a Keras model with a training step of its own, fitted eagerly."""
import sys

import tensorflow as tf


def fins(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(0.2 + tf.range(float(shape[0] * shape[1])) * 0.83), shape)


class Scales(tf.keras.Model):
    persistent = True

    def __init__(self):
        super().__init__(name="perch")
        self.shape_layer = tf.keras.layers.Dense(8, activation="elu", kernel_initializer=fins, name="shape")
        self.weight_layer = tf.keras.layers.Dense(1, kernel_initializer=fins, name="weight")
        self.last = None

    def call(self, measures):
        return self.weight_layer(self.shape_layer(measures))

    def train_step(self, data):
        measures, weights = data
        with tf.GradientTape(persistent=self.persistent) as tape:  #!
            guess = self(measures, training=True)
            loss = self.compute_loss(measures, weights, guess)
        grads = tape.gradient(loss, self.trainable_variables)
        del tape
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.last = grads
        return {"loss": loss}


class LightScales(Scales):
    persistent = False


def weigh(model):
    measures = 1.0 + tf.sin(tf.reshape(tf.range(120.0), [24, 5]) * 0.11)
    weights = tf.reduce_mean(tf.square(measures), axis=1, keepdims=True)
    model.compile(optimizer=tf.keras.optimizers.SGD(0.02), loss="mse", run_eagerly=True)
    model.fit(measures, weights, batch_size=8, epochs=2, shuffle=False, verbose=0)
    return {"perch/shape/kernel": model.last[0], "perch/weight/kernel": model.last[2]}


def broken():
    return weigh(Scales())


def fixed():
    return weigh(LightScales())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

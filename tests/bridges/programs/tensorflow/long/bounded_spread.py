"""Demand for ice by hour with its own uncertainty: a network gives mean and log-variance, which is kept in bounds."""
import sys

import keras
import tensorflow as tf

HOURS, FACTS = 36, 5


def frost(shape, dtype=None):
    return 0.25 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.63), shape)


class Demand(keras.Model):
    def __init__(self, start):
        super().__init__(name="demand")
        self.hidden = keras.layers.Dense(8, "tanh", kernel_initializer=frost, name="hidden")
        self.mean = keras.layers.Dense(1, kernel_initializer=frost, name="mean")
        self.spread = keras.layers.Dense(
            1, kernel_initializer=frost, bias_initializer=keras.initializers.Constant(start), name="spread"
        )

    def call(self, facts):
        hidden = self.hidden(facts)
        log_variance = tf.clip_by_value(self.spread(hidden), -7.0, 2.0)  #!
        return self.mean(hidden)[:, 0], log_variance[:, 0]


class Likelihood:
    def __call__(self, sold, mean, log_variance):
        return 0.5 * tf.reduce_mean(log_variance + tf.square(sold - mean) * tf.exp(-log_variance))


class Trainer:
    def __init__(self, model):
        self.model, self.loss, self.optimizer = model, Likelihood(), keras.optimizers.Adam(1e-3)

    def step(self, facts, sold):
        with tf.GradientTape() as tape:
            mean, log_variance = self.model(facts, training=True)  #~
            loss = self.loss(sold, mean, log_variance)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss, grads


def summer(start):
    model = Demand(start)  #~
    facts = tf.reshape(tf.sin(tf.range(float(HOURS * FACTS)) * 0.41), [HOURS, FACTS])
    sold = 1.0 + facts[:, 0] - 0.5 * facts[:, 2]
    trainer = Trainer(model)
    for _ in range(3):
        loss, grads = trainer.step(facts, sold)
    given = {w.path: g for w, g in zip(model.trainable_variables, grads)}
    return {name: given[name] for name in ("demand/spread/kernel", "demand/spread/bias", "demand/mean/kernel")}


def broken():
    return summer(start=5.0)


def fixed():
    return summer(start=0.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

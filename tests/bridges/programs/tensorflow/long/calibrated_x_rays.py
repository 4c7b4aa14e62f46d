"""Grades of x-rays with a temperature for each clinic: the focal loss has a gradient written by hand."""
import sys

import keras
import tensorflow as tf

SCANS, FACTS, CLINICS = 30, 6, 3


def bone(shape, dtype=None):
    return 0.35 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.57), shape)


def focal(tempered):
    @tf.custom_gradient
    def loss_of(logits, heat, labels):
        scaled = logits / heat
        shown = tf.sigmoid(scaled)
        miss = labels * (1.0 - shown) + (1.0 - labels) * shown
        value = -tf.square(miss) * tf.math.log_sigmoid((2.0 * labels - 1.0) * scaled)

        def slope(upstream):  #~
            sign = 1.0 - 2.0 * labels
            by_scaled = sign * tf.square(miss) * (miss - 2.0 * (1.0 - miss) * tf.math.log_sigmoid(-sign * scaled))
            if tempered:
                return upstream * by_scaled / heat, -upstream * by_scaled * scaled / heat, None
            return upstream * by_scaled / heat, None, None  #!

        return value, slope  #~

    return loss_of


class Grader(keras.Model):
    def __init__(self):
        super().__init__(name="grader")
        self.read = keras.layers.Dense(8, "tanh", kernel_initializer=bone, name="read")
        self.grade = keras.layers.Dense(1, kernel_initializer=bone, name="grade")
        self.heat = self.add_weight(shape=(CLINICS,), initializer="ones", name="heat")

    def call(self, scans):
        return self.grade(self.read(scans))[:, 0]


def train(loss_of):
    scans = tf.reshape(tf.sin(tf.range(float(SCANS * FACTS)) * 0.21), [SCANS, FACTS])
    clinic = tf.range(SCANS) % CLINICS
    labels = tf.cast(scans[:, 1] > 0.1, tf.float32)
    model = Grader()
    model(scans[:1])
    optimizer = keras.optimizers.SGD(0.05)
    for _ in range(3):
        with tf.GradientTape() as tape:
            heat = tf.gather(model.heat, clinic)
            losses = loss_of(model(scans, training=True), heat, labels)  #~
            loss = tf.reduce_mean(losses)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients((g, w) for g, w in zip(grads, model.trainable_variables) if g is not None)
    given = {w.path: g for w, g in zip(model.trainable_variables, grads)}
    return {"grader/heat": given["grader/heat"], "grader/read/kernel": given["grader/read/kernel"]}


def broken():
    return train(focal(tempered=False))


def fixed():
    grads = train(focal(tempered=True))
    return {name: tf.convert_to_tensor(grad) for name, grad in grads.items()}


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Plants in a meadow: a student learns to agree with the average of its past weights, besides the labels."""
import sys

import keras
import tensorflow as tf


def petals(shape, dtype=None):
    return 0.4 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.9), shape)


def network(name):
    return keras.Sequential(
        [
            keras.Input((7,)),
            keras.layers.Dense(16, "tanh", kernel_initializer=petals, name="leaf"),
            keras.layers.Dense(3, kernel_initializer=petals, name="plant"),
        ],
        name=name,
    )


class MeanTeacher(keras.Model):
    persistent = True

    def __init__(self, decay=0.95):
        super().__init__(name="mean_teacher")
        self.student, self.teacher, self.decay = network("student"), network("teacher"), decay
        self.teacher.trainable = False
        self.last = tf.Variable(tf.zeros([7, 16]), trainable=False)

    def call(self, plants):
        return self.student(plants)

    def forget_slowly(self):
        for mine, theirs in zip(self.teacher.weights, self.student.weights):
            mine.assign(self.decay * mine + (1.0 - self.decay) * theirs)

    def train_step(self, data):
        plants, wanted = data
        targets = tf.nn.softmax(self.teacher(plants))
        with tf.GradientTape(persistent=self.persistent) as tape:  #!
            logits = self.student(plants, training=True)
            labelled = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, logits)
            agreed = tf.nn.softmax_cross_entropy_with_logits(targets, logits)
            loss = tf.reduce_mean(labelled + 0.5 * agreed)
        weights = self.student.trainable_weights
        grads = tape.gradient(loss, weights)
        self.optimizer.apply_gradients(zip(grads, weights))
        self.last.assign(grads[0])
        self.forget_slowly()
        return {"loss": loss}


class PlainTeacher(MeanTeacher):
    persistent = False


def summer(kind):
    plants = tf.reshape(tf.sin(tf.range(60.0 * 7) * 0.41), [60, 7])
    teacher = kind()
    teacher.compile(keras.optimizers.Adam(0.01), run_eagerly=True)
    teacher.fit(plants, tf.range(60) % 3, batch_size=20, epochs=2, shuffle=False, verbose=0)
    return {"student/leaf/kernel": tf.identity(teacher.last)}


def broken():
    return summer(MeanTeacher)


def fixed():
    return summer(PlainTeacher)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

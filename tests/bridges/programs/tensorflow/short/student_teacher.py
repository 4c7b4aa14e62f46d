"""Distils a linear teacher into a student; the temperature is learned too."""
import sys

import tensorflow as tf

inputs = tf.constant([[1.0, -1.0], [0.5, 2.0], [-1.5, 0.3]])
teacher_weights = tf.constant([[0.8, -0.2], [0.1, 0.9]])


def distil(student, temperature, target):
    logits = tf.matmul(inputs, student)
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(target, logits))


def teacher_distribution(temperature):
    return tf.nn.softmax(tf.matmul(inputs, teacher_weights) / temperature)


def broken():
    student = tf.Variable([[0.1, 0.2], [0.3, -0.1]], name="student")
    temperature = tf.Variable(2.0, name="temperature")
    with tf.GradientTape() as tape:
        target = tf.stop_gradient(teacher_distribution(temperature))  #!
        loss = distil(student, temperature, target)
    return tape.gradient(loss, {"student": student, "temperature": temperature})


def fixed():
    student = tf.Variable([[0.1, 0.2], [0.3, -0.1]], name="student")
    temperature = tf.Variable(2.0, name="temperature")
    with tf.GradientTape() as tape:
        target = teacher_distribution(temperature)
        loss = distil(student, temperature, target)
    return tape.gradient(loss, {"student": student, "temperature": temperature})


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Learns to divide words into syllables; the words grow longer from lesson to lesson."""
import sys

import tensorflow as tf


class Teacher(tf.Module):
    def __init__(self):
        super().__init__(name="teacher")
        self.letters = tf.Variable(0.2 * tf.sin(tf.range(9.0)), name="letters")
        self.stress = tf.Variable(0.1, name="stress")

    @tf.function
    def lesson(self, words, wanted, length):
        with tf.GradientTape() as tape:
            heard = tf.nn.sigmoid(words[:, :length] * self.letters[:length] + self.stress)
            loss = tf.reduce_mean(tf.square(heard - wanted[:, :length]))
        return tape.gradient(loss, {"letters": self.letters, "stress": self.stress})


def vocabulary():
    words = tf.cos(tf.reshape(tf.range(45.0), [5, 9]) * 0.6)
    return words, tf.cast(words > 0.0, tf.float32)


def school(lengths):
    teacher = Teacher()
    words, wanted = vocabulary()
    for length in lengths:
        for _ in range(2):
            grads = teacher.lesson(words, wanted, length)  #!
            teacher.letters.assign_sub(0.1 * grads["letters"])
            teacher.stress.assign_sub(0.1 * grads["stress"])
    return grads


def broken():
    return school([3, 5, 7, 9])


def fixed():
    return school([tf.constant(length) for length in (3, 5, 7, 9)])


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

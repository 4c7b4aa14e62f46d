"""A reading tutor trains an easy head first and a hard one from a later lesson on."""
import sys

import tensorflow as tf


class Tutor(tf.Module):
    def __init__(self):
        super().__init__(name="tutor")
        self.shared = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(12.0)), [3, 4]), name="shared")
        self.easy = tf.Variable([[0.2], [0.5], [-0.3], [0.1]], name="easy")
        self.hard = tf.Variable([[0.6], [-0.1], [0.2], [0.4]], name="hard")

    def features(self, texts):
        return tf.nn.softplus(tf.matmul(texts, self.shared))


class Lesson:
    def __init__(self, number):
        self.texts = tf.reshape(tf.cos(tf.range(15.0) + float(number)), [5, 3])
        self.scores = tf.reduce_mean(self.texts, axis=1, keepdims=True)
        self.difficulty = tf.constant(0.2 * number)


def switching_loss(tutor, lesson):
    features = tutor.features(lesson.texts)
    if lesson.difficulty > 0.7:  #!
        predicted = tf.matmul(features, tutor.hard)  #~
    else:
        predicted = tf.matmul(features, tutor.easy)
    return tf.reduce_mean(tf.square(predicted - lesson.scores))


def blended_loss(tutor, lesson):
    features = tutor.features(lesson.texts)
    share = tf.sigmoid(10.0 * (lesson.difficulty - 0.7))
    predicted = share * tf.matmul(features, tutor.hard) + (1.0 - share) * tf.matmul(features, tutor.easy)
    return tf.reduce_mean(tf.square(predicted - lesson.scores))


def teach(loss_of, lessons=3, learning_rate=0.1):
    tutor = Tutor()
    variables = [tutor.shared, tutor.easy, tutor.hard]
    for number in range(lessons):
        lesson = Lesson(number)
        with tf.GradientTape() as tape:
            loss = loss_of(tutor, lesson)
        grads = tape.gradient(loss, variables)
        for variable, grad in zip(variables, grads):
            if grad is not None:
                variable.assign_sub(learning_rate * grad)
    return dict(zip(["shared", "easy", "hard"], grads))


def broken():
    return teach(switching_loss)


def fixed():
    return teach(blended_loss)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

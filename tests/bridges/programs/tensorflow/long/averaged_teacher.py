"""A mean teacher: the student's weights are read for the average, then the student is trained."""
import sys

import tensorflow as tf


class Student(tf.Module):
    def __init__(self):
        super().__init__(name="student")
        self.kernel = tf.Variable(0.5 * tf.reshape(tf.sin(tf.range(8.0)), [4, 2]), name="kernel")
        self.bias = tf.Variable([0.1, -0.1], name="bias")

    def logits(self, inputs, kernel, bias):
        return tf.matmul(inputs, kernel) + bias


class Average:
    def __init__(self, student, share):
        self.share = share
        self.kernel = tf.Variable(student.kernel, trainable=False, name="average_kernel")

    def update(self, kernel):
        self.kernel.assign(self.share * self.kernel + (1.0 - self.share) * kernel)


class Training:
    def __init__(self):
        self.student = Student()
        self.average = Average(self.student, 0.9)
        self.inputs = tf.reshape(tf.cos(tf.range(20.0)), [5, 4])
        self.labels = tf.one_hot([0, 1, 1, 0, 1], 2)

    def loss(self, kernel):
        logits = self.student.logits(self.inputs, kernel, self.student.bias)
        teacher = tf.stop_gradient(tf.matmul(self.inputs, self.average.kernel))
        supervised = tf.nn.softmax_cross_entropy_with_logits(self.labels, logits)
        return tf.reduce_mean(supervised) + 0.1 * tf.reduce_mean(tf.square(logits - teacher))

    def kernel_for_loss(self, snapshot):
        return snapshot

    def step(self):
        snapshot = tf.convert_to_tensor(self.student.kernel)  #!
        self.average.update(snapshot)
        self.student.kernel.assign(tf.clip_by_norm(snapshot, 1.0))  #~
        with tf.GradientTape() as tape:
            loss = self.loss(self.kernel_for_loss(snapshot))
        grads = tape.gradient(loss, [self.student.kernel, self.student.bias])
        return dict(zip(["kernel", "bias"], grads))


class RepairedTraining(Training):
    def kernel_for_loss(self, snapshot):
        return self.student.kernel


def broken():
    return Training().step()


def fixed():
    return RepairedTraining().step()


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

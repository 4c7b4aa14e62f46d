"""A beekeeper's notes are looked up by content: cosine likeness, sharpened before the softmax."""
import sys

import tensorflow as tf


class Memory(tf.Module):
    def __init__(self, sharpness, notes=5, width=4):
        super().__init__("memory")
        grid = tf.reshape(tf.range(float(notes * width)), [notes, width])
        self.keys = tf.Variable(tf.sin(grid * 0.9), name="keys")
        self.contents = tf.Variable(tf.cos(grid * 0.4), name="contents")
        self.probe = tf.Variable(tf.sin(grid[:4] + 0.5) + tf.eye(4), name="probe")
        self.sharpness = sharpness

    def address(self, questions):
        asked = tf.math.l2_normalize(questions @ self.probe, axis=1)
        known = tf.math.l2_normalize(self.keys, axis=1)
        likeness = tf.einsum("bd,nd->bn", asked, known)
        return tf.nn.softmax(self.sharpness * likeness)  #!

    def recall(self, questions):
        return self.address(questions) @ self.contents


class Keeper:
    def __init__(self, sharpness, micro_batches=2):
        self.memory, self.micro_batches = Memory(sharpness), micro_batches

    def accumulated(self, questions, answers):
        """Gradients of small parts, added up as if the batch had been one."""
        sums = None
        for asked, told in zip(tf.split(questions, self.micro_batches), tf.split(answers, self.micro_batches)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self.memory.recall(asked) - told)) / self.micro_batches
            wanted = {"keys": self.memory.keys, "probe": self.memory.probe, "contents": self.memory.contents}
            part = tape.gradient(loss, wanted)
            sums = part if sums is None else {name: sums[name] + part[name] for name in sums}
        return sums


def season(sharpness):
    questions = tf.reshape(tf.sin(tf.range(24.0) * 0.77), [6, 4])
    return Keeper(sharpness).accumulated(questions, tf.roll(questions, 1, axis=1))


def broken():
    return season(sharpness=20000.0)


def fixed():
    return season(sharpness=4.0)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

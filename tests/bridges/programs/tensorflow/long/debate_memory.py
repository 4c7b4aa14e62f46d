"""Follows a debate: each speech attends to what was said before, which is kept turn by turn."""
import sys

import tensorflow as tf


class Listener(tf.Module):
    def __init__(self, width=4):
        super().__init__(name="listener")
        wave = tf.sin(tf.range(float(width * width)) * 0.7)
        self.query = tf.Variable(0.5 * tf.reshape(wave, [width, width]), name="query")
        self.stance = tf.Variable(0.5 * tf.cos(tf.range(2.0 * width))[:, tf.newaxis], name="stance")

    def attend(self, speech, memory):
        keys = tf.stack(memory, axis=1)
        share = tf.nn.softmax(tf.einsum("bw,bkw->bk", speech @ self.query, keys))
        return tf.einsum("bk,bkw->bw", share, keys)

    @tf.function
    def turn(self, speech, memory, agrees):
        with tf.GradientTape() as tape:
            heard = self.attend(speech, memory)
            logits = tf.concat([speech, heard], axis=1) @ self.stance
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(agrees, logits))
        return loss, tape.gradient(loss, {"query": self.query, "stance": self.stance})


class Memory:
    """What was said: all of it, or the last turns alone."""

    def __init__(self, start, capacity=None):
        self.turns = [start] * (capacity or 1)
        self.capacity = capacity

    def add(self, speech):
        self.turns.append(speech)
        if self.capacity:
            self.turns = self.turns[-self.capacity:]


def follow(capacity, turns=4, rate=0.1):
    listener = Listener()
    memory = Memory(tf.zeros([3, 4]), capacity)
    agrees = tf.constant([[1.0], [0.0], [1.0]])
    for number in range(turns):
        speech = tf.reshape(tf.cos(tf.range(12.0) * 0.6 + number), [3, 4])
        loss, grads = listener.turn(speech, memory.turns, agrees)  #!
        listener.query.assign_sub(rate * grads["query"])
        listener.stance.assign_sub(rate * grads["stance"])
        memory.add(speech)
    return grads


def broken():
    return follow(capacity=None)


def fixed():
    return follow(capacity=3)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Adapts a frozen text model to contracts by low-rank adapters; only the adapters and the head are to be
trained.
"""
import sys

import tensorflow as tf


def wave(shape, phase, scale=0.4):
    count = 1
    for extent in shape:
        count *= extent
    return scale * tf.reshape(tf.sin(tf.range(float(count)) * 0.9 + phase), shape)


class LowRank(tf.Module):
    """x A B, added to what a frozen projection returns."""

    def __init__(self, name, width, rank=2):
        super().__init__(name=name)
        self.down = tf.Variable(wave([width, rank], 0.3), name=f"{name}_down")
        self.up = tf.Variable(wave([rank, width], 0.7, 0.1), name=f"{name}_up")

    def __call__(self, x):
        return x @ self.down @ self.up  #!


class Block(tf.Module):
    def __init__(self, number, width):
        super().__init__(name=f"block_{number}")
        self.frozen = wave([width, width], float(number))
        self.adapter = LowRank(f"adapter_{number}", width)

    def __call__(self, x):
        return x + tf.nn.gelu(x @ self.frozen + self.adapter(x))


class ContractModel(tf.Module):
    def __init__(self, width=6, depth=2):
        super().__init__(name="contracts")
        self.table = wave([30, width], 0.1, 1.0)
        self.blocks = [Block(number, width) for number in range(depth)]
        self.head = tf.Variable(wave([width, 3], 0.5), name="head")

    def encode(self, tokens):
        x = tf.gather(self.table, tokens)
        for block in self.blocks:
            x = block(x)
        return tf.reduce_mean(x, axis=1)


class Trainer:
    def __init__(self, model, rate=0.1):
        self.model, self.rate, self.correct = model, rate, tf.Variable(0.0, trainable=False)

    def features(self, tape, tokens):
        with tape.stop_recording():  #~
            return self.model.encode(tokens)  #~

    def step(self, tokens, clause):
        with tf.GradientTape() as tape:
            logits = self.features(tape, tokens) @ self.model.head
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(clause, logits))
            with tape.stop_recording():
                hits = tf.equal(tf.argmax(logits, axis=1, output_type=tf.int32), clause)
                self.correct.assign_add(tf.reduce_sum(tf.cast(hits, tf.float32)))
        variables = self.model.trainable_variables
        grads = tape.gradient(loss, variables)
        for variable, grad in zip(variables, grads):
            if grad is not None:
                variable.assign_sub(self.rate * grad)
        return {variable.name.split(":")[0]: grad for variable, grad in zip(variables, grads)}


class RecordingTrainer(Trainer):
    def features(self, tape, tokens):
        return self.model.encode(tokens)


def contracts():
    tokens = tf.reshape(tf.range(48) * 7 % 30, [8, 6])
    return tf.data.Dataset.from_tensor_slices((tokens, tf.range(8) % 3)).batch(4)


def train(trainer):
    for tokens, clause in contracts():
        grads = trainer.step(tokens, clause)
    return grads


def broken():
    return train(Trainer(ContractModel()))


def fixed():
    return train(RecordingTrainer(ContractModel()))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

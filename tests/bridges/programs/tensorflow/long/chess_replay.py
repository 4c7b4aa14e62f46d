"""Learns values of chess positions from a replay memory that grows with each game."""
import sys

import tensorflow as tf


class Memory:
    def __init__(self, capacity=None):
        self.positions, self.results, self.capacity = [], [], capacity

    def add(self, position, result):
        self.positions.append(position)
        self.results.append(result)

    def everything(self):
        positions, results = tf.stack(self.positions), tf.stack(self.results)
        if self.capacity is None:
            return positions, results, tf.ones_like(results)
        missing = self.capacity - len(self.positions)
        weights = tf.pad(tf.ones_like(results), [[0, missing]])
        return tf.pad(positions, [[0, missing], [0, 0]]), tf.pad(results, [[0, missing]]), weights


class Evaluator:
    def __init__(self):
        self.board = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(32.0)), [8, 4]), name="board")
        self.value = tf.Variable(0.3 * tf.reshape(tf.cos(tf.range(4.0)), [4, 1]), name="value")
        self.update = tf.function(self.gradients)

    def gradients(self, positions, results, weights):
        with tf.GradientTape() as tape:
            values = tf.squeeze(tf.tanh(tf.tanh(positions @ self.board) @ self.value), axis=1)
            loss = tf.reduce_sum(weights * tf.square(values - results)) / tf.reduce_sum(weights)
        return tape.gradient(loss, [self.board, self.value])


def tournament(memory, games=5):
    evaluator, optimizer = Evaluator(), tf.keras.optimizers.RMSprop(0.01)
    weights = [evaluator.board, evaluator.value]
    for game in range(games):
        memory.add(tf.cos(tf.range(8.0) * (1.0 + game)), tf.constant(float(game % 3) - 1.0))
        grads = evaluator.update(*memory.everything())  #!
        optimizer.apply_gradients(zip(grads, weights))
    return dict(zip(("board", "value"), grads))


def broken():
    return tournament(Memory())


def fixed():
    return tournament(Memory(capacity=8))


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

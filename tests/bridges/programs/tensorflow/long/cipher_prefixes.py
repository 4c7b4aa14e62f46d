"""A recurrent model of old ciphers predicts each sign from all signs before it."""
import sys

import tensorflow as tf

SIGNS, WIDTH = 9, 10


class CipherCell(tf.Module):
    def __init__(self):
        super().__init__(name="cipher")
        def weights(rows, columns, phase, name):
            values = 0.5 * tf.sin(1.9 * tf.range(rows * columns, dtype=tf.float32) + phase)
            return tf.Variable(tf.reshape(values, [rows, columns]), name=name)
        self.enter = weights(SIGNS, WIDTH, 0.3, "enter")
        self.carry = weights(WIDTH, WIDTH, 1.2, "carry")
        self.tell = weights(WIDTH, SIGNS, 2.6, "tell")

    def step(self, state, sign):
        return tf.tanh(tf.gather(self.enter, sign) + state @ self.carry)  #!

    def logits(self, state):
        return state @ self.tell


class Reader:
    def __init__(self, cell):
        self.cell = cell

    def encode(self, prefix):
        state = tf.zeros([prefix.shape[0], WIDTH])
        for sign in tf.unstack(prefix, axis=1):
            state = self.cell.step(state, sign)  #~
        return state

    def surprise(self, texts):
        losses = []
        for place in range(1, texts.shape[1]):
            state = self.encode(texts[:, :place])  #~
            losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(texts[:, place], self.cell.logits(state)))
        return tf.reduce_mean(tf.stack(losses))


class CarryingReader(Reader):
    def surprise(self, texts):
        losses, state = [], tf.zeros([texts.shape[0], WIDTH])
        for place in range(1, texts.shape[1]):
            state = self.cell.step(state, texts[:, place - 1])
            losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(texts[:, place], self.cell.logits(state)))
        return tf.reduce_mean(tf.stack(losses))


def texts_of(day):
    return tf.constant([[(row * 5 + place * place + day) % SIGNS for place in range(14)] for row in range(4)])


def decipher(reader_type, days=3):
    cell = CipherCell()
    reader = reader_type(cell)
    variables = [cell.enter, cell.carry, cell.tell]
    for day in range(days):
        with tf.GradientTape() as tape:
            loss = reader.surprise(texts_of(day))
        gradients = [tf.convert_to_tensor(g) for g in tape.gradient(loss, variables)]
        for variable, gradient in zip(variables, gradients):
            variable.assign_sub(0.1 * gradient)
    return dict(zip(["enter", "carry", "tell"], gradients))


def broken():
    return decipher(Reader)


def fixed():
    return decipher(CarryingReader)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

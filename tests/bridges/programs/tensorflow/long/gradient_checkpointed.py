"""A deep stack that recomputes its blocks during the backward pass to save memory."""
import tensorflow as tf


class Block:
    def __init__(self, number):
        grid = tf.range(16.0) + float(number)
        self.kernel = tf.Variable(0.4 * tf.reshape(tf.sin(grid), [4, 4]), name=f"block_{number}")

    def __call__(self, inputs):
        return tf.tanh(tf.matmul(inputs, self.kernel)) + inputs


class Stack:
    def __init__(self, depth):
        self.blocks = [Block(number) for number in range(depth)]

    def __call__(self, inputs):
        for block in self.blocks:
            inputs = tf.recompute_grad(block.__call__)(inputs)
        return inputs

    def kernels(self):
        return {f"block_{number}": block.kernel for number, block in enumerate(self.blocks)}


class Training:
    def __init__(self):
        self.stack = Stack(depth=3)
        self.inputs = tf.reshape(tf.cos(tf.range(20.0)), [5, 4])
        self.wanted = tf.roll(self.inputs, 1, axis=1)

    def step(self, rate=0.05):
        kernels = self.stack.kernels()
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.stack(self.inputs) - self.wanted))
        grads = tape.gradient(loss, kernels)
        for name, grad in grads.items():
            kernels[name].assign_sub(rate * grad)
        return grads


def broken():
    training = Training()
    for _ in range(3):
        grads = training.step()
    return grads


if __name__ == "__main__":
    print(broken())

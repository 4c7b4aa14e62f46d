"""Counts grapes from large pictures: gradients of small parts of a batch are added up before each update."""
import tensorflow as tf


class GrapeNet(tf.Module):
    def __init__(self):
        super().__init__(name="grapes")
        self.edge = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(54.0) * 1.1), [3, 3, 1, 6]), name="edge")
        self.count = tf.Variable(0.3 * tf.cos(tf.range(6.0)), name="count")

    def __call__(self, pictures):
        maps = tf.nn.swish(tf.nn.conv2d(pictures, self.edge, 1, "SAME"))
        return tf.linalg.matvec(tf.reduce_mean(maps, axis=[1, 2]), self.count)


class Accumulator:
    """Parts of the batch are all that memory holds."""

    def __init__(self, weights):
        self.weights = weights
        self.sums = [tf.Variable(tf.zeros_like(weight), trainable=False) for weight in weights]
        self.parts = 0

    def add(self, grads):
        for total, grad in zip(self.sums, grads):
            total.assign_add(grad)
        self.parts += 1

    def apply(self, rate):
        for weight, total in zip(self.weights, self.sums):
            weight.assign_sub(rate * total / self.parts)
            total.assign(tf.zeros_like(total))
        self.parts = 0


def part_of(net, pictures, counts):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(pictures) - counts))
    return loss, tape.gradient(loss, {"edge": net.edge, "count": net.count})


def survey(rows=3, parts=4, size=4):
    net = GrapeNet()
    accumulator = Accumulator([net.edge, net.count])
    for row in range(rows):
        total = 0.0
        for part in range(parts):
            pictures = tf.reshape(tf.cos(tf.range(size * 256.0) * 0.03 + row + 0.2 * part), [size, 16, 16, 1])
            loss, grads = part_of(net, pictures, tf.reduce_sum(pictures, axis=[1, 2, 3]) / 256.0)
            accumulator.add(grads.values())
            total += float(loss)
        accumulator.apply(0.1)
        print(f"row {row}: {total / parts:.4f}")
    return grads


def broken():
    return survey()


if __name__ == "__main__":
    print(broken())

"""Tags of museum objects: gradients of two small batches are accumulated before each update of a large table."""
import sys

import tensorflow as tf

TAGS, WIDTH = 20000, 8


class Tagger:
    def __init__(self):
        self.table = tf.Variable(0.1 * tf.sin(tf.reshape(tf.range(float(TAGS * WIDTH)), [TAGS, WIDTH])), name="tags")
        self.score = tf.Variable(tf.ones([WIDTH, 1]), name="score")

    @property
    def weights(self):
        return [self.table, self.score]

    def loss(self, objects, liked):
        mean = tf.reduce_mean(tf.gather(self.table, objects), axis=1)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(liked, tf.squeeze(mean @ self.score, 1)))


class DenseAccumulator:
    def __init__(self, weights):
        self.sums = [tf.Variable(tf.zeros_like(weight), trainable=False) for weight in weights]

    def add(self, grads):
        for total, grad in zip(self.sums, grads):
            total.assign_add(tf.convert_to_tensor(grad))  #!

    def apply(self, optimizer, weights):
        optimizer.apply_gradients(zip([total.value() for total in self.sums], weights))
        for total in self.sums:
            total.assign(tf.zeros_like(total))


class SparseAccumulator:
    def __init__(self, weights):
        self.parts = [[] for _ in weights]

    def add(self, grads):
        for part, grad in zip(self.parts, grads):
            part.append(grad)

    def apply(self, optimizer, weights):
        rows = tf.IndexedSlices(tf.concat([g.values for g in self.parts[0]], 0), tf.concat([g.indices for g in self.parts[0]], 0), [TAGS, WIDTH])
        optimizer.apply_gradients(zip([rows, tf.add_n(self.parts[1])], weights))
        self.parts = [[] for _ in weights]


def batches(count):
    for number in range(count):
        objects = tf.reshape((tf.range(12) * 997 + number * 131) % TAGS, [4, 3])
        yield objects, tf.constant([1.0, 0.0, 1.0, 0.0])


def train(accumulator, rounds=4):
    tagger, optimizer = Tagger(), tf.keras.optimizers.SGD(0.1)
    accumulated = accumulator(tagger.weights)
    for number, (objects, liked) in enumerate(batches(rounds), 1):
        with tf.GradientTape() as tape:
            loss = tagger.loss(objects, liked)
        grads = tape.gradient(loss, tagger.weights)
        accumulated.add(grads)
        if number % 2 == 0:
            accumulated.apply(optimizer, tagger.weights)
    return {"score": grads[1]}


def broken():
    return train(DenseAccumulator)


def fixed():
    return train(SparseAccumulator)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Codes for photographs of stones: a codebook with a straight-through estimator, in a compiled loop with a TensorArray."""
import tensorflow as tf


class Codebook(tf.Module):
    def __init__(self):
        super().__init__(name="stones")
        self.encode = tf.Variable(0.5 * tf.reshape(tf.sin(tf.range(10.0)), [5, 2]), name="encode")
        self.codes = tf.Variable(tf.reshape(tf.linspace(-1.0, 1.0, 8), [4, 2]), name="codes")
        self.decode = tf.Variable(0.5 * tf.reshape(tf.cos(tf.range(10.0)), [2, 5]), name="decode")

    def nearest(self, vectors):
        distance = tf.reduce_sum(tf.square(vectors[:, None] - self.codes[None]), axis=2)
        return tf.gather(self.codes, tf.argmin(distance, axis=1))

    def loss(self, stones):
        vectors = tf.tanh(stones @ self.encode)
        codes = self.nearest(vectors)
        passed = vectors + tf.stop_gradient(codes - vectors)
        commit = tf.reduce_mean(tf.square(tf.stop_gradient(codes) - vectors))
        book = tf.reduce_mean(tf.square(codes - tf.stop_gradient(vectors)))
        return tf.reduce_mean(tf.square(passed @ self.decode - stones)) + book + 0.25 * commit

    @tf.function(input_signature=[tf.TensorSpec([None, None, 5])])
    def gradients(self, walls):
        losses = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        with tf.GradientTape() as tape:
            for number in tf.range(tf.shape(walls)[0]):
                losses = losses.write(number, self.loss(walls[number]))
            total = tf.reduce_mean(losses.stack())
        return tape.gradient(total, [self.encode, self.codes, self.decode])


def sort_stones(days=4):
    book, optimizer = Codebook(), tf.keras.optimizers.SGD(0.05)
    weights = [book.encode, book.codes, book.decode]
    for day in range(days):
        walls = tf.reshape(tf.cos(tf.range(40.0 + 20.0 * (day % 2)) * 0.3 + day), [2 + day % 2, 4, 5])
        grads = book.gradients(walls)
        optimizer.apply_gradients(zip(grads, weights))
    return dict(zip(("encode", "codes", "decode"), grads))


def broken():
    return sort_stones()


if __name__ == "__main__":
    print(broken())

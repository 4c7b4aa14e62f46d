"""Values of chess openings by a compiled evaluation; the epoch's mean is read to stop early, boards are padded to one length."""
import keras
import tensorflow as tf


def board(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.3), shape)


class Openings(keras.Model):
    def __init__(self, moves=12):
        super().__init__(name="openings")
        self.moves = keras.layers.Embedding(moves, 4, embeddings_initializer=board, mask_zero=True, name="moves")
        self.pool = keras.layers.GlobalAveragePooling1D(name="pool")
        self.worth = keras.layers.Dense(1, "tanh", kernel_initializer=board, name="worth")

    def call(self, games):
        return self.worth(self.pool(self.moves(games)))


class EarlyEnd:
    def __init__(self, least):
        self.least, self.best = least, float("inf")

    def over(self, mean):
        better = mean < self.best - self.least
        self.best = min(self.best, mean)
        return not better


@tf.function(reduce_retracing=True)
def learn(model, optimizer, games, won):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(games, training=True) - won))
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss, grads[1]


def games():
    lengths = tf.constant([3, 5, 4, 5, 2, 5, 1, 4])
    moves = 1 + tf.reshape(tf.range(40) * 7 % 11, [8, 5])
    padded = moves * tf.sequence_mask(lengths, 5, tf.int32)
    return padded, tf.cast(lengths % 2, tf.float32)[:, tf.newaxis] - 0.5


def broken():
    model, optimizer = Openings(), keras.optimizers.Adam(0.01)
    played, won = games()
    model(played[:1])
    optimizer.build(model.trainable_variables)
    data, end = tf.data.Dataset.from_tensor_slices((played, won)).batch(4), EarlyEnd(1e-5)
    for _ in range(4):
        losses = []
        for some, results in data:
            loss, kernel = learn(model, optimizer, some, results)
            losses.append(loss)
        if end.over(float(tf.add_n(losses)) / len(losses)):
            break
    return {"openings/worth/kernel": kernel}


if __name__ == "__main__":
    print(broken())

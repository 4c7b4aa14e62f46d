"""Two tasks that pull in different directions: where gradients disagree, one is projected onto the other's plane."""
import keras
import tensorflow as tf


def leaf(shape, dtype=None):
    return 0.5 * tf.reshape(tf.cos(tf.range(float(shape[0] * shape[1])) * 0.7 + 0.2), shape)


class Vineyard(keras.Model):
    def __init__(self):
        super().__init__(name="vineyard")
        self.shared = keras.layers.Dense(6, "tanh", kernel_initializer=leaf, name="shared")
        self.sugar = keras.layers.Dense(1, kernel_initializer=leaf, name="sugar")
        self.acid = keras.layers.Dense(1, kernel_initializer=leaf, name="acid")

    def call(self, rows):
        shared = self.shared(rows)
        return self.sugar(shared), self.acid(shared)


def flat(grads):
    return tf.concat([tf.reshape(grad, [-1]) for grad in grads], axis=0)


def projected(mine, other):
    """Mine, without what goes against the other."""
    along = tf.tensordot(flat(mine), flat(other), 1)
    share = tf.minimum(along, 0.0) / (tf.reduce_sum(tf.square(flat(other))) + 1e-12)
    return [m - share * o for m, o in zip(mine, other)]


class Grower:
    def __init__(self):
        self.model, self.optimizer = Vineyard(), keras.optimizers.SGD(0.05, momentum=0.9)

    def step(self, rows, sugar, acid):
        shared = self.model.shared
        with tf.GradientTape(persistent=True) as tape:
            first, second = self.model(rows, training=True)
            sugar_loss = tf.reduce_mean(tf.square(first - sugar))
            acid_loss = tf.reduce_mean(tf.square(second - acid))
        trunk = shared.trainable_variables
        by_sugar, by_acid = tape.gradient(sugar_loss, trunk), tape.gradient(acid_loss, trunk)
        heads = self.model.sugar.trainable_variables + self.model.acid.trainable_variables
        of_heads = tape.gradient(sugar_loss, heads[:2]) + tape.gradient(acid_loss, heads[2:])
        del tape
        both = [a + b for a, b in zip(projected(by_sugar, by_acid), projected(by_acid, by_sugar))]
        self.optimizer.apply_gradients(zip(both + of_heads, trunk + heads))
        return {"vineyard/shared/kernel": both[0], "vineyard/sugar/kernel": of_heads[0], "vineyard/acid/kernel": of_heads[2]}


def broken():
    grower = Grower()
    rows = tf.reshape(tf.sin(tf.range(24.0 * 5) * 0.31), [24, 5])
    grower.model(rows[:1])
    for start in range(0, 24, 8):
        some = rows[start : start + 8]
        grads = grower.step(some, tf.reduce_sum(some, 1, keepdims=True), -some[:, :1])
    return grads


if __name__ == "__main__":
    print(broken())

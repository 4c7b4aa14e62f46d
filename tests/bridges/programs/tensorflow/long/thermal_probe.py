"""Heat along a probe by a network that obeys the heat equation: a term for the equation, one for the ends."""
import tensorflow as tf


class Field(tf.keras.Model):
    def __init__(self):
        super().__init__(name="field")
        grow = tf.keras.initializers.Constant
        self.first = tf.keras.layers.Dense(6, activation="tanh", kernel_initializer=grow(0.4), bias_initializer=grow(0.1), name="first")
        self.last = tf.keras.layers.Dense(1, kernel_initializer=grow(0.2), name="last")

    def call(self, points):
        return self.last(self.first(points))


def residual(field, x, t):
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape(persistent=True) as first:
            first.watch([x, t])
            heat = field(tf.stack([x, t], axis=1))
        by_x = first.gradient(heat, x)
        by_t = first.gradient(heat, t)
        del first
    return by_t - 0.3 * second.gradient(by_x, x)


@tf.function
def train_step(field, optimizer, x, t):
    with tf.GradientTape() as tape:
        equation = tf.reduce_mean(tf.square(residual(field, x, t)))
        ends = field(tf.stack([tf.zeros_like(t), t], axis=1))
        loss = equation + tf.reduce_mean(tf.square(ends - 1.0))
    grads = tape.gradient(loss, field.trainable_variables)
    optimizer.apply_gradients(zip(grads, field.trainable_variables))
    return grads


def broken():
    field = Field()
    field(tf.zeros([1, 2]))
    optimizer = tf.keras.optimizers.Adam(0.01)
    optimizer.build(field.trainable_variables)
    for step in range(3):
        x = tf.linspace(0.1, 0.9, 8)
        grads = train_step(field, optimizer, x, tf.fill([8], 0.1 + 0.1 * step))
    return {"field/first/kernel": grads[0], "field/last/kernel": grads[2]}


if __name__ == "__main__":
    print(broken())

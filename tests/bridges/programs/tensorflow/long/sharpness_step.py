"""Flat minima for a model of bee dances: the loss is taken once to climb and once more from the raised weights."""
import tensorflow as tf


def slope(shape, dtype=None):
    return 0.3 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.61), shape)


class Dance(tf.keras.Model):
    def __init__(self):
        super().__init__(name="dance")
        self.waggle = tf.keras.layers.Dense(6, activation="tanh", kernel_initializer=slope, name="waggle")
        self.field = tf.keras.layers.Dense(2, kernel_initializer=slope, name="field")

    def call(self, dances):
        return self.field(self.waggle(dances))


class SharpnessAware:
    def __init__(self, model, rho=0.05):
        self.model, self.rho = model, rho
        self.optimizer = tf.keras.optimizers.SGD(0.1)

    def question(self, dances, fields):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(dances) - fields))
        return tape.gradient(loss, self.model.trainable_variables)

    def step(self, dances, fields):
        climb = self.question(dances, fields)
        scale = self.rho / (tf.linalg.global_norm(climb) + 1e-9)
        for variable, grad in zip(self.model.trainable_variables, climb):
            variable.assign_add(scale * grad)
        flat = self.question(dances, fields)
        for variable, grad in zip(self.model.trainable_variables, climb):
            variable.assign_sub(scale * grad)
        self.optimizer.apply_gradients(zip(flat, self.model.trainable_variables))
        return flat


def broken():
    trainer = SharpnessAware(Dance())
    for summer in range(3):
        dances = tf.sin(tf.reshape(tf.range(40.0), [10, 4]) * 0.27 + summer)
        grads = trainer.step(dances, tf.reverse(dances[:, :2], [0]))
    return {"dance/waggle/kernel": grads[0], "dance/field/kernel": grads[2]}


if __name__ == "__main__":
    print(broken())

"""A net learns from ski jump judges; if the loss no longer falls, the rate is halved."""
import tensorflow as tf


class Plateau:
    """Halves the rate where the loss has not fallen for some rounds."""

    def __init__(self, optimizer, patience=2):
        self.optimizer, self.patience = optimizer, patience
        self.best, self.waited = float("inf"), 0

    def saw(self, loss):
        value = float(loss)
        if value < self.best - 1e-4:
            self.best, self.waited = value, 0
            return
        self.waited += 1
        if self.waited >= self.patience:
            self.optimizer.learning_rate.assign(self.optimizer.learning_rate * 0.5)
            self.waited = 0


class Judge(tf.keras.Model):
    def __init__(self):
        super().__init__(name="judge")
        self.look = tf.keras.layers.Dense(8, "tanh", kernel_initializer="ones", name="look")
        self.mark = tf.keras.layers.Dense(1, kernel_initializer="ones", name="mark")

    def call(self, jumps):
        return self.mark(self.look(jumps))


def hill(rounds=8):
    judge = Judge()
    optimizer = tf.keras.optimizers.SGD(0.05, momentum=0.9)
    plateau = Plateau(optimizer)
    jumps = tf.reshape(tf.sin(tf.range(90.0) * 0.31), [30, 3])
    marks = tf.reduce_sum(jumps, axis=1, keepdims=True) * 0.4
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(judge(jumps) - marks))
        grads = tape.gradient(loss, judge.trainable_variables)
        optimizer.apply_gradients(zip(grads, judge.trainable_variables))
        plateau.saw(loss)
    return {"judge/look/kernel": grads[0], "judge/mark/kernel": grads[2]}


def broken():
    return hill()


if __name__ == "__main__":
    print(broken())

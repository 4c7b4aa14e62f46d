"""Cross-validation of a bee counter: a model per fold, one compiled step that is given the model."""
import sys

import tensorflow as tf


class Counter(tf.Module):
    def __init__(self, fold, width=3):
        super().__init__(name=f"fold_{fold}")
        self.hidden = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(2.0 * width)), [2, width]), name="hidden")
        self.out = tf.Variable(tf.ones([width, 1]) * 0.2, name="out")

    def __call__(self, weather):
        return tf.nn.softplus(tf.tanh(weather @ self.hidden) @ self.out)

    def copy_from(self, other):
        for mine, theirs in zip(self.variables, other.variables):
            mine.assign(theirs)
        return self


@tf.function
def train_step(model, weather, bees):
    with tf.GradientTape() as tape:
        rate = model(weather)
        loss = tf.reduce_mean(tf.nn.log_poisson_loss(bees, tf.math.log(rate)))
    grads = tape.gradient(loss, model.trainable_variables)
    for variable, grad in zip(model.trainable_variables, grads):
        variable.assign_sub(0.1 * grad)
    return loss


class CrossValidation:
    def __init__(self, folds=3, shared=False):
        self.weather = tf.reshape(tf.sin(tf.range(24.0) * 0.9), [12, 2])
        self.bees = tf.reshape(tf.cast(tf.range(12) % 4, tf.float32), [12, 1])
        self.folds = folds
        self.model = Counter("all") if shared else None

    def part(self, fold):
        rows = tf.boolean_mask(tf.range(12), tf.range(12) % self.folds != fold)
        return tf.gather(self.weather, rows), tf.gather(self.bees, rows)

    def run(self, epochs=2):
        scores = []
        for fold in range(self.folds):
            fresh = Counter(fold)
            model = self.model.copy_from(fresh) if self.model else fresh  #~
            weather, bees = self.part(fold)
            for _ in range(epochs):
                loss = train_step(model, weather, bees)  #!
            scores.append(float(loss))
        return scores


def broken():
    return {} if CrossValidation().run() else None


def fixed():
    return {} if CrossValidation(shared=True).run() else None


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

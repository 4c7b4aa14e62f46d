"""Cross-validates a model of grape sugar: every fold trains a net that starts anew, by a compiled step."""
import sys

import tensorflow as tf


class SugarNet(tf.Module):
    def __init__(self):
        super().__init__(name="sugar")
        self.leaf = tf.Variable(tf.zeros([4, 5]), name="leaf")
        self.grape = tf.Variable(tf.zeros([5]), name="grape")
        self.restart()

    def restart(self):
        self.leaf.assign(0.4 * tf.reshape(tf.sin(tf.range(20.0)), [4, 5]))
        self.grape.assign(0.4 * tf.cos(tf.range(5.0)))

    def __call__(self, vines):
        return tf.linalg.matvec(tf.nn.elu(vines @ self.leaf), self.grape)


def make_step(net, rate=0.05):
    def train_fold(vines, sugar):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(vines) - sugar))
        grads = tape.gradient(loss, [net.leaf, net.grape])
        net.leaf.assign_sub(rate * grads[0])
        net.grape.assign_sub(rate * grads[1])
        return grads

    return tf.function(train_fold)


class CrossValidation:
    def __init__(self, vines, sugar, folds=3):
        self.vines, self.sugar = tf.split(vines, folds), tf.split(sugar, folds)
        self.net, self.folds = SugarNet(), folds

    def rest(self, parts, left_out):
        return tf.concat([part for number, part in enumerate(parts) if number != left_out], axis=0)

    def step_of_fold(self):
        return make_step(self.net)

    def run(self, rounds=3):
        errors = []
        for left_out in range(self.folds):
            self.net.restart()
            step = self.step_of_fold()  #~
            vines, sugar = self.rest(self.vines, left_out), self.rest(self.sugar, left_out)
            for _ in range(rounds):
                grads = step(vines, sugar)  #!
            errors.append(tf.reduce_mean(tf.abs(self.net(self.vines[left_out]) - self.sugar[left_out])))
        return {"leaf": grads[0], "grape": grads[1]}


class SharedStep(CrossValidation):
    def step_of_fold(self):
        if not hasattr(self, "step"):
            self.step = make_step(self.net)
        return self.step


def vineyard(kind):
    vines = tf.reshape(tf.cos(tf.range(72.0) * 0.3), [18, 4])
    return kind(vines, tf.reduce_sum(vines[:, :2], axis=1)).run()


def broken():
    return vineyard(CrossValidation)


def fixed():
    return vineyard(SharedStep)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Brush strokes from a small GAN: two networks, two optimizers, two tapes."""
import sys

import tensorflow as tf


def wave(shape, speed, scale=0.4):
    size = tf.reduce_prod(shape)
    return tf.reshape(scale * tf.sin(tf.cast(tf.range(size), tf.float32) * speed), shape)


class Painter(tf.Module):
    def __init__(self):
        super().__init__(name="painter")
        self.w1 = tf.Variable(wave([3, 6], 0.9), name="painter_w1")
        self.w2 = tf.Variable(wave([6, 4], 1.7), name="painter_w2")

    def __call__(self, noise):
        return tf.tanh(tf.nn.leaky_relu(noise @ self.w1) @ self.w2)


class Expert(tf.Module):
    def __init__(self):
        super().__init__(name="expert")
        self.w = tf.Variable(wave([4, 5], 0.6), name="expert_w")
        self.out = tf.Variable(wave([5, 1], 2.1), name="expert_out")

    def __call__(self, strokes):
        return tf.nn.leaky_relu(strokes @ self.w) @ self.out


def cross_entropy(target, logits):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(tf.fill(tf.shape(logits), target), logits))


class Studio:
    def __init__(self):
        self.painter, self.expert = Painter(), Expert()
        self.painter_rate, self.expert_rate = 0.05, 0.02

    def update(self, variables, grads, rate):
        for variable, grad in zip(variables, grads):
            if grad is not None:
                variable.assign_sub(rate * grad)

    def judged(self, strokes, noise):
        with tf.GradientTape() as painting:
            fakes = self.painter(noise)
        with tf.GradientTape() as judging:
            real_logits = self.expert(strokes)
            fake_logits = self.expert(fakes)  #!
            expert_loss = cross_entropy(1.0, real_logits) + cross_entropy(0.0, fake_logits)
            painter_loss = cross_entropy(1.0, fake_logits)  #~
        return painting, judging, painter_loss, expert_loss

    def judged_together(self, strokes, noise):
        with tf.GradientTape() as painting, tf.GradientTape() as judging:
            fakes = self.painter(noise)
            real_logits, fake_logits = self.expert(strokes), self.expert(fakes)
            expert_loss = cross_entropy(1.0, real_logits) + cross_entropy(0.0, fake_logits)
            painter_loss = cross_entropy(1.0, fake_logits)
        return painting, judging, painter_loss, expert_loss

    def train(self, look, rounds=3):
        strokes = wave([8, 4], 0.31, 1.0)
        for turn in range(rounds):
            noise = wave([8, 3], 0.17 + turn, 1.0)
            painting, judging, painter_loss, expert_loss = look(strokes, noise)
            painted = painting.gradient(painter_loss, self.painter.trainable_variables)
            judged = judging.gradient(expert_loss, self.expert.trainable_variables)
            self.update(self.painter.trainable_variables, painted, self.painter_rate)
            self.update(self.expert.trainable_variables, judged, self.expert_rate)
        names = [v.name.split(":")[0] for v in self.painter.trainable_variables + self.expert.trainable_variables]
        return dict(zip(names, [*painted, *judged]))


def broken():
    studio = Studio()
    return studio.train(studio.judged)


def fixed():
    studio = Studio()
    return studio.train(studio.judged_together)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

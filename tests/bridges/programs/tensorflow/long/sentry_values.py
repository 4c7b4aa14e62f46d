"""A sentry learns where to look: values of directions by a double network, whose copy follows slowly and is never trained."""
import sys

import keras
import tensorflow as tf

LOOKS, FACTS, DIRECTIONS = 32, 6, 4


def gaze(shape, dtype=None):
    return 0.35 * tf.reshape(tf.sin(tf.range(float(shape[0] * shape[1])) * 0.73), shape)


def values(name):
    return keras.Sequential(
        [
            keras.Input((FACTS,)),
            keras.layers.Dense(10, "relu", kernel_initializer=gaze, bias_initializer="ones", name="see"),
            keras.layers.Dense(DIRECTIONS, kernel_initializer=gaze, name="worth"),
        ],
        name=name,
    )


class Sentry:
    def __init__(self, discount=0.9, follow=0.05):
        self.online, self.copy = values("online"), values("copy")
        self.copy.set_weights(self.online.get_weights())
        self.copy.trainable = False
        self.discount, self.follow = discount, follow
        self.optimizer = keras.optimizers.Adam(1e-3, clipnorm=1.0)

    def goals(self, reward, after, ended):
        chosen = tf.argmax(self.online(after), axis=1)
        worth = tf.gather(self.copy(after), chosen, batch_dims=1)
        return tf.stop_gradient(reward + self.discount * (1.0 - ended) * worth)

    @tf.function(reduce_retracing=True)
    def learn(self, before, direction, reward, after, ended):
        goals = self.goals(reward, after, ended)
        with tf.GradientTape() as tape:
            worth = tf.reduce_sum(self.online(before) * tf.one_hot(direction, DIRECTIONS), axis=1)
            loss = tf.reduce_mean(keras.losses.huber(goals[:, None], worth[:, None]))
        grads = tape.gradient(loss, self.online.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.online.trainable_variables))
        for mine, other in zip(self.copy.variables, self.online.variables):
            mine.assign(mine + self.follow * (other - mine))
        return loss, grads


def watch():
    sentry = Sentry()
    sentry.optimizer.build(sentry.online.trainable_variables)
    before = tf.reshape(tf.cos(tf.range(float(LOOKS * FACTS)) * 0.27), [LOOKS, FACTS])
    after = tf.roll(before, 1, axis=0)
    direction, reward = tf.range(LOOKS) % DIRECTIONS, tf.tanh(before[:, 0])
    ended = tf.cast(tf.range(LOOKS) % 8 == 7, tf.float32)
    for night in range(4):
        loss, grads = sentry.learn(before, direction, reward, after, ended)
    return {w.path: g for w, g in zip(sentry.online.trainable_variables, grads)}


def broken():
    return watch()


if __name__ == "__main__":
    print(broken())

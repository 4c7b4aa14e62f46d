"""An actor and a critic for the digger of a quarry share one look at the ground; each has an optimizer."""
import sys

import keras
import tensorflow as tf


def rough(phase):
    return lambda shape, dtype=None: 0.5 * tf.reshape(tf.sin(1.1 * tf.range(shape[0] * shape[1], dtype=tf.float32) + phase), shape)


class Digger(keras.Model):
    def __init__(self):
        super().__init__(name="digger")
        self.look = keras.layers.Dense(6, activation="tanh", kernel_initializer=rough(0.4), name="look")
        self.actor = keras.layers.Dense(3, kernel_initializer=rough(1.3), name="actor")
        self.critic = keras.layers.Dense(1, kernel_initializer=rough(2.2), name="critic")

    def call(self, ground):
        seen = self.look(ground)
        return self.actor(seen), self.critic(seen)[:, 0]


class Shift:
    persistent = False

    def __init__(self):
        self.digger = Digger()
        self.actor_optimizer = keras.optimizers.SGD(0.05)
        self.critic_optimizer = keras.optimizers.SGD(0.1)

    def losses(self, ground, done, paid):
        logits, value = self.digger(ground)
        gain = tf.stop_gradient(paid - value)
        surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(done, logits)
        return tf.reduce_mean(gain * surprise), tf.reduce_mean(tf.square(paid - value))

    def improve(self, tape, loss, optimizer, weights):
        slopes = tape.gradient(loss, weights)  #!
        optimizer.apply_gradients(zip(slopes, weights))
        return {weight.path: slope for weight, slope in zip(weights, slopes)}

    def work(self, ground, done, paid):
        with tf.GradientTape(persistent=self.persistent) as tape:
            actor_loss, critic_loss = self.losses(ground, done, paid)
        found = self.improve(tape, critic_loss, self.critic_optimizer, self.digger.critic.trainable_variables)  #~
        found.update(self.improve(tape, actor_loss, self.actor_optimizer, self.digger.actor.trainable_variables))  #~
        return found


class KeptShift(Shift):
    persistent = True


def morning(shift):
    ground = tf.reshape(tf.cos(0.7 * tf.range(24.0)), [6, 4])
    return shift.work(ground, tf.constant([0, 1, 2, 0, 1, 2]), tf.reduce_sum(ground, axis=1))


def broken():
    return morning(Shift())


def fixed():
    return morning(KeptShift())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

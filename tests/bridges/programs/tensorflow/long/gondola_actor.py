"""An actor and a critic steer a gondola; each has its own tape and optimizer."""
import sys

import tensorflow as tf


def dense(units, name):
    return tf.keras.layers.Dense(units, kernel_initializer=tf.keras.initializers.Constant(0.2), name=name)


class Pilot:
    def __init__(self):
        self.actor = tf.keras.Sequential([tf.keras.Input([2]), dense(3, "oar")], name="actor")
        self.critic = tf.keras.Sequential([tf.keras.Input([2]), dense(1, "worth")], name="critic")
        self.actor_rule = tf.keras.optimizers.Adam(0.01)
        self.critic_rule = tf.keras.optimizers.Adam(0.02)

    def act(self, canal):
        return tf.argmax(self.actor(canal), 1)  #!

    def learn_critic(self, canal, returns):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.critic(canal)[:, 0] - returns))
        grads = tape.gradient(loss, self.critic.trainable_variables)
        self.critic_rule.apply_gradients(zip(grads, self.critic.trainable_variables))
        return grads

    def learn_actor(self, canal, returns, by_log):
        advantage = returns - self.critic(canal)[:, 0]
        with tf.GradientTape() as tape:
            chosen = self.act(canal)  #~
            if by_log:
                logs = tf.nn.log_softmax(self.actor(canal))
                picked = tf.gather(logs, chosen, batch_dims=1)
            else:
                picked = tf.cast(chosen, tf.float32)  #~
            loss = -tf.reduce_mean(picked * advantage)
        grads = tape.gradient(loss, self.actor.trainable_variables)
        if grads[0] is not None:
            self.actor_rule.apply_gradients(zip(grads, self.actor.trainable_variables))
        return grads


def row(by_log, trips=3):
    pilot = Pilot()
    for trip in range(trips):
        canal = tf.reshape(tf.sin(tf.range(8.0) + trip), [4, 2])
        returns = tf.reduce_sum(canal, 1)
        critic = pilot.learn_critic(canal, returns)
        actor = pilot.learn_actor(canal, returns, by_log)
    return {"actor/oar/kernel": actor[0], "actor/oar/bias": actor[1], "critic/worth/kernel": critic[0], "critic/worth/bias": critic[1]}


def broken():
    return row(False)


def fixed():
    return row(True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Returns of swallows by REINFORCE, episode by episode, in a compiled step; the baseline moves. All is well."""
import sys

import tensorflow as tf


class Policy(tf.Module):
    def __init__(self):
        super().__init__(name="policy")
        self.wings = tf.Variable(0.1 * tf.ones([2, 3]), name="wings")
        self.lean = tf.Variable(tf.zeros([3]), name="lean")
        self.baseline = tf.Variable(0.0, trainable=False, name="baseline")

    def logits(self, winds):
        return winds @ self.wings + self.lean


@tf.custom_gradient
def damped(values):
    def back(upstream):
        return 0.5 * upstream
    return values, back


def discounted(rewards, by=0.9):
    kept = tf.scan(lambda total, reward: by * total + reward, tf.reverse(rewards, [0]), tf.constant(0.0))
    return tf.reverse(kept, [0])


def make_step(policy, optimizer):
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int32), tf.TensorSpec([None])])
    def step(winds, turns, rewards):
        returns = discounted(rewards)
        policy.baseline.assign(0.9 * policy.baseline + 0.1 * tf.reduce_mean(returns))
        with tf.GradientTape() as tape:
            logs = tf.nn.log_softmax(damped(policy.logits(winds)))
            picked = tf.gather(logs, turns, batch_dims=1)
            loss = -tf.reduce_mean(picked * tf.stop_gradient(returns - policy.baseline))
        grads = tape.gradient(loss, [policy.wings, policy.lean])
        optimizer.apply_gradients(zip(grads, [policy.wings, policy.lean]))
        return grads

    return step


def broken():
    policy = Policy()
    step = make_step(policy, tf.keras.optimizers.RMSprop(0.01))
    for episode in range(4):
        length = 5 + episode
        winds = tf.reshape(tf.sin(tf.range(2.0 * length) + episode), [length, 2])
        wings, lean = step(winds, tf.range(length) % 3, tf.cos(tf.range(float(length))))
    return {"wings": wings, "lean": lean}


if __name__ == "__main__":
    print(broken())

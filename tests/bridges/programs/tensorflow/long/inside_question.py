"""Actor and critic of a lift share a tape, and each is updated as soon as its loss is known."""
import sys

import tensorflow as tf


class Lift(tf.Module):
    def __init__(self):
        super().__init__(name="lift")
        self.actor = tf.Variable(tf.reshape(0.4 * tf.sin(tf.range(12.0)), [4, 3]), name="actor")
        self.critic = tf.Variable(tf.reshape(0.4 * tf.cos(tf.range(4.0)), [4, 1]), name="critic")


def losses(lift, floors, moves, rewards):
    values = tf.squeeze(floors @ lift.critic, axis=1)
    advantage = rewards - values
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(moves, floors @ lift.actor)
    return tf.reduce_mean(entropy * tf.stop_gradient(advantage)), tf.reduce_mean(tf.square(advantage))


def asked_inside(lift, *batch):
    with tf.GradientTape(persistent=True) as tape:
        acting, judging = losses(lift, *batch)
        by_actor = tape.gradient(acting, lift.actor)  #!
        by_critic = tape.gradient(judging, lift.critic)  #~
    return by_actor, by_critic


def asked_after(lift, *batch):
    with tf.GradientTape(persistent=True) as tape:
        acting, judging = losses(lift, *batch)
    return tape.gradient(acting, lift.actor), tape.gradient(judging, lift.critic)


def train(step, rounds=4, rate=0.05):
    lift = Lift()
    for turn in range(rounds):
        floors = tf.reshape(tf.sin(tf.range(24.0) * 0.3 + float(turn)), [6, 4])
        rewards = tf.cos(tf.range(6.0) + float(turn))
        by_actor, by_critic = step(lift, floors, tf.range(6) % 3, rewards)
        lift.actor.assign_sub(rate * by_actor)
        lift.critic.assign_sub(rate * by_critic)
    return {"actor": by_actor, "critic": by_critic}


def broken():
    return train(asked_inside)


def fixed():
    return train(asked_after)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

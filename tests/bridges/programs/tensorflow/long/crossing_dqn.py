"""A pedestrian crossing learns when to turn green: double Q-learning with a target that follows slowly."""
import tensorflow as tf


def network(name):
    start = tf.keras.initializers.Constant
    return tf.keras.Sequential([
        tf.keras.Input([3]),
        tf.keras.layers.Dense(6, activation="relu", kernel_initializer=start(0.3), bias_initializer=start(0.1), name="wait"),
        tf.keras.layers.Dense(2, kernel_initializer=start(0.2), name="light"),
    ], name=name)


class Crossing:
    def __init__(self, patience=0.95, speed=0.1):
        self.online, self.target = network("online"), network("target")
        self.target.set_weights(self.online.get_weights())
        self.patience, self.speed = patience, speed
        self.optimizer = tf.keras.optimizers.Adam(0.005)

    def goal(self, rewards, following, over):
        best = tf.argmax(self.online(following), axis=1)
        worth = tf.gather(self.target(following), best, batch_dims=1)
        return tf.stop_gradient(rewards + self.patience * (1.0 - over) * worth)

    @tf.function
    def learn(self, states, actions, rewards, following, over):
        goal = self.goal(rewards, following, over)
        with tf.GradientTape() as tape:
            taken = tf.gather(self.online(states), actions, batch_dims=1)
            loss = tf.reduce_mean(tf.keras.losses.huber(goal[:, None], taken[:, None]))
        grads = tape.gradient(loss, self.online.trainable_variables)
        grads, _ = tf.clip_by_global_norm(grads, 10.0)
        self.optimizer.apply_gradients(zip(grads, self.online.trainable_variables))
        for slow, fast in zip(self.target.variables, self.online.variables):
            slow.assign(self.speed * fast + (1.0 - self.speed) * slow)
        return grads


def broken():
    crossing = Crossing()
    for minute in range(4):
        states = tf.abs(tf.sin(tf.reshape(tf.range(18.0), [6, 3]) + minute))
        following = tf.abs(tf.cos(tf.reshape(tf.range(18.0), [6, 3]) + minute))
        over = tf.constant([0.0, 0.0, 1.0, 0.0, 1.0, 0.0])
        grads = crossing.learn(states, tf.constant([0, 1, 1, 0, 0, 1]), -tf.reduce_sum(states, axis=1), following, over)
    return {"online/wait/kernel": grads[0], "online/light/kernel": grads[2]}


if __name__ == "__main__":
    print(broken())

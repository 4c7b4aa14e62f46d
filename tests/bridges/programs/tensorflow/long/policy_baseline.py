"""A policy gradient with a learned baseline: two optimizers, two tapes and stopped advantages."""
import keras
import tensorflow as tf


class Policy(tf.Module):
    def __init__(self):
        super().__init__(name="policy")
        self.kernel = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(8.0)), [4, 2]), name="policy_kernel")

    def log_probabilities(self, states):
        return tf.nn.log_softmax(tf.matmul(states, self.kernel))


class Baseline(tf.Module):
    def __init__(self):
        super().__init__(name="baseline")
        self.kernel = tf.Variable([[0.2], [0.1], [-0.3], [0.4]], name="baseline_kernel")

    def __call__(self, states):
        return tf.matmul(states, self.kernel)[:, 0]


class Learner:
    def __init__(self):
        self.policy, self.baseline = Policy(), Baseline()
        self.policy_optimizer = keras.optimizers.SGD(0.1)
        self.baseline_optimizer = keras.optimizers.SGD(0.2)

    def act(self, states):
        return tf.argmax(self.policy.log_probabilities(states), axis=1)

    def learn(self, states, returns):
        actions = self.act(states)
        with tf.GradientTape() as baseline_tape:
            error = tf.reduce_mean(tf.square(self.baseline(states) - returns))
        advantage = returns - self.baseline(states)
        with tf.GradientTape() as policy_tape:
            chosen = tf.gather(self.policy.log_probabilities(states), actions, batch_dims=1)
            loss = -tf.reduce_mean(chosen * tf.stop_gradient(advantage))
        d_baseline = baseline_tape.gradient(error, self.baseline.kernel)
        d_policy = policy_tape.gradient(loss, self.policy.kernel)
        self.baseline_optimizer.apply_gradients([(d_baseline, self.baseline.kernel)])
        self.policy_optimizer.apply_gradients([(d_policy, self.policy.kernel)])
        return {"policy_kernel": d_policy, "baseline_kernel": d_baseline}


def broken():
    learner = Learner()
    states = tf.reshape(tf.cos(tf.range(24.0)), [6, 4])
    returns = tf.linspace(-1.0, 1.0, 6)
    for _ in range(3):
        grads = learner.learn(states, returns)
    return grads


if __name__ == "__main__":
    print(broken())

"""A critic with a gradient penalty: the inner gradient is part of the outer loss, as it should be."""
import tensorflow as tf


class Critic(tf.Module):
    def __init__(self):
        super().__init__(name="critic")
        self.kernel = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(15.0)), [5, 3]), name="kernel")
        self.head = tf.Variable([[0.6], [-0.5], [0.2]], name="head")

    def __call__(self, points):
        return tf.matmul(tf.nn.softplus(tf.matmul(points, self.kernel)), self.head)


class Game:
    def __init__(self, penalty=10.0):
        self.critic, self.penalty = Critic(), penalty
        self.real = tf.reshape(tf.cos(tf.range(20.0)), [4, 5])
        self.fake = tf.stop_gradient(tf.reshape(tf.sin(tf.range(20.0)), [4, 5]))

    def slope_penalty(self):
        share = tf.reshape(tf.linspace(0.2, 0.8, 4), [4, 1])
        points = share * self.real + (1.0 - share) * self.fake
        with tf.GradientTape() as inner:
            inner.watch(points)
            scores = self.critic(points)
        slopes = inner.gradient(scores, points)
        length = tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1) + 1e-12)
        return tf.reduce_mean(tf.square(length - 1.0))

    def step(self, rate=0.01):
        sources = {"kernel": self.critic.kernel, "head": self.critic.head}
        with tf.GradientTape() as tape:
            gap = tf.reduce_mean(self.critic(self.fake)) - tf.reduce_mean(self.critic(self.real))
            loss = gap + self.penalty * self.slope_penalty()
        grads = tape.gradient(loss, sources)
        for name, grad in grads.items():
            sources[name].assign_sub(rate * grad)
        return grads


def broken():
    game = Game()
    for _ in range(4):
        grads = game.step()
    return grads


if __name__ == "__main__":
    print(broken())

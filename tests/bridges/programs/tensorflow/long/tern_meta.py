"""Meta-learning of terns' dives: an inner step with plain tensors, second derivatives, a persistent inner tape asked twice."""
import tensorflow as tf


def dive(weights, depths):
    return tf.tanh(depths @ weights["wing"]) @ weights["beak"]


class Meta(tf.Module):
    def __init__(self):
        super().__init__(name="meta")
        self.start = {
            "wing": tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(12.0)), [3, 4]), name="wing"),
            "beak": tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(4.0)), [4, 1]), name="beak"),
        }
        self.rate = tf.Variable(0.1, name="rate")

    def adapt(self, depths, times):
        weights = {name: tf.identity(value) for name, value in self.start.items()}
        with tf.GradientTape() as inner:
            inner.watch(weights)
            miss = tf.reduce_mean(tf.square(dive(weights, depths) - times))
        slopes = inner.gradient(miss, weights)
        return {name: weights[name] - self.rate * slopes[name] for name in weights}


def colony(number):
    depths = tf.reshape(tf.cos(tf.range(15.0) * 0.4 + number), [5, 3])
    return depths, tf.reduce_sum(depths, axis=1, keepdims=True) * (0.2 + 0.1 * number)


def learn(rounds=3):
    meta, optimizer = Meta(), tf.keras.optimizers.SGD(0.05)
    sources = {"wing": meta.start["wing"], "beak": meta.start["beak"], "rate": meta.rate}
    for number in range(rounds):
        depths, times = colony(float(number))
        with tf.GradientTape() as outer:
            adapted = meta.adapt(depths[:3], times[:3])
            loss = tf.reduce_mean(tf.square(dive(adapted, depths[3:]) - times[3:]))
        grads = outer.gradient(loss, sources)
        optimizer.apply_gradients([(grads[name], sources[name]) for name in sources])
    return grads


def broken():
    return learn()


if __name__ == "__main__":
    print(broken())

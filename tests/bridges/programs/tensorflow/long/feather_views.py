"""Learns feathers without labels: an online network predicts what a slow copy of it makes of another view."""

import tensorflow as tf


class Projector(tf.Module):
    def __init__(self, widths, trainable=True, name="online"):
        super().__init__(name=name)
        self.layers = []
        for index, (given, made) in enumerate(zip(widths, widths[1:])):
            start = 0.5 * tf.reshape(tf.sin(tf.range(float(given * made)) + float(index)), [given, made])
            self.layers.append(tf.Variable(start, trainable=trainable, name=f"{name}_{index}"))

    def __call__(self, x):
        for weight in self.layers[:-1]:
            x = tf.tanh(x @ weight)
        return x @ self.layers[-1]


def agreement(predicted, target):
    predicted = tf.math.l2_normalize(predicted, axis=-1)
    target = tf.math.l2_normalize(target, axis=-1)
    return 2.0 - 2.0 * tf.reduce_mean(tf.reduce_sum(predicted * target, axis=-1))


class SlowCopy:
    def __init__(self, online, decay):
        self.online, self.decay = online, decay
        self.copy = Projector([6, 5, 4], trainable=False, name="slow")
        for mine, theirs in zip(self.copy.layers, online.layers):
            mine.assign(theirs)

    def follow(self):
        for mine, theirs in zip(self.copy.layers, self.online.layers):
            mine.assign(self.decay * mine + (1.0 - self.decay) * theirs)


class Views:
    """Two views of a feather: brighter, and mirrored."""

    def __init__(self, feathers):
        self.feathers = feathers

    def __iter__(self):
        for start in range(0, 24, 8):
            batch = self.feathers[start : start + 8]
            yield 1.2 * batch, tf.reverse(batch, [1])


def broken():
    online = Projector([6, 5, 4])
    predictor = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(16.0)), [4, 4]), name="predictor")
    slow = SlowCopy(online, decay=0.9)
    feathers = tf.reshape(tf.sin(tf.range(24.0 * 6) * 0.33), [24, 6])
    learned = {**{weight.name.split(":")[0]: weight for weight in online.layers}, "predictor": predictor}
    for _ in range(2):
        for bright, mirrored in Views(feathers):
            targets = [tf.stop_gradient(slow.copy(view)) for view in (mirrored, bright)]
            with tf.GradientTape() as tape:
                loss = sum(agreement(online(v) @ predictor, t) for v, t in zip((bright, mirrored), targets))
            grads = tape.gradient(loss, learned)
            for name, grad in grads.items():
                learned[name].assign_sub(0.1 * grad)
            slow.follow()
    return grads


if __name__ == "__main__":
    print(broken())

"""Accumulates gradients of patches of pictures in variables and applies them every third patch; nothing is wrong."""
import tensorflow as tf


class Accumulation:
    """Sums in variables that do not learn; unconnected parts count as zero on purpose."""

    def __init__(self, variables, every):
        self.variables, self.every = list(variables), every
        self.sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in self.variables]
        self.count = 0

    def add(self, grads):
        for total, grad in zip(self.sums, grads):
            total.assign_add(grad)
        self.count += 1
        if self.count % self.every == 0:
            for variable, total in zip(self.variables, self.sums):
                variable.assign_sub(0.1 * total / self.every)
                total.assign(tf.zeros_like(total))


class Lanterns(tf.Module):
    def __init__(self):
        super().__init__(name="lanterns")
        self.filters = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(27.0)), [3, 3, 1, 3]), name="filters")
        self.light = tf.Variable(tf.reshape([0.5, -0.4, 0.3], [3, 1]), name="light")
        self.dark = tf.Variable(tf.reshape([0.2, 0.1, -0.3], [3, 1]), name="dark")

    def __call__(self, patch, lit):
        maps = tf.nn.softplus(tf.nn.conv2d(patch, self.filters, 1, "SAME"))
        pooled = tf.reduce_mean(maps, axis=[1, 2])
        return pooled @ (self.light if lit else self.dark)


def patches():
    for place in range(6):
        shade = tf.reshape(tf.sin(tf.range(32.0) * 0.2 + float(place)), [2, 4, 4, 1])
        yield shade, place % 2 == 0, tf.reshape(tf.reduce_mean(shade, axis=[1, 2]), [2, 1])


def broken():
    model = Lanterns()
    accumulation = Accumulation(model.trainable_variables, every=3)
    for patch, lit, brightness in patches():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(patch, lit) - brightness))
        grads = tape.gradient(loss, model.trainable_variables, unconnected_gradients=tf.UnconnectedGradients.ZERO)
        accumulation.add(grads)
    with tf.GradientTape() as tape:
        loss = tf.add_n([tf.reduce_mean(tf.square(model(patch, lit) - level)) for patch, lit, level in patches()])
    return tape.gradient(loss, {"filters": model.filters, "light": model.light, "dark": model.dark})


if __name__ == "__main__":
    print(broken())

"""Glazes for many kilns: weights are moved towards what a few steps at each kiln make of them, and put back in between."""
import tensorflow as tf


class Glaze(tf.Module):
    def __init__(self):
        super().__init__(name="glaze")
        grid = tf.range(15.0)
        self.mix = tf.Variable(0.5 * tf.reshape(tf.sin(grid), [3, 5]), name="mix")
        self.fire = tf.Variable(0.4 * tf.reshape(tf.cos(grid[:5]), [5, 1]), name="fire")

    def __call__(self, recipes):
        return tf.nn.elu(recipes @ self.mix) @ self.fire


def kiln(number):
    recipes = tf.reshape(tf.cos(tf.range(18.0) * 0.4 + float(number)), [6, 3])
    return recipes, tf.reduce_sum(recipes, axis=1, keepdims=True) + 0.1 * float(number)


class Reptile:
    def __init__(self, glaze, inner, outer):
        self.glaze, self.inner, self.outer = glaze, inner, outer

    def visit(self, number, steps=3):
        """A few plain steps at one kiln."""
        recipes, colours = kiln(number)
        sources = {"mix": self.glaze.mix, "fire": self.glaze.fire}
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self.glaze(recipes) - colours))
            grads = tape.gradient(loss, sources)
            for name, source in sources.items():
                source.assign_sub(self.inner * grads[name])
        return grads

    def round(self, numbers):
        start = [weight.read_value() for weight in self.glaze.trainable_variables]
        moved = [tf.zeros_like(weight) for weight in start]
        for number in numbers:
            grads = self.visit(number)
            for place, weight in enumerate(self.glaze.trainable_variables):
                moved[place] += weight - start[place]
                weight.assign(start[place])
        for weight, way in zip(self.glaze.trainable_variables, moved):
            weight.assign_add(self.outer * way / float(len(numbers)))
        return grads


def broken():
    reptile = Reptile(Glaze(), inner=0.05, outer=0.5)
    for numbers in ((0, 1), (2, 3), (1, 4)):
        grads = reptile.round(numbers)
    return grads


if __name__ == "__main__":
    print(broken())

"""A glider's polar: a batch Jacobian gives the slopes of sink and lift, a scan flies it, one tape serves two questions."""
import tensorflow as tf


class Polar(tf.Module):
    def __init__(self):
        super().__init__("polar")
        self.shape = tf.Variable([[0.5, -0.2], [0.1, 0.3]], name="shape")
        self.weight = tf.Variable(1.2, name="weight")

    def __call__(self, air):
        return tf.tanh(air @ self.shape) / self.weight

    @tf.function(reduce_retracing=True)
    def slopes(self, air):
        with tf.GradientTape() as tape:
            tape.watch(air)
            polar = self(air)
        return polar, tape.batch_jacobian(polar, air)


def height(polar, air):
    """Flies through all of the air, with what is left of the height before."""
    return tf.scan(lambda before, gust: 0.8 * before + polar(gust[None])[0], air, tf.zeros([2]))


def plan(rounds=2):
    polar = Polar()
    for k in range(rounds):
        air = tf.reshape(tf.sin(tf.range(8.0) + k), [4, 2])
        with tf.GradientTape(persistent=True) as tape:
            values, jacobian = polar.slopes(air)
            flown = height(polar, air)
            smooth = tf.reduce_mean(tf.square(jacobian))
            miss = tf.reduce_mean(tf.square(flown - 0.3)) + tf.reduce_sum(tf.square(values)) * 0.01
        sources = {"shape": polar.shape, "weight": polar.weight}
        by_miss, by_smooth = tape.gradient(miss, sources), tape.gradient(smooth, sources)
        del tape
        for name, source in sources.items():
            source.assign_sub(0.1 * (by_miss[name] + 0.1 * by_smooth[name]))
    return by_miss


def broken():
    return plan()


if __name__ == "__main__":
    print(broken())

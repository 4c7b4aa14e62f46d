"""Two figures of cable cars share one tape: swing for the cabin, wear for the rope."""
import tensorflow as tf


class CableCar(tf.Module):
    def __init__(self):
        super().__init__(name="car")
        self.cabin = tf.Variable(0.4 * tf.reshape(tf.sin(tf.range(32.0)), [4, 8]), name="cabin")
        self.rope = tf.Variable(0.4 * tf.reshape(tf.cos(tf.range(32.0)), [4, 8]), name="rope")

    def swing(self, wind):
        return tf.reduce_mean(tf.square(tf.sin(wind @ self.cabin)))

    def wear(self, wind):
        return tf.reduce_mean(tf.abs(tf.tanh(wind @ self.rope)) * (1.0 + self.swing(wind)))


def season(days=5):
    car = CableCar()
    slow, fast = tf.keras.optimizers.SGD(0.05), tf.keras.optimizers.Adam(0.02)
    for day in range(days):
        wind = tf.reshape(tf.cos(tf.range(240.0) * 0.09 + day), [60, 4])
        with tf.GradientTape(persistent=True) as tape:
            swing, wear = car.swing(wind), car.wear(tf.reverse(wind, [0]))
        cabin = tape.gradient(swing, car.cabin)
        rope = tape.gradient(wear, car.rope)
        del tape
        slow.apply_gradients([(cabin, car.cabin)])
        fast.apply_gradients([(rope, car.rope)])
    return {"cabin": cabin, "rope": rope}


def broken():
    return season()


if __name__ == "__main__":
    print(broken())

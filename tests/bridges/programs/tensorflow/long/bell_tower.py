"""Models the sound of bells: partials are summed in Python by py_function, inside a compiled step."""
import tensorflow as tf


def ring(time, decay, tone):
    """Runs eagerly: the number of partials depends on how loud they still are."""
    sound, number = tf.zeros_like(time), 1
    loudest = 1.0
    while loudest > 0.2 and number < 6:
        part = tf.exp(-decay * number * time) * tf.sin(6.28 * tone * number * time) / float(number)
        sound += part
        loudest = float(tf.reduce_max(tf.abs(part)))
        number += 1
    return sound


class Bell(tf.Module):
    def __init__(self):
        super().__init__(name="bell")
        self.decay = tf.Variable(0.6, name="decay")
        self.tone = tf.Variable(0.9, name="tone")
        self.gain = tf.Variable(0.8, name="gain")

    def __call__(self, time):
        sound = tf.py_function(ring, [time, self.decay.read_value(), self.tone.read_value()], tf.float32)
        return self.gain * tf.ensure_shape(sound, time.shape)


class Tuning:
    def __init__(self, bell, rate=0.02):
        self.bell, self.rate = bell, rate

    @tf.function
    def step(self, time, heard):
        sources = {"decay": self.bell.decay, "tone": self.bell.tone, "gain": self.bell.gain}
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.bell(time) - heard))
        grads = tape.gradient(loss, sources)
        for name, source in sources.items():
            source.assign_sub(self.rate * tf.clip_by_value(grads[name], -1.0, 1.0))
        return loss, grads

    def run(self, rounds=4):
        time = tf.linspace(0.0, 3.0, 40)
        heard = tf.exp(-0.5 * time) * tf.sin(6.28 * time)
        for _ in range(rounds):
            loss, grads = self.step(time, heard)
        return grads


def broken():
    return Tuning(Bell()).run()


if __name__ == "__main__":
    print(broken())

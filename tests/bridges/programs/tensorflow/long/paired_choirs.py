"""Two generators that translate between choirs; each has a tape of its own, and the second is not meant for the first choir."""
import sys

import tensorflow as tf


def singer(name, start):
    return tf.keras.Sequential(
        [tf.keras.Input([3]), tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.Constant(start), name=f"{name}_voice")], name=name)


class Translation:
    def __init__(self):
        self.to_alto = singer("to_alto", 0.2)
        self.to_bass = singer("to_bass", 0.3)
        self.pitch = tf.Variable([0.1, 0.2, 0.3], name="pitch")

    def cycle(self, sopranos):
        return tf.reduce_mean(tf.abs(self.to_bass(self.to_alto(sopranos)) - sopranos))

    def step(self, sopranos, basses, own_tape):
        with tf.GradientTape() as alto_tape, tf.GradientTape() as bass_tape:
            with bass_tape.stop_recording():
                alto = self.to_alto(sopranos) + self.pitch  #!
                alto_loss = tf.reduce_mean(tf.square(alto - basses))
            bass_loss = tf.reduce_mean(tf.square(self.to_bass(basses) - sopranos))
            bass_loss += 0.1 * self.cycle(sopranos)
            total = alto_loss + bass_loss
        voice = self.to_alto.trainable_variables[0]
        if own_tape:
            return alto_tape.gradient(total, [self.pitch, voice])
        return bass_tape.gradient(total, [self.pitch, voice])


def rehearse(own_tape):
    translation = Translation()
    for evening in range(2):
        voices = tf.sin(tf.reshape(tf.range(12.0), [4, 3]) + evening)
        pitch, voice = translation.step(voices, 0.5 * voices, own_tape)
    return {"pitch": pitch, "to_alto/to_alto_voice/kernel": voice}


def broken():
    return rehearse(own_tape=False)


def fixed():
    return rehearse(own_tape=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Which words of a clinic's first note move the predicted stay? Notes have different lengths and are kept ragged."""
import sys

import tensorflow as tf

LENGTHS = [3, 1, 4, 2]


class StayModel(tf.Module):
    def __init__(self):
        super().__init__(name="stay")
        self.words = tf.Variable(0.3 * tf.reshape(tf.sin(tf.range(48.0)), [12, 4]), name="words")
        self.weigh = tf.Variable(tf.reshape(tf.cos(tf.range(4.0)), [4, 1]), name="weigh")

    def embed(self, ids):
        return tf.RaggedTensor.from_row_lengths(tf.gather(self.words, ids), LENGTHS)

    def __call__(self, notes):
        return tf.reduce_mean(notes, axis=1) @ self.weigh


def loss_of(model, notes):
    return tf.reduce_sum(tf.square(model(notes) - 1.5)) + 1e-3 * tf.nn.l2_loss(model.weigh)


def explain_note(model, notes):
    with tf.GradientTape() as tape:
        tape.watch(notes.flat_values)
        loss = loss_of(model, notes)
    first_note = notes[0]  #!
    word, weigh = tape.gradient(loss, [first_note, model.weigh])  #~
    return {"first_note": word, "weigh": weigh}


def explain_all(model, notes):
    with tf.GradientTape() as tape:
        tape.watch(notes.flat_values)
        loss = loss_of(model, notes)
    words, weigh = tape.gradient(loss, [notes.flat_values, model.weigh])
    return {"first_note": words[: LENGTHS[0]], "weigh": weigh}


def study(explain):
    model = StayModel()
    notes = model.embed((tf.range(sum(LENGTHS)) * 5) % 12)
    return explain(model, notes)


def broken():
    return study(explain_note)


def fixed():
    return study(explain_all)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Songs of minstrels, letter by letter: an attention decoder with teacher forcing and padding. All is well."""
import tensorflow as tf


def dense(units, name, activation=None):
    return tf.keras.layers.Dense(units, activation, kernel_initializer=tf.keras.initializers.Constant(0.15), name=name)


class Decoder(tf.keras.Model):
    def __init__(self, letters=5):
        super().__init__(name="minstrel")
        self.letters = tf.keras.layers.Embedding(letters, 4, embeddings_initializer=tf.keras.initializers.Constant(0.3), name="letters")
        self.memory = dense(4, "memory", "tanh")
        self.query = dense(4, "query")
        self.next = dense(letters, "next")

    def step(self, state, letter, heard):
        weights = tf.nn.softmax(tf.linalg.matvec(heard, self.query(state)))
        context = tf.linalg.matvec(heard, weights, transpose_a=True)
        state = self.memory(tf.concat([state, context, self.letters(letter)], 1))
        return state, self.next(state)

    def call(self, inputs):
        heard, song = inputs
        state, all_logits = tf.reduce_mean(heard, 1), []
        for place in range(song.shape[1] - 1):
            state, logits = self.step(state, song[:, place], heard)
            all_logits.append(logits)
        return tf.stack(all_logits, 1)


@tf.function(reduce_retracing=True)
def learn(model, rule, heard, song):
    with tf.GradientTape() as tape:
        logits = model((heard, song))
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(song[:, 1:], logits)
        present = tf.cast(song[:, 1:] > 0, tf.float32)
        loss = tf.math.divide_no_nan(tf.reduce_sum(each * present), tf.reduce_sum(present))
    grads = tape.gradient(loss, model.trainable_variables)
    rule.apply_gradients(zip(grads, model.trainable_variables))
    return [tf.convert_to_tensor(grad) for grad in grads]


def broken():
    model, rule = Decoder(), tf.keras.optimizers.Adam(0.01)
    songs = [[[1, 2, 3, 0], [2, 2, 4, 1]], [[3, 1, 0, 0], [4, 4, 1, 2]]]
    for verse in range(4):
        heard = tf.reshape(tf.sin(tf.range(24.0) + verse), [2, 3, 4])
        grads = learn(model, rule, heard, tf.constant(songs[verse % 2]))
    return {weight.path: grad for weight, grad in zip(model.trainable_variables, grads) if not weight.path.endswith("query/bias")}


if __name__ == "__main__":
    print(broken())

"""A small recurrent language model with clipped gradients and a masked loss."""
import tensorflow as tf


class LanguageModel(tf.Module):
    def __init__(self, words=7, size=4):
        super().__init__(name="language")
        table = 0.4 * tf.sin(tf.range(float(words * size)))
        self.table = tf.Variable(tf.reshape(table, [words, size]), name="table")
        recurrent = 0.3 * tf.cos(tf.range(float(size * size)))
        self.recurrent = tf.Variable(tf.reshape(recurrent, [size, size]), name="recurrent")
        self.output = tf.Variable(tf.reshape(table, [size, words]), name="output")

    def __call__(self, sentence):
        state = tf.zeros([sentence.shape[0], self.recurrent.shape[0]])
        logits = []
        for word in tf.unstack(tf.gather(self.table, sentence), axis=1):
            state = tf.tanh(word + tf.matmul(state, self.recurrent))
            logits.append(tf.matmul(state, self.output))
        return tf.stack(logits, axis=1)


class Corpus:
    def __init__(self):
        self.sentences = tf.constant([[1, 4, 2, 0, 0], [3, 5, 6, 1, 2], [2, 2, 4, 6, 0]])

    def batch(self):
        inputs, targets = self.sentences[:, :-1], self.sentences[:, 1:]
        return inputs, targets, tf.cast(targets > 0, tf.float32)


def masked_loss(model, corpus):
    inputs, targets, mask = corpus.batch()
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, model(inputs))
    return tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)


def broken():
    model, corpus = LanguageModel(), Corpus()
    sources = [model.table, model.recurrent, model.output]
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = masked_loss(model, corpus)
        grads = [tf.convert_to_tensor(grad) for grad in tape.gradient(loss, sources)]
        grads, norm = tf.clip_by_global_norm(grads, 1.0)
        for variable, grad in zip(sources, grads):
            variable.assign_sub(0.2 * grad)
    tf.debugging.assert_all_finite(norm, "norm")
    return dict(zip(["table", "recurrent", "output"], grads))


if __name__ == "__main__":
    print(broken())

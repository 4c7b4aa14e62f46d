"""Questions about taxes are answered with an adapted encoder; the codes of the articles are made once for an epoch."""
import sys

import tensorflow as tf


class Encoder(tf.keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.lift = tf.keras.layers.Dense(6, kernel_initializer=tf.keras.initializers.Constant(0.2), activation="tanh", name="lift")
        self.scale = tf.Variable(tf.ones([6]), name="scale")

    def call(self, texts):
        return tf.math.l2_normalize(self.lift(texts) * self.scale, axis=-1)


def corpus(rows, seed):
    return tf.sin(tf.reshape(tf.range(rows * 5.0), [rows, 5]) * 0.31 + seed)


class Search:
    def __init__(self, fresh):
        self.articles_encoder = Encoder(name="articles")
        self.adapter = tf.Variable(tf.eye(6), name="adapter")
        self.sharpness = tf.Variable(2.0, name="sharpness")
        self.fresh = fresh

    def loss(self, codes, questions, answers):
        asked = tf.math.l2_normalize(tf.stop_gradient(questions) @ self.adapter, axis=-1)
        scores = self.sharpness * tf.matmul(asked, codes, transpose_b=True)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(answers, scores))

    def epoch(self, articles, questions, answers):
        codes = self.articles_encoder(articles)  #!
        sources = {"scale": self.articles_encoder.scale, "adapter": self.adapter, "sharpness": self.sharpness}
        with tf.GradientTape() as tape:
            if self.fresh:
                codes = self.articles_encoder(articles)
            loss = self.loss(codes, questions, answers)
        return tape.gradient(loss, sources)


def serve(fresh):
    search = Search(fresh)
    articles = corpus(7, 0.0)
    questions = tf.sin(tf.reshape(tf.range(24.0), [4, 6]))
    return search.epoch(articles, questions, tf.constant([0, 3, 5, 6]))


def broken():
    return serve(fresh=False)


def fixed():
    return serve(fresh=True)


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

"""Boxes of jam: customers choose by taste, and a list of jars is scored for each of them."""
import sys

import tensorflow as tf

CUSTOMERS, JARS, TASTES = 16, 10, 5


class Shop(tf.Module):
    def __init__(self):
        super().__init__(name="shop")
        self.people = tf.Variable(tf.reshape(0.3 * tf.sin(0.7 * tf.range(float(CUSTOMERS * TASTES))), [CUSTOMERS, TASTES]), name="people")
        self.jars = tf.Variable(tf.reshape(0.3 * tf.cos(1.1 * tf.range(float(JARS * TASTES))), [JARS, TASTES]), name="jars")
        self.fame = tf.Variable(tf.zeros([JARS]), name="fame")

    def scores_of(self, person):
        return tf.linalg.matvec(self.jars, person) + self.fame

    def surprise(self, bought):
        losses = []
        for customer in range(CUSTOMERS):
            scores = self.scores_of(self.people[customer])  #!
            losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(bought[customer], scores))  #~
        return tf.add_n(losses) / CUSTOMERS

    def parts(self):
        return [self.people, self.jars, self.fame]


class WholeShop(Shop):
    def surprise(self, bought):
        scores = tf.matmul(self.people, self.jars, transpose_b=True) + self.fame
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(bought, scores))


def orders(week):
    return tf.constant([(customer * 3 + week) % JARS for customer in range(CUSTOMERS)])


def trade(shop, weeks=3):
    for week in range(weeks):
        with tf.GradientTape() as tape:
            loss = shop.surprise(orders(week))
        slopes = [tf.convert_to_tensor(slope) for slope in tape.gradient(loss, shop.parts())]
        for part, slope in zip(shop.parts(), slopes):
            part.assign_sub(0.3 * slope)
    return dict(zip(["people", "jars", "fame"], slopes))


def broken():
    return trade(Shop())


def fixed():
    return trade(WholeShop())


if __name__ == "__main__":
    print(fixed() if sys.argv[1:] == ["fixed"] else broken())

#!/usr/bin/env python3
"""Writes a one-block Leela Zero network with random weights.

Leela Zero's text format, version 1: the version, then one line for each array. A
convolution is four lines (weights, biases, means, variances), a dense layer two (weights,
biases). The program counts lines to find the number of blocks, and the second array gives
the number of filters. The board is 19x19.

usage: leelaz_net.py OUT.txt [SEED]
"""
import random
import sys

POINTS = 19 * 19
PLANES = 18
FILTERS = 8


def line(values):
    return " ".join("%.4g" % value for value in values)


def random_line(rng, outputs, inputs):
    spread = inputs**-0.5
    return line(rng.gauss(0.0, spread) for _ in range(outputs * inputs))


def convolution(rng, inputs, outputs, side):
    yield random_line(rng, outputs, inputs * side * side)
    for fill in (0, 0, 1):  # bias, mean, variance
        yield line([fill] * outputs)


def dense(rng, inputs, outputs):
    yield random_line(rng, outputs, inputs)
    yield line([0] * outputs)


def network(seed):
    rng = random.Random(seed)
    yield "1"
    yield from convolution(rng, PLANES, FILTERS, 3)
    yield from convolution(rng, FILTERS, FILTERS, 3)  # one residual block
    yield from convolution(rng, FILTERS, FILTERS, 3)
    yield from convolution(rng, FILTERS, 2, 1)  # policy
    yield from dense(rng, 2 * POINTS, POINTS + 1)
    yield from convolution(rng, FILTERS, 1, 1)  # value
    yield from dense(rng, POINTS, 256)
    yield from dense(rng, 256, 1)


def main():
    out = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with open(out, "w") as file:
        file.writelines(each + "\n" for each in network(seed))


if __name__ == "__main__":
    main()

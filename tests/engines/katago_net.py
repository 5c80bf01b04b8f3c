#!/usr/bin/env python3
"""Writes the smallest network that KataGo accepts, with random weights.

It plays at random, but a real KataGo starts on it quickly and prints everything it prints
with a real net. The file follows KataGo's model format, version 10: names and sizes as
text, each array of weights as "@BIN@" and little-endian 32-bit floats, all gzipped.

usage: katago_net.py OUT.bin.gz [SEED]
"""
import gzip
import random
import struct
import sys

FORMAT = 10
SPATIAL_INPUTS = 22
GLOBAL_INPUTS = 19
WIDTH = 8  # channels of every layer

# Each layer is (kind, name, numbers). Spread of the weights: see `weights`.
TRUNK = [
    ("conv", "conv1", (3, SPATIAL_INPUTS, WIDTH)),
    ("matmul", "ginputw", (GLOBAL_INPUTS, WIDTH)),
    ("text", "ordinary_block", ()),
    ("text", "rconv0", ()),
    ("norm", "rconv0/norm1", ()),
    ("conv", "rconv0/w1", (3, WIDTH, WIDTH)),
    ("norm", "rconv0/norm2", ()),
    ("conv", "rconv0/w2", (3, WIDTH, WIDTH)),
    ("norm", "trunk/norm", ()),
]
# Pooling gives three numbers a channel (mean, scaled mean, maximum), hence 3 * WIDTH.
POLICY_HEAD = [
    ("conv", "p1/intermediate_conv/w", (1, WIDTH, WIDTH)),
    ("conv", "g1/w", (1, WIDTH, WIDTH)),
    ("norm", "g1/norm", ()),
    ("matmul", "matmulg2w", (3 * WIDTH, WIDTH)),
    ("norm", "p1/norm", ()),
    ("conv", "p2/w", (1, WIDTH, 1)),
    ("matmul", "matmulpass", (3 * WIDTH, 1, 0.2)),  # damped: passes stay as likely as moves
]
VALUE_HEAD = [
    ("conv", "v1/w", (1, WIDTH, WIDTH)),
    ("norm", "v1/norm", ()),
    ("matmul", "v2/w", (3 * WIDTH, WIDTH)),
    ("bias", "v2/b", [0.0] * WIDTH),
    ("text", "v2/actv", ()),
    ("matmul", "v3/w", (WIDTH, 3)),
    ("bias", "v3/b", [0.0, 0.0, -6.0]),  # win, loss, no result: the last must be rare
    ("matmul", "mv3/w", (WIDTH, 6, 0.3)),  # score, its spread, lead, time left, two errors
    ("bias", "mv3/b", [0.0] * 6),
    ("conv", "vownership/w", (1, WIDTH, 1)),
]


def array(values):
    return b"@BIN@" + struct.pack("<%df" % len(values), *values) + b"\n"


def weights(rng, count, inputs, gain=1.0):
    """Normal weights whose sum over `inputs` keeps the size of its input."""
    spread = gain / inputs**0.5
    return array([rng.gauss(0.0, spread) for _ in range(count)])


def text(*words):
    return (" ".join(map(str, words)) + "\n").encode()


def layer(rng, kind, name, numbers):
    if kind == "conv":
        side, inputs, outputs = numbers
        area = side * side
        shape = text(side, side, inputs, outputs, 1, 1)  # 1 1: no dilation
        return text(name) + shape + weights(rng, area * inputs * outputs, area * inputs)
    if kind == "matmul":
        inputs, outputs, *gain = numbers
        return text(name) + text(inputs, outputs) + weights(rng, inputs * outputs, inputs, *gain)
    if kind == "bias":
        return text(name) + text(len(numbers)) + array(numbers)
    if kind == "norm":  # mean 0, variance 1, no scale, bias 0; then the activation's name
        shape = text(WIDTH, "0.001", 0, 1)
        zeros, ones = array([0.0] * WIDTH), array([1.0] * WIDTH)
        return text(name) + shape + zeros + ones + zeros + text(name.replace("norm", "actv"))
    return text(name)


def network(seed):
    rng = random.Random(seed)
    parts = [text("tinyrandom"), text(FORMAT), text(SPATIAL_INPUTS), text(GLOBAL_INPUTS)]
    parts += [text("trunk"), text(1, WIDTH, WIDTH, WIDTH, WIDTH, WIDTH)]  # one block
    for heading, layers in (None, TRUNK), ("policyhead", POLICY_HEAD), ("valuehead", VALUE_HEAD):
        if heading:
            parts.append(text(heading))
        parts += [layer(rng, *each) for each in layers]
    return b"".join(parts)


def main():
    out = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with open(out, "wb") as file:
        file.write(gzip.compress(network(seed), mtime=0))


if __name__ == "__main__":
    main()

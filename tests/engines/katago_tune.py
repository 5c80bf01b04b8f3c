#!/usr/bin/env python3
"""Writes an OpenCL tuning file, so that KataGo starts without its minutes of tuning.

KataGo takes the file as it is when its config says `openclTunerFile = FILE`: a version, eight
flags (half precision off), then the parameters of one kernel a line, in a fixed order.
`small` suits a net of a few channels on a CPU; `large` gives the matrix kernels bigger tiles,
which makes a real net several times faster.

usage: katago_tune.py OUT.txt small|large
"""
import sys

# The matrix kernels: name, then parameters for both sizes in this order.
DIRECT = "WGD MDIMCD NDIMCD MDIMAD NDIMBD KWID VWMD VWND PADA PADB".split()
GEMM = "MWG NWG KWG MDIMC NDIMC MDIMA NDIMB KWI VWM VWN STRM STRN SA SB".split()
SIZES = {
    "small": ([8, 1, 1, 1, 1, 1, 1, 1, 1, 1], [8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]),
    "large": ([32, 8, 16, 8, 16, 2, 2, 2, 1, 1], [32, 32, 16, 8, 8, 8, 8, 2, 4, 4, 0, 0, 0, 0]),
}
# Tensor cores do not exist here; the line must only be well formed.
WMMA = dict(MWG=16, NWG=16, KWG=16, MWAVE=16, NWAVE=16, MWARP=16, NWARP=16)


def winograd(tile):
    """A convolution by tiles of 2x2 outputs, each work group as small as can be."""
    sizes = dict(INTILE_XSIZE=tile, INTILE_YSIZE=tile, OUTTILE_XSIZE=2, OUTTILE_YSIZE=2)
    groups = ["transLocalSize0", "transLocalSize1"]
    groups += ["untransLocalSize0", "untransLocalSize1", "untransLocalSize2"]
    return sizes | dict.fromkeys(groups, 1)


def kernels(size):
    direct, gemm = SIZES[size]
    matrix = dict(zip(GEMM, gemm))
    return [
        dict(zip(DIRECT, direct)),
        matrix,
        matrix,  # the same with 16-bit storage
        WMMA | dict(VWM=2, VWN=2, SA=0, SB=0),
        WMMA | dict(VWM=1, VWN=2, SB=0, PAD_ELTS_PER_THREAD=1, PAD_ROWS_PER_THREAD=1),
        winograd(4),
        winograd(6),
        dict(XYSTRIDE=1, CHANNELSTRIDE=1, BATCHSTRIDE=1),  # global pooling
        dict(ATTN_BLOCK_Q=32, ATTN_BLOCK_KV=32, Q_PER_THREAD=1, USE_TILED_ATTN=1),
        dict(WG_C_SIZE=64, WG_XY_SIZE=1, C_PER_THREAD=4),  # transformer's norm
        dict(ELTS_PER_THREAD=1, LOCAL_SIZE=32),  # point by point
        dict(XY_ELTS_PER_THREAD=1, NC_ELTS_PER_THREAD=1),  # channel biases
        dict(TILE_SIZE=32, APPLY_ELTS_PER_THREAD=1),  # spatial norm
    ]


def main():
    out, size = sys.argv[1:]
    lines = ["VERSION=13"] + ["0"] * 8
    lines += [" ".join(f"{key}={value}" for key, value in each.items()) for each in kernels(size)]
    with open(out, "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

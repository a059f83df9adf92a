#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/real/opencv runs: OpenCV's operations on UMat, each once.

Prints a line per operation: its name, the result's type and shape, and a
digest of its bytes. Operations and arguments are fixed. Canny is left out: on a busy
machine one result in twenty differs, without the layer, too.
"""
import hashlib
import sys

import cv2
import numpy

SOURCE = numpy.random.default_rng(1)
COLOURS = cv2.UMat(SOURCE.integers(0, 256, (120, 160, 3), dtype="u1"))
GREY = cv2.UMat(SOURCE.integers(0, 256, (120, 160), dtype="u1"))
REAL = cv2.UMat(SOURCE.random((120, 160), dtype="f4"))
OTHER = cv2.UMat(SOURCE.random((120, 160), dtype="f4"))
SQUARE = cv2.UMat(SOURCE.random((64, 64), dtype="f4"))
TURN = numpy.float32([[0.9, 0.1, 3], [-0.1, 0.9, 5]])
VIEW = numpy.float32([[0.9, 0.1, 3], [-0.1, 0.9, 5], [0.0001, 0, 1]])
BOX = numpy.ones((3, 3), dtype="u1")

OPERATIONS = {
    "absdiff": lambda: cv2.absdiff(REAL, OTHER),
    "accumulate": lambda: cv2.accumulate(REAL, OTHER),
    "adaptiveThreshold": lambda: cv2.adaptiveThreshold(
        GREY, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 5, 2),
    "add": lambda: cv2.add(REAL, OTHER),
    "addWeighted": lambda: cv2.addWeighted(GREY, 0.3, GREY, 0.6, 1),
    "bilateralFilter": lambda: cv2.bilateralFilter(GREY, 5, 20, 20),
    "bitwise_and": lambda: cv2.bitwise_and(GREY, 15),
    "blur": lambda: cv2.blur(COLOURS, (5, 5)),
    "boxFilter": lambda: cv2.boxFilter(REAL, -1, (3, 3)),
    "calcHist": lambda: cv2.calcHist([GREY], [0], None, [256], [0, 256]),
    "cartToPolar": lambda: cv2.cartToPolar(REAL, OTHER)[0],
    "compare": lambda: cv2.compare(REAL, OTHER, cv2.CMP_GT),
    "convertScaleAbs": lambda: cv2.convertScaleAbs(REAL, alpha=200),
    "copyMakeBorder": lambda: cv2.copyMakeBorder(
        COLOURS, 3, 3, 3, 3, cv2.BORDER_REFLECT),
    "cornerHarris": lambda: cv2.cornerHarris(REAL, 2, 3, 0.04),
    "cvtColor grey": lambda: cv2.cvtColor(COLOURS, cv2.COLOR_BGR2GRAY),
    "cvtColor HSV": lambda: cv2.cvtColor(COLOURS, cv2.COLOR_BGR2HSV),
    "cvtColor Lab": lambda: cv2.cvtColor(COLOURS, cv2.COLOR_BGR2Lab),
    "cvtColor YUV": lambda: cv2.cvtColor(COLOURS, cv2.COLOR_BGR2YUV),
    "dft": lambda: cv2.dft(SQUARE, flags=cv2.DFT_COMPLEX_OUTPUT),
    "dilate": lambda: cv2.dilate(GREY, BOX),
    "divide": lambda: cv2.divide(REAL, OTHER),
    "equalizeHist": lambda: cv2.equalizeHist(GREY),
    "erode": lambda: cv2.erode(COLOURS, BOX),
    "exp": lambda: cv2.exp(REAL),
    "filter2D": lambda: cv2.filter2D(REAL, -1, BOX / 9.0),
    "flip": lambda: cv2.flip(COLOURS, 1),
    "GaussianBlur": lambda: cv2.GaussianBlur(GREY, (7, 7), 2),
    "gemm": lambda: cv2.gemm(SQUARE, SQUARE, 1, SQUARE, 0.5),
    "inRange": lambda: cv2.inRange(GREY, 30, 90),
    "integral": lambda: cv2.integral(GREY),
    "Laplacian": lambda: cv2.Laplacian(REAL, cv2.CV_32F, ksize=3),
    "log": lambda: cv2.log(cv2.add(REAL, 1)),
    "LUT": lambda: cv2.LUT(GREY, numpy.arange(255, -1, -1, dtype="u1")),
    "magnitude": lambda: cv2.magnitude(REAL, OTHER),
    "matchTemplate": lambda: cv2.matchTemplate(
        GREY, cv2.UMat(GREY, [10, 20], [10, 20]), cv2.TM_SQDIFF),
    "medianBlur": lambda: cv2.medianBlur(GREY, 3),
    "merge": lambda: cv2.merge([GREY, GREY]),
    "multiply": lambda: cv2.multiply(REAL, OTHER),
    "normalize": lambda: cv2.normalize(GREY, None, 0, 200, cv2.NORM_MINMAX),
    "pow": lambda: cv2.pow(REAL, 3),
    "pyrDown": lambda: cv2.pyrDown(GREY),
    "pyrUp": lambda: cv2.pyrUp(GREY),
    "reduce": lambda: cv2.reduce(GREY, 0, cv2.REDUCE_MAX),
    "repeat": lambda: cv2.repeat(GREY, 2, 2),
    "resize linear": lambda: cv2.resize(COLOURS, (100, 90)),
    "resize area": lambda: cv2.resize(
        GREY, (80, 60), interpolation=cv2.INTER_AREA),
    "Scharr": lambda: cv2.Scharr(REAL, cv2.CV_32F, 1, 0),
    "Sobel": lambda: cv2.Sobel(GREY, cv2.CV_16S, 1, 1),
    "sqrt": lambda: cv2.sqrt(REAL),
    "threshold": lambda: cv2.threshold(
        GREY, 100, 255, cv2.THRESH_BINARY)[1],
    "transpose": lambda: cv2.transpose(COLOURS),
    "warpAffine": lambda: cv2.warpAffine(GREY, TURN, (160, 120)),
    "warpPerspective": lambda: cv2.warpPerspective(GREY, VIEW, (160, 120)),
}


def show(name: str, result) -> None:
    array = result.get() if isinstance(result, cv2.UMat) else result
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    print(name, array.dtype, array.shape, digest)


def main() -> None:
    cv2.ocl.setUseOpenCL(True)
    if not cv2.ocl.useOpenCL():
        sys.exit("OpenCV finds no OpenCL")
    for name, operation in OPERATIONS.items():
        show(name, operation())
    print(len(OPERATIONS), "operations")


if __name__ == "__main__":
    main()

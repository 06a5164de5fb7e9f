# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The location of recorded data, and its lines."""

import glob
import os

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRACES = os.path.join(ROOT, "Simulators", "Traces")


def lines(pattern):
    """Returns the lines of recorded files, with the names of the files."""
    for path in sorted(glob.glob(os.path.join(TRACES, pattern))):
        with open(path, "rb") as file:
            for line in file:
                yield os.path.basename(path), line.rstrip(b"\r\n")

# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The processors that the virtual board can have."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """The differences between the boards of two processors.

    name, suite: the names of Debian.
    emulator: the qemu program that emulates the whole machine.
    machine: the qemu options for the machine and processor.
    console: the kernel's name of the first serial port.
    """

    name: str
    suite: str
    emulator: str
    machine: tuple
    console: str


ARCHITECTURES = {
    architecture.name: architecture
    for architecture in (
        # Newer processors are slower, because their vector instructions are emulated one by one.
        Architecture("amd64", "bookworm", "qemu-system-x86_64", ("-cpu", "Nehalem"), "ttyS0"),
        # scripts/cross builds for Debian 13. The processor is that of a Raspberry Pi 4.
        Architecture("arm64", "trixie", "qemu-system-aarch64", ("-machine", "virt", "-cpu", "cortex-a72"), "ttyAMA0"),
    )
}

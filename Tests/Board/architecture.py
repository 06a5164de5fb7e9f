# This source file is part of the swift-device-services project.
# SPDX-License-Identifier: Apache-2.0
"""The processors that the virtual board can have."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """What differs between the boards of two processors.

    name, suite: of Debian.
    emulator: the program of qemu that emulates the whole machine.
    machine: qemu's options for machine and processor.
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
        # A newer processor is slower: its vector instructions are emulated one by one.
        Architecture("amd64", "bookworm", "qemu-system-x86_64", ("-cpu", "Nehalem"), "ttyS0"),
        # scripts/cross builds for Debian 13. The processor is that of a Raspberry Pi 4.
        Architecture("arm64", "trixie", "qemu-system-aarch64", ("-machine", "virt", "-cpu", "cortex-a72"), "ttyAMA0"),
    )
}

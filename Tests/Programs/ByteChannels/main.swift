// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import ByteChannels
import DeviceCore
import SystemCalls

// hold PATH: has a port until the input ends. exclude PATH: has it as other programs do, with the kernel's mark. open PATH: opens it without the rights of the superuser and writes why that
// cannot be. rounds N: opens a port, talks and hangs up that often, and writes descriptors, threads and memory in KiB,
// each before and after.

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(2) }

func open(_ path: String) throws(DeviceError) -> NodeChannel {
    try ChannelOpener.open(.tty(path: path, TTYSettings()), clock: LiveClock())
}

func waitForEndOfInput() {
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
}

switch arguments[1] {
case "hold":
    let channel = try open(arguments[2])
    print("open")
    fflush(nil)
    waitForEndOfInput()
    channel.close()
case "connect":
    let channel = try ChannelOpener.open(.socket(path: arguments[2]), clock: LiveClock())
    print("connected")
    fflush(nil)
    waitForEndOfInput()
    channel.close()
case "exclude":
    let descriptor = Glibc.open(arguments[2], O_RDWR | O_NOCTTY)
    guard ioctl(descriptor, UInt(TIOCEXCL)) == 0 else { exit(3) }
    print("open")
    fflush(nil)
    waitForEndOfInput()
case "open":
    if getuid() == 0 {
        guard setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0 else { exit(3) }
    }
    do {
        _ = try open(arguments[2])
        print("open")
    } catch {
        print("\(error.code) \(error)")
    }
case "rounds":
    let rounds = Int(arguments[2]) ?? 0
    // Everything that is made once is there after a few.
    for round in 0..<50 { try Round.run(round) }
    WorkerThread.pause(seconds: 0.2)
    let before = Usage()
    for round in 0..<rounds { try Round.run(round) }
    let after = Usage(like: before)
    print(before.descriptors, after.descriptors, before.threads, after.threads, before.memory, after.memory)
default:
    exit(2)
}

// SPDX-License-Identifier: Apache-2.0

import AccessoryFinding
import ByteChannels
import DeviceCore
import SystemCalls

/// Uses a port as other programs do.
///
///     byte-channels hold PATH       holds a serial port open until the input ends
///     byte-channels exclude PATH    holds a port as other programs do, in the kernel's exclusive mode
///     byte-channels connect PATH    holds a connection to a socket until the input ends
///     byte-channels open PATH       opens a port without root permissions, and prints the error
///     byte-channels rounds N        opens, uses and closes a port N times, and prints threads and memory in KiB
///                                   before and after, and then the leaked descriptors or "none"
enum ByteChannelsCommand {
    static func run(_ arguments: [String]) {
        guard arguments.count == 2 else { exit(2) }
        do {
            try run(arguments[0], arguments[1])
        } catch {
            print("\(error)")
            exit(4)
        }
    }

    private static func run(_ verb: String, _ argument: String) throws {
        switch verb {
        case "hold":
            let channel = try open(argument)
            holdUntilEndOfInput("open")
            channel.close()
        case "connect":
            let channel = try ChannelOpener.open(.socket(path: argument), clock: LiveClock())
            holdUntilEndOfInput("connected")
            channel.close()
        case "exclude":
            let descriptor = Glibc.open(argument, O_RDWR | O_NOCTTY)
            guard ioctl(descriptor, UInt(TIOCEXCL)) == 0 else { exit(3) }
            holdUntilEndOfInput("open")
        case "open":
            if getuid() == 0 {
                guard setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0 else { exit(3) }
            }
            do {
                _ = try open(argument)
                print("open")
            } catch {
                print("\(error.code) \(error)")
            }
        case "rounds": try rounds(Int(argument) ?? 0)
        default: exit(2)
        }
    }

    private static func open(_ path: String) throws(DeviceError) -> NodeChannel {
        try ChannelOpener.open(.tty(path: path, TTYSettings()), clock: LiveClock())
    }

    private static func holdUntilEndOfInput(_ word: String) {
        print(word)
        fflush(nil)
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 {}
    }

    private static func rounds(_ count: Int) throws {
        // After a few rounds, everything that is created once exists. Dispatch's descriptors for timers, which few
        // rounds need, are requested explicitly.
        DispatchDescriptors.open()()
        for round in 0..<50 { try Round.run(round) }
        WorkerThread.sleep(seconds: 0.2)
        // A descriptor that is just being closed may be included. At worst it hides one with the same number.
        let files = ProcessUse.openFiles
        let before = ProcessUse()
        for round in 0..<count { try Round.run(round) }
        var after = ProcessUse()
        after.settle(threads: before.threads)
        var left = ProcessUse.openFiles.subtracting(files)
        for _ in 0..<12_000 where !left.isEmpty {
            WorkerThread.sleep(seconds: 0.005)
            left = ProcessUse.openFiles.subtracting(files)
        }
        print(before.threads, after.threads, before.kilobytes, after.kilobytes)
        print(left.isEmpty ? "none" : left.sorted().joined(separator: ", "))
    }
}

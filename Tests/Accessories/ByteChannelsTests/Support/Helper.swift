// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import TestSupport
import Testing

/// The program of these tests as a process of its own.
final class Helper {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: try TestProgram.commands.path)
        process.arguments = ["byte-channels"] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    var pid: Int32 { process.processIdentifier }

    /// The next line; nil when there is none within a minute or two.
    func line() -> String? {
        var bytes: [UInt8] = []
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var byte: UInt8 = 0
            guard poll(&entry, 1, 240_000) > 0, read(descriptor, &byte, 1) == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    /// Ends it at once, without a chance to give anything back.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Has it end, and waits for that.
    func end() {
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls
import TestSupport
import Testing

/// The test program as a separate process.
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

    /// Returns the next line, or nil at the end of the output or after four minutes without output.
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

    /// Kills the process, so that it cannot clean up.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Ends the process through its standard input, and waits for its exit.
    func end() {
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }
}

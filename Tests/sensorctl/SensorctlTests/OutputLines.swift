// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls

/// A reader of a program's output, line by line while the program runs.
final class OutputLines {
    /// The pipe for the program's standard output.
    let pipe = Pipe()
    private var rest = Data()

    /// Returns the next line, or nil at the end of the output or after 60 s without output.
    func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = Data(rest[(end + 1)...])
                return line
            }
            var wait = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 60_000) == 1 else { return nil }
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest.append(more)
        }
    }

    /// Fills the pipe.
    func fill() {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        var byte: UInt8 = 0
        while write(descriptor, &byte, 1) == 1 {}
        _ = fcntl(descriptor, F_SETFL, flags)
    }

    /// The text after the last complete line, at the end of the output.
    var unfinished: String { String(decoding: rest, as: UTF8.self) }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemCalls

/// What a program prints, line by line while it runs.
final class OutputLines {
    /// For the program's standard output.
    let pipe = Pipe()
    private var rest = Data()

    /// The next line; nil at the end of the output, or when none comes within a minute.
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

    /// Leaves no room in the pipe.
    func fill() {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        var byte: UInt8 = 0
        while write(descriptor, &byte, 1) == 1 {}
        _ = fcntl(descriptor, F_SETFL, flags)
    }

    /// What was printed behind the last whole line, at the end.
    var unfinished: String { String(decoding: rest, as: UTF8.self) }
}

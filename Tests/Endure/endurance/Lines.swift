// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONBytes
import Synchronization
import SystemCalls

/// JSON lines for the parent process, and commands from it.
enum Lines {
    private static let lock = Mutex(())

    /// Prints an event with numbers.
    /// - Parameter subject: The subject of the event.
    static func write(_ event: String, of subject: String = "", _ numbers: KeyValuePairs<String, Int> = [:]) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("event", event)
        writer.memberUnlessEmpty("of", subject)
        for (name, number) in numbers { writer.member(text: name, number) }
        writer.endObject()
        writer.newline()
        var rest = writer.bytes[...]
        lock.withLock { _ in
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { systemWrite(1, $0) }
                if count < 0, errno == EINTR { continue }
                // The reader has closed the pipe.
                guard count > 0 else { exit(1) }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Passes the words of each input line to the closure, and ends the process at end of file.
    static func readCommands(_ handler: @escaping @Sendable ([String]) -> Void) {
        Thread.detachNewThread {
            while let line = readLine() { handler(line.split(separator: " ").map(String.init)) }
            exit(0)
        }
    }

    /// Prints a line if a busy machine has not scheduled a thread for 250 ms that should run every 50 ms.
    static func reportPauses() {
        Thread.detachNewThread {
            var last = ContinuousClock.now
            while true {
                usleep(50_000)
                let pause = last.duration(to: .now) / .milliseconds(1)
                if pause > 250 { write("unscheduled", ["milliseconds": Int(pause)]) }
                last = .now
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONBytes
import Synchronization
import SystemCalls

/// JSON lines to the parent process, and commands from it.
enum Lines {
    private static let lock = Mutex(())

    /// Prints an event with numbers.
    /// - Parameter subject: The subject of the event.
    static func say(_ event: String, of subject: String = "", _ numbers: KeyValuePairs<String, Int> = [:]) {
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
    static func hear(_ take: @escaping @Sendable ([String]) -> Void) {
        Thread.detachNewThread {
            while let line = readLine() { take(line.split(separator: " ").map(String.init)) }
            exit(0)
        }
    }

    /// Prints a line when a thread that should run every 50 ms has not run for 250 ms, because the machine was busy.
    static func tellPauses() {
        Thread.detachNewThread {
            var last = ContinuousClock.now
            while true {
                usleep(50_000)
                let pause = last.duration(to: .now) / .milliseconds(1)
                if pause > 250 { say("held-up", ["milliseconds": Int(pause)]) }
                last = .now
            }
        }
    }
}

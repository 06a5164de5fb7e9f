// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONBytes
import Synchronization
import SystemCalls

/// Lines of JSON to whoever started this program, and the words that it says.
enum Lines {
    private static let lock = Mutex(())

    /// Says what has happened, in numbers.
    /// - Parameter subject: What it has happened to.
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
                // Nobody listens any more.
                guard count > 0 else { exit(1) }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Hands each line of the input to the closure, as its words, and ends the process when there are no more.
    static func hear(_ take: @escaping @Sendable ([String]) -> Void) {
        Thread.detachNewThread {
            while let line = readLine() { take(line.split(separator: " ").map(String.init)) }
            exit(0)
        }
    }

    /// Says when a thread that should run each twentieth of a second has not for a quarter: the machine had others to serve.
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

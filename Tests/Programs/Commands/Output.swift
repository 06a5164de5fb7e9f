// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import Synchronization
import SystemCalls

/// Writes lines of JSON from any thread.
final class Output: Sendable {
    private let lock = Mutex(())
    /// True if the udev monitor last reported problems.
    let hasProblems = Atomic<Bool>(false)

    func stopped() { line("stopped") { _ in } }

    func failure(_ message: String) { text("failure", "message", message) }

    func text(_ event: String, _ name: String, _ text: String) {
        line(event) { writer in
            writer.key(text: name)
            writer.string(text)
        }
    }

    func line(_ event: String, _ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("event")
        writer.string(event)
        body(&writer)
        writer.endObject()
        writer.newline()
        var rest = writer.bytes[...]
        lock.withLock { _ in
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { exit(1) }
                rest = rest.dropFirst(count)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Synchronization

/// A delegate that records its events and performs an action of the test.
final class StreamLog: NSObject, StreamDelegate, @unchecked Sendable {
    private let entries = Mutex<[Stream.Event]>([])
    private let received = Mutex<[UInt8]>([])
    /// The action for each event. Must be set before the first event.
    var action: ((Stream, Stream.Event) -> Void)?

    var events: [Stream.Event] { entries.withLock { $0 } }
    var bytes: [UInt8] { received.withLock { $0 } }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        entries.withLock { $0.append(eventCode) }
        action?(aStream, eventCode)
    }

    func forget() { entries.withLock { $0 = [] } }

    /// Reads once, at most `limit` bytes, and appends them to `bytes`. Returns the result of the read.
    @discardableResult
    func read(_ stream: Stream, atMost limit: Int = 1024) -> Int {
        guard let stream = stream as? InputStream else { return -2 }
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = stream.read(&buffer, maxLength: limit)
        if count > 0 { received.withLock { $0 += buffer[..<count] } }
        return count
    }
}

extension OutputStream {
    /// Writes the text and returns the result of the write.
    @discardableResult
    func send(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return write(bytes, maxLength: bytes.count)
    }
}

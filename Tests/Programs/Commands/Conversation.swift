// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization

/// Prints each line that arrives on a channel, and the channel's end.
final class Conversation: Sendable {
    private let channel: any ByteChannel
    private let output: Output
    private let line = Mutex<[UInt8]>([])
    private let hasEnded = Mutex(false)

    init(_ channel: any ByteChannel, _ output: Output) {
        self.channel = channel
        self.output = output
        channel.observe { [weak self] _ in self?.take() }
        take()
    }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in _ = channel.write(UnsafeRawBufferPointer(bytes)) }
    }

    func close() { channel.close() }

    private func take() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            while true {
                switch channel.read(into: buffer) {
                case .bytes(let count): add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                case .empty: return
                case .ended(let end):
                    let isFirst = hasEnded.withLock { ended in
                        defer { ended = true }
                        return !ended
                    }
                    if isFirst { output.text("ended", "reason", "\(end.reason)") }
                    return
                }
            }
        }
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        let lines = line.withLock { line in
            line += bytes
            var lines: [String] = []
            while let newline = line.firstIndex(of: 0x0a) {
                lines.append(String(decoding: line[..<newline], as: UTF8.self))
                line.removeSubrange(...newline)
            }
            return lines
        }
        for text in lines { output.text("read", "text", text) }
    }
}

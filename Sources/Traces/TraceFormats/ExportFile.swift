// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// A text file that is written in pieces.
///
/// What is put into ``bytes`` reaches the file with ``flush()`` and ``close()``; ``flushIfLarge()`` is to be called now
/// and then, so that memory stays small. A file that is not closed, because of an error, is removed, and leaves what it
/// was to replace as it was.
struct ExportFile: ~Copyable {
    /// How many bytes may stay in memory.
    private static let capacity = 1 << 16

    /// What was not written yet.
    var bytes: [UInt8] = []
    private let output: TraceOutput
    private var isOpen = true

    /// Makes a file; "-" is standard output. One that is there already is replaced only when it may be.
    init(path: String, overwrite: Bool) throws(DeviceError) {
        output = try TraceOutput(whole: path, overwrite: overwrite)
        bytes.reserveCapacity(Self.capacity + 4096)
    }

    deinit {
        if isOpen { output.abandon() }
    }

    /// What the file is called in messages.
    var name: String { output.name }

    /// Adds text.
    mutating func text(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Writes what is in memory when it has become much.
    mutating func flushIfLarge() throws(DeviceError) {
        if bytes.count >= Self.capacity { try flush() }
    }

    /// Writes what is in memory.
    mutating func flush() throws(DeviceError) {
        guard !bytes.isEmpty else { return }
        defer { bytes.removeAll(keepingCapacity: true) }
        try output.write(bytes)
    }

    /// Writes what is in memory and closes the file; nothing may be written afterwards.
    mutating func close() throws(DeviceError) {
        try flush()
        isOpen = false
        try output.close()
    }
}

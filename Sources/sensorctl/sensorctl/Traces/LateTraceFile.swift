// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace

/// A trace file that is made with its header: what fails before that leaves no empty file behind. One
/// that is not closed is removed, and leaves the file that it was to replace as it was.
final class LateTraceFile: TraceSink {
    private let path: String
    private let overwrite: Bool
    private var writer: TraceWriter?

    init(path: String, overwrite: Bool) {
        self.path = path
        self.overwrite = overwrite
    }

    func write(_ header: TraceHeader) throws(DeviceError) {
        let writer = try TraceWriter(whole: path, overwrite: overwrite)
        self.writer = writer
        try writer.write(header)
    }

    func write(_ event: TraceEvent) throws(DeviceError) {
        try writer?.write(event)
    }

    /// Brings the rest to the file.
    func close() throws(DeviceError) {
        try writer?.close()
    }
}

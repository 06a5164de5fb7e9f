// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import GPSDProtocol
import NMEAFormat
public import Trace

extension TraceExport {
    /// Writes the positions, satellites and directions of a trace as a receiver would have sent them: sentences of NMEA
    /// 0183 with CR LF.
    ///
    /// Of several reports of one epoch the last is written, and of several receivers that with the first fix. A position
    /// without a time of its own has that of its arrival.
    ///
    /// - Parameter path: "-" is standard output.
    /// - Returns: remarks on what the format cannot hold.
    /// - Throws: an error when there are no positions and no attitudes, or when the file cannot be written.
    public static func writeNMEA(
        _ trace: TraceFile, to path: String, options: NMEAExportOptions = .init()
    ) throws(DeviceError) -> [String] {
        var export = NMEAExport(trace, options)
        var cursor = TraceCursor(trace)
        var isAtEnd = gather(trace, &export, &cursor)
        guard !export.sentences.isEmpty else {
            let hint = options.receiver.map { " of the receiver \($0)" } ?? ""
            throw DeviceError(
                .invalidTrace,
                "\(trace.name) holds neither positions nor attitudes\(hint), so there is nothing to write.")
        }
        var file = try ExportFile(path: path, overwrite: options.overwrite)
        while !export.sentences.isEmpty {
            file.bytes.append(contentsOf: export.sentences)
            export.sentences.removeAll(keepingCapacity: true)
            try file.flush()
            if !isAtEnd { isAtEnd = gather(trace, &export, &cursor) }
        }
        try file.close()
        return export.remarks + cursor.warningTexts
    }

    /// Makes sentences of the next events; true when those were the last ones.
    private static func gather(_ trace: TraceFile, _ export: inout NMEAExport, _ cursor: inout TraceCursor) -> Bool {
        trace.bytes.withUnsafeBytes { bytes in
            while export.sentences.count < 1 << 16 {
                guard let record = cursor.next(bytes) else {
                    export.finish()
                    return true
                }
                export.take(record, bytes)
            }
            return false
        }
    }
}

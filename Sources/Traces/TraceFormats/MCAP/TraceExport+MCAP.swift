// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace
import TraceEditing

extension TraceExport {
    /// Writes an MCAP file of JSON messages, uncompressed, with chunks, indexes, checksums and a summary. Foxglove opens it, and
    /// reading it gives the same trace.
    ///
    /// Channels: `/gpsd` with gpsd's reports as they are; `/gps/fix` with foxglove.LocationFix of each position; for each
    /// sensor its kind and id with readings in its own axes (m/s², rad/s, gauss, kPa); `/attitude` with
    /// foxglove.FrameTransform of the device, at most 50 a second, reckoned from the motion sensors where there are a
    /// gyroscope and an accelerometer; `/events` with all others as lines of a trace. The header of the trace is the metadata
    /// record "device-services-trace".
    ///
    /// The log time of a message is that of arrival, the publish time that of measurement: nanoseconds since 1970, or since
    /// the start where the trace does not say when that was.
    ///
    /// - Parameters:
    ///   - path: The file; "-" is standard output.
    ///   - overwrite: Whether a file of that name may be replaced.
    public static func writeMCAP(
        _ trace: TraceFile, to path: String, overwrite: Bool = false
    ) throws(DeviceError) -> [String] {
        var export = try MCAPExport(path: path, overwrite: overwrite, header: TraceReading.header(of: trace))
        var reading = TraceReading(trace)
        while let event = reading.next() { try export.take(event) }
        try export.close()
        return export.remarks + reading.warnings.map(\.description)
    }
}

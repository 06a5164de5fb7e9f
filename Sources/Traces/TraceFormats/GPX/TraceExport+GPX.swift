// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension TraceExport {
    /// Writes the positions of a trace as GPX 1.1: a track with a segment for each stretch without a loss of positions, or
    /// the waypoints that Xcode takes.
    ///
    /// An epoch that was reported several times gives one point, from its last report. Course and speed stand in Garmin's
    /// TrackPointExtension v2, in degrees and metres per second; `ele` is above mean sea level.
    ///
    /// - Parameter path: the file, or "-" for standard output.
    /// - Returns: remarks: what GPX cannot hold.
    /// - Throws: an error when there are no positions, or when the file cannot be written.
    public static func writeGPX(
        _ trace: TraceFile, to path: String, options: PathExportOptions = .init()
    ) throws(DeviceError) -> [String] {
        try PositionPath.with(trace, options) { (positions) throws(DeviceError) in
            var writer = GPXWriter(try ExportFile(path: path, overwrite: options.overwrite), positions)
            return try options.gpxForm == .track ? writer.writeTrack() : writer.writeWaypoints()
        }
    }
}

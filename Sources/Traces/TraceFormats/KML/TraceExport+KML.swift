// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension TraceExport {
    /// Writes the positions of a trace as KML for viewing: a line for each stretch without a loss of positions, and the
    /// same as tracks with times (gx:Track), where positions have them.
    ///
    /// Altitudes are above mean sea level; a stretch that lacks some lies on the ground.
    ///
    /// - Parameter path: the file, or "-" for standard output.
    /// - Returns: remarks: what KML cannot hold.
    /// - Throws: an error when there are no positions, or when the file cannot be written.
    public static func writeKML(
        _ trace: TraceFile, to path: String, options: PathExportOptions = .init()
    ) throws(DeviceError) -> [String] {
        try PositionPath.with(trace, options) { (positions) throws(DeviceError) in
            var writer = KMLWriter(try ExportFile(path: path, overwrite: options.overwrite), positions)
            return try writer.write()
        }
    }
}

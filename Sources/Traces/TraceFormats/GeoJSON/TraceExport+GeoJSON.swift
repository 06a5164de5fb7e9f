// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

extension TraceExport {
    /// Writes the positions of a trace as GeoJSON (RFC 7946) for viewing: a line for each stretch without a loss of
    /// positions, with its times in the property `coordTimes`, as many viewers of tracks read them.
    ///
    /// Places are longitude, latitude and, where all positions of a stretch have it, the height above the WGS 84 ellipsoid
    /// in metres, which is what the RFC wants: an altitude above mean sea level alone is left out. A stretch ends where the
    /// path crosses 180 degrees of longitude.
    ///
    /// - Parameter path: the file, or "-" for standard output.
    /// - Returns: remarks: what GeoJSON cannot hold.
    /// - Throws: an error when there are no positions, or when the file cannot be written.
    public static func writeGeoJSON(
        _ trace: TraceFile, to path: String, options: PathExportOptions = .init()
    ) throws(DeviceError) -> [String] {
        try PositionPath.with(trace, options) { (positions) throws(DeviceError) in
            var writer = GeoJSONWriter(try ExportFile(path: path, overwrite: options.overwrite), positions)
            return try writer.write()
        }
    }
}

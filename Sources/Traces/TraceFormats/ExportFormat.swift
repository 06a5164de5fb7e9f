// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Trace

/// The formats that a trace can be written in.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// A native trace, which holds everything.
    case trace
    /// gpsd's reports, one a line, as `gpspipe -w` prints them.
    case gpsd
    /// A receiver's sentences (NMEA 0183).
    case nmea
    /// Positions as a track of GPX 1.1.
    case gpx
    /// Positions as waypoints of GPX, one a second, as Xcode plays them.
    case xcode
    /// Positions as KML, for viewing.
    case kml
    /// Positions as GeoJSON, for viewing.
    case geojson
    /// Motion readings as CSV.
    case csv
    /// A folder with libiio's XML and raw buffers.
    case iio
    /// An MCAP file, for Foxglove and its like.
    case mcap
    /// A folder of Sensor Logger.
    case sensorLogger = "sensor-logger"

    /// The format that the name of a file asks for; nil when it asks for none.
    public init?(fileName: String) {
        let name = fileName.lowercased()
        guard let format = Self.endings.first(where: { name.hasSuffix($0.ending) })?.format else { return nil }
        self = format
    }

    /// Endings of names of files, for a command's help.
    public static var knownEndings: [String] { endings.map(\.ending) }

    private static let endings: [(ending: String, format: ExportFormat)] = [
        (".trace", .trace), (".jsonl", .trace), (".json", .gpsd), (".nmea", .nmea), (".gpx", .gpx),
        (".kml", .kml), (".geojson", .geojson), (".csv", .csv), (".iio", .iio), (".mcap", .mcap),
        (".sensorlogger", .sensorLogger),
    ]

    /// True for formats of one receiver, which can be chosen.
    public var hasOneReceiver: Bool { [.nmea, .gpx, .xcode, .kml, .geojson, .sensorLogger].contains(self) }

    /// True for formats that have times of arrival on demand.
    public var hasStamps: Bool { [.gpsd, .nmea].contains(self) }

    /// Writes the trace into a file, or a folder where the format is one.
    ///
    /// - Parameters:
    ///   - path: The file; "-" is standard output, for formats that are a file.
    ///   - overwrite: Whether what is there already may be replaced.
    /// - Returns: What the format cannot hold.
    public func write(_ trace: TraceFile, to path: String, overwrite: Bool = false) throws(DeviceError) -> [String] {
        try write(trace, to: path, options: ExportOptions(overwrite: overwrite))
    }

    /// The same with options, of which those that the format does not have are passed over.
    public func write(_ trace: TraceFile, to path: String, options: ExportOptions) throws(DeviceError) -> [String] {
        let overwrite = options.overwrite
        let form: PathExportOptions.GPXForm = self == .xcode ? .xcode : .track
        let positions = PathExportOptions(overwrite: overwrite, receiver: options.receiver, gpxForm: form)
        switch self {
        case .trace: return try TraceExport.writeTrace(trace, to: path, overwrite: overwrite)
        case .gpsd:
            return try TraceExport.writeGPSD(trace, to: path, overwrite: overwrite, hasStamps: options.hasStamps)
        case .nmea:
            var sentences = NMEAExportOptions()
            sentences.overwrite = overwrite
            sentences.receiver = options.receiver
            sentences.stampsArrivals = options.hasStamps
            return try TraceExport.writeNMEA(trace, to: path, options: sentences)
        case .gpx, .xcode: return try TraceExport.writeGPX(trace, to: path, options: positions)
        case .kml: return try TraceExport.writeKML(trace, to: path, options: positions)
        case .geojson: return try TraceExport.writeGeoJSON(trace, to: path, options: positions)
        case .csv: return try TraceExport.writeCSV(trace, to: path, overwrite: overwrite)
        case .iio: return try TraceExport.writeIIO(trace, to: path, overwrite: overwrite)
        case .mcap: return try TraceExport.writeMCAP(trace, to: path, overwrite: overwrite)
        case .sensorLogger:
            return try TraceExport.writeSensorLogger(
                trace, to: path, options: .init(overwrite: overwrite, receiver: options.receiver))
        }
    }
}

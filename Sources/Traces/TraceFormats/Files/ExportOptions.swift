// SPDX-License-Identifier: Apache-2.0

public import NMEAFormat

/// Options for writing a file in any format; see ``RecordingFormat/write(_:to:options:)``.
public struct ExportOptions: Sendable, Hashable {
    /// Whether an existing file may be replaced.
    public var overwrite = false
    /// The permissions of new files, as for chmod(2). A new folder can be entered by all users who can read its files.
    /// nil keeps the permissions of a replaced file and otherwise uses 0600, because a recording contains a person's
    /// locations.
    public var mode: UInt32?
    /// The path of the receiver whose positions are written, for formats of one receiver; nil for the receiver of the
    /// first fix.
    public var receiver: String?
    /// Whether arrival times are written, for gpsd's reports and NMEA.
    public var includesArrivalTimes = false
    /// The name of the track in GPX, KML and GeoJSON; empty for none.
    public var name = ""
    /// The NMEA 0183 sentences to write, and their precision.
    public var nmea = NMEAOptions()
    /// True if damaged reports have already been reported, by the importer that created the trace.
    package var isDamageReported = false

    /// Creates options; all others have their default values.
    public init(
        overwrite: Bool = false, mode: UInt32? = nil, receiver: String? = nil, hasStamps: Bool = false,
        name: String = ""
    ) {
        self.overwrite = overwrite
        self.mode = mode
        self.receiver = receiver
        self.includesArrivalTimes = hasStamps
        self.name = name
    }
}

// SPDX-License-Identifier: Apache-2.0

public import NMEAFormat

/// What a program wants of a file in any format: see ``RecordingFormat/write(_:to:options:)``.
public struct ExportOptions: Sendable, Hashable {
    /// Whether what is there already may be replaced.
    public var overwrite = false
    /// The permissions of files, as of chmod; a folder may be entered by whoever may read them. Nil for 0600, since a
    /// recording tells where somebody was, and for those of the file that is replaced.
    public var mode: UInt32?
    /// The path of the receiver whose positions are written, for formats of one receiver; nil for that of the first fix.
    public var receiver: String?
    /// Whether the times of arrival are written, for gpsd's reports and NMEA.
    public var hasStamps = false
    /// What the way is called, in GPX, KML and GeoJSON; empty for nothing.
    public var name = ""
    /// Which sentences of NMEA 0183, and with how many digits.
    public var nmea = NMEAOptions()
    /// True where who has made the trace has told of damaged reports in what it was made of.
    package var isDamageKnown = false

    /// Options that leave everything to the trace, but for those that are given.
    public init(
        overwrite: Bool = false, mode: UInt32? = nil, receiver: String? = nil, hasStamps: Bool = false,
        name: String = ""
    ) {
        self.overwrite = overwrite
        self.mode = mode
        self.receiver = receiver
        self.hasStamps = hasStamps
        self.name = name
    }
}

// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a program wants of a file in any format: see ``ExportFormat``.
public struct ExportOptions: Sendable, Hashable {
    /// Whether what is there already may be replaced.
    public var overwrite = false
    /// The path of the receiver whose positions are written, for formats of one receiver; nil for that of the first fix.
    public var receiver: String?
    /// Whether the times of arrival are written, for gpsd's reports and NMEA.
    public var hasStamps = false

    /// Options that leave everything to the trace, but for those that are given.
    public init(overwrite: Bool = false, receiver: String? = nil, hasStamps: Bool = false) {
        self.overwrite = overwrite
        self.receiver = receiver
        self.hasStamps = hasStamps
    }
}

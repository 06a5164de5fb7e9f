// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What a gpsd server sends to this client (WATCH).
public struct GPSDWatch: Sendable, Hashable {
    /// True when reports are sent at all.
    public var isEnabled = false
    /// Reports as JSON.
    public var json = false
    /// Sentences as NMEA.
    public var nmea = false
    /// What the receiver sends: 1 as hexadecimal, 2 as it is; 0 not at all.
    public var raw: Int32 = 0
    /// AIS and subframes in units instead of counts.
    public var scaled = false
    /// With the server's own timing.
    public var timing = false
    /// The two halves of AIS 24 apart.
    public var split24 = false
    /// With pulse-per-second reports.
    public var pps = false
    /// The one receiver that is watched; empty when all are.
    public var device = ""

    /// A watch that is off.
    public init() {}
}

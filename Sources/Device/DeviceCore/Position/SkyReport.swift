// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// One view of the sky as a receiver gave it (gpsd's SKY). NaN stands for a number that was not given.
public struct SkyReport: Sendable {
    /// The receiver's path; empty when the report names none.
    public var receiver = ""
    /// The receiver's own time; nil when it gave none.
    public var time: WallTime?
    /// When the report arrived here.
    public var arrival = BootTime.zero
    /// Horizontal dilution of precision.
    public var hdop = Double.nan
    /// Vertical dilution of precision.
    public var vdop = Double.nan
    /// Position (3D) dilution of precision.
    public var pdop = Double.nan
    /// Time dilution of precision.
    public var tdop = Double.nan
    /// Geometric (hyperspherical) dilution of precision.
    public var gdop = Double.nan
    /// East (longitude) dilution of precision.
    public var xdop = Double.nan
    /// North (latitude) dilution of precision.
    public var ydop = Double.nan
    /// Satellites in view as the receiver counts them (nSat); -1 when absent.
    public var visibleCount: Int32 = -1
    /// Satellites used as the receiver counts them (uSat); -1 when absent.
    public var usedCount: Int32 = -1
    /// The satellites; nil when the report carries none (a report of dilutions only).
    public var satellites: [Satellite]?

    /// A view of which nothing is known yet.
    public init() {}
}

// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
public import Geodesy

/// What is taken out of a trace before it is shared.
public struct ScrubOptions: Sendable {
    /// Where the first position comes to lie; nil leaves positions where they are. Distances from it and directions from
    /// it are kept, so that a drive keeps its shape.
    public var place: GeodeticCoordinate? = GeodeticCoordinate(latitude: 0, longitude: 0)
    /// When the trace begins; nil leaves times as they are. Receivers' times move with it.
    public var start: WallTime? = WallTime(nanoseconds: 946_684_800_000_000_000)
    /// Leaves out altitudes, which with a map of the world tell more than one thinks.
    public var dropsAltitude = false
    /// Leaves out where satellites stand in the sky, which together with a time tell the place.
    public var dropsSky = true
    /// Leaves out what was said to accessories and what they answered.
    public var dropsBytes = true

    /// Names accessories after their models, or with a number: users name theirs.
    public var dropsNames = true

    /// Everything but altitudes: the place becomes 0° N 0° E and the start 2000-01-01.
    public init() {}
}

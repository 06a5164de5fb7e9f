// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What a program knows about an NMEA log.
public struct NMEALogOptions: Sendable, Hashable {
    /// The day on which it begins, as any instant of it, for logs that say no date. RMC and ZDA count more, gpsd's
    /// comment `# Date: 2026-11-21` counts less.
    public var date: WallTime?
    /// By how many weeks its dates are early. Receivers that have counted 1024 weeks begin again: 1024 mends their dates.
    public var weeks = 0
    /// True to take sentences without a checksum, false to leave them out; nil takes them when none has one.
    public var allowsMissingChecksum: Bool?
    /// True to work out speed and course when the log has no sentence for them (neither RMC nor VTG).
    public var derivesMotion = true

    /// Options that leave everything to the log.
    public init() {}
}

// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// The readings of a battery, stored in memory.
public struct BatteryTrack: Sendable, Hashable {
    /// The time of each reading, in nanoseconds since the start of the recording. Non-decreasing after an import.
    public private(set) var times: [Int64] = []
    /// The readings, one for each element of ``times``.
    public private(set) var readings: [BatteryReading] = []

    package init() {}

    package var count: Int { times.count }

    /// Appends a reading. Readings may be appended in any order.
    package mutating func append(_ reading: BatteryReading, at time: Int64) {
        times.append(time)
        readings.append(reading)
    }

    /// Sorts the readings by time. The sort is stable.
    mutating func sort() { _ = times.sort(with: &readings) }

    mutating func shift(by nanoseconds: Int64) { times.shift(by: nanoseconds) }
}

// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

/// What a battery said of itself during a recording.
public struct BatteryTrack: Sendable, Hashable {
    /// When each reading came, in nanoseconds since the start of the recording; rising once it is settled.
    public private(set) var times: [Int64] = []
    /// The readings; one for each time.
    public private(set) var readings: [BatteryReading] = []

    /// A track without readings.
    public init() {}

    /// The number of readings.
    public var count: Int { times.count }

    /// Adds a reading. The order may be set right later.
    public mutating func append(_ reading: BatteryReading, at time: Int64) {
        times.append(time)
        readings.append(reading)
    }

    /// Puts the readings in the order of their times, those of one time as they were added.
    mutating func settle() {
        guard zip(times, times.dropFirst()).contains(where: { $1 < $0 }) else { return }
        let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        times = order.map { times[$0] }
        readings = order.map { readings[$0] }
    }

    /// Moves all times.
    mutating func shift(by nanoseconds: Int64) {
        for index in times.indices { times[index] = times[index].addingSaturated(nanoseconds) }
    }
}

// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SensorFusion

/// The attitudes of the last moments, for samples that come in late.
struct AttitudeHistory: Sendable {
    private static let capacity = 256

    private var times: [BootTime] = []
    private var attitudes: [Quaternion] = []
    private var newest = -1

    init() {
        times.reserveCapacity(Self.capacity)
        attitudes.reserveCapacity(Self.capacity)
    }

    mutating func removeAll() {
        times.removeAll(keepingCapacity: true)
        attitudes.removeAll(keepingCapacity: true)
        newest = -1
    }

    /// Adds an attitude; one of the newest time takes that one's place, and after an older time all begins anew.
    mutating func add(_ attitude: Quaternion, at time: BootTime) {
        if newest >= 0 {
            if times[newest] == time {
                attitudes[newest] = attitude
                return
            }
            if times[newest] > time { removeAll() }
        }
        newest = (newest + 1) % Self.capacity
        if newest < times.count {
            times[newest] = time
            attitudes[newest] = attitude
        } else {
            times.append(time)
            attitudes.append(attitude)
        }
    }

    /// The attitude at that time, between the two next to it; nil when the time is not among those that are known.
    func attitude(at time: BootTime) -> Quaternion? {
        guard newest >= 0, time <= times[newest] else { return nil }
        var later = newest
        for _ in 0..<times.count {
            if times[later] <= time { break }
            let earlier = (later + times.count - 1) % times.count
            // Round once: this is the oldest.
            guard times[earlier] < times[later] else { return nil }
            if times[earlier] <= time {
                let span = times[later].seconds(since: times[earlier])
                let part = time.seconds(since: times[earlier]) / span
                return Self.between(attitudes[earlier], attitudes[later], part)
            }
            later = earlier
        }
        return times[later] == time ? attitudes[later] : nil
    }

    /// The attitude on the way from one to the other: the chord instead of the arc, which is the same for small turns.
    private static func between(_ a: Quaternion, _ b: Quaternion, _ part: Double) -> Quaternion {
        let sign: Double = (a.components * b.components).sum() < 0 ? -1 : 1
        return Quaternion(components: a.components * (1 - part) + b.components * (sign * part)).normalized
    }
}

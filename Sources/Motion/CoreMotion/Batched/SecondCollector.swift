// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Groups values by their time stamps into arrays of a second, however the source hands them over.
struct SecondCollector<Value: Sendable>: Sendable {
    private var values: [Value] = []
    private var start = BootTime.zero
    /// More than this do not wait to be complete, whatever their time stamps say.
    private let limit: Int

    /// - Parameter rate: The values a second that are expected at most.
    init(rate: Double) {
        limit = 2 * Int(rate)
    }

    /// Takes a value; returns the array before it when it belongs to the next.
    mutating func take(_ value: Value, at time: BootTime) -> [Value]? {
        var complete: [Value]?
        if !values.isEmpty {
            let seconds = time.seconds(since: start)
            if seconds >= Batches.length || seconds < 0 || values.count >= limit {
                complete = values
                values = []
                values.reserveCapacity(min(limit, (complete?.count ?? 0) + 16))
            }
        }
        if values.isEmpty { start = time }
        values.append(value)
        return complete
    }
}

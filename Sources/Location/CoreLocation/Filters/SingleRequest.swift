// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// One call of `requestLocation()`: waits for a fix that is good enough, and takes the best one when time is up.
struct SingleRequest: Sendable {
    /// A fix from before the request may stand in for one when it is younger than this many seconds.
    static let age = 15.0
    /// What "best" means here, in metres.
    static let bestAccuracy = 10.0

    /// Ends the wait when it fires.
    let timer: ClockTimer
    private(set) var best: CLLocation?

    init(timer: ClockTimer) {
        self.timer = timer
    }

    /// Takes a fix; true when it is as good as was asked for.
    mutating func accept(_ location: CLLocation, desiredAccuracy: Double) -> Bool {
        if let best, best.values.horizontalAccuracy < location.values.horizontalAccuracy {
            return false
        }
        best = location
        // In this order what is not a number counts as best.
        return location.values.horizontalAccuracy <= max(SingleRequest.bestAccuracy, desiredAccuracy)
    }
}

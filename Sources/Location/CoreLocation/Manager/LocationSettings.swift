// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What a program has set on its manager.
struct LocationSettings: Sendable {
    var desiredAccuracy = kCLLocationAccuracyBest
    var distanceFilter = kCLDistanceFilterNone
    var activityType = CLActivityType.other
    var pausesAutomatically = true
    var allowsBackgroundUpdates = false
    var showsBackgroundIndicator = false
    var purpose: String?
    var receiver: String?
    var deliversEveryReport = false
    var keepsRawReports = false
    /// Seconds.
    var requestTimeout = 10.0
}

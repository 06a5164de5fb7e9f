// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A filter that accepts a location if it is far enough from the last accepted location, or more accurate.
struct DistanceFilter: Sendable {
    private var last: (coordinate: CLLocationCoordinate2D, accuracy: Double)?

    mutating func accept(_ coordinate: CLLocationCoordinate2D, accuracy: Double, filter: Double) -> Bool {
        guard filter > 0, let last else {
            last = (coordinate, accuracy)
            return true
        }
        guard accuracy < last.accuracy || geodesicDistance(last.coordinate, coordinate) >= filter else { return false }
        self.last = (coordinate, accuracy)
        return true
    }
}

/// A filter that accepts a location if it is at least 500 metres away from the last accepted location and arrives at
/// least five minutes later.
struct SignificantChangeFilter: Sendable {
    /// The minimum distance, in metres.
    static let distance = 500.0
    /// The minimum interval, in seconds.
    static let interval = 300.0

    private var last: (coordinate: CLLocationCoordinate2D, time: BootTime)?

    mutating func accept(_ coordinate: CLLocationCoordinate2D, now: BootTime) -> Bool {
        if let last {
            guard now.seconds(since: last.time) >= SignificantChangeFilter.interval,
                geodesicDistance(last.coordinate, coordinate) >= SignificantChangeFilter.distance
            else { return false }
        }
        last = (coordinate, now)
        return true
    }
}

/// A call to `requestLocation()`. It finishes with the first fix that is accurate enough or, on timeout, with the best
/// fix.
struct SingleRequest: Sendable {
    /// The maximum age of a cached fix, in seconds.
    static let maximumAge = 15.0
    /// The accuracy that satisfies `kCLLocationAccuracyBest`, in metres.
    static let bestAccuracy = 10.0

    let timer: ClockTimer
    var best: CLLocation?

    /// Records a fix and returns whether it has the desired accuracy.
    mutating func accept(_ location: CLLocation, desiredAccuracy: Double) -> Bool {
        if let best, best.values.horizontalAccuracy < location.values.horizontalAccuracy { return false }
        best = location
        // If `desiredAccuracy` is negative or NaN, `max` returns `bestAccuracy`.
        return location.values.horizontalAccuracy <= max(SingleRequest.bestAccuracy, desiredAccuracy)
    }
}

/// Determines when a manager's updates pause and resume.
struct PauseDetector: Sendable {
    private var detector = StationaryDetector()
    private var restSince: BootTime?
    private(set) var isPaused = false

    /// Processes a fix. Returns true if updates pause, false if they resume, and nil if nothing changes.
    /// - Parameter pauseDelay: The time that the device must be stationary before updates pause, in seconds, or nil if
    ///   they never pause.
    mutating func accept(_ values: CLLocation.Values, now: BootTime, pauseDelay: Double?) -> Bool? {
        guard let pauseDelay else {
            let wasPaused = isPaused
            self = PauseDetector()
            return wasPaused ? false : nil
        }
        _ = detector.accept(values, now: now)
        guard detector.isStationary else {
            restSince = nil
            defer { isPaused = false }
            return isPaused ? false : nil
        }
        let since = restSince ?? now.advanced(bySeconds: -StationaryDetector.minimumDuration)
        restSince = since
        guard !isPaused, now.seconds(since: since) >= pauseDelay else { return nil }
        isPaused = true
        return true
    }
}

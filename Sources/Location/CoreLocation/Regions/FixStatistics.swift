// SPDX-License-Identifier: Apache-2.0

import DeviceCore

struct TrackedFix: Sendable {
    var coordinate: CLLocationCoordinate2D
    /// The horizontal accuracy, in metres.
    var accuracy: Double
    /// The speed in metres per second. Negative if the receiver does not report a speed.
    var speed: Double
    /// The receiver's time, in seconds since 2001-01-01T00:00:00Z, or the system time if the receiver reports none.
    var timestamp: Double
    var arrival: BootTime
}

/// Converts position events to fixes, using the last sky report.
struct FixConverter: Sendable {
    private var sky: SkyReport?

    mutating func process(_ event: PositionEvent, _ clock: any DeviceClock) -> TrackedFix? {
        switch event {
        case .report(let report) where report.hasFix: return TrackedFix(report, sky: sky, wallTime: clock.wallTime)
        case .sky(let sky): self.sky = sky
        case .lost: sky = nil
        case .report, .attitude, .receivers, .line, .regained: break
        }
        return nil
    }
}

extension TrackedFix {
    init(_ report: PositionReport, sky: SkyReport?, wallTime: WallTime) {
        let values = LocationConversion.values(
            of: report, sky: sky.flatMap { $0.belongs(to: report) ? $0 : nil }, fallbackTime: wallTime,
            isSimulated: false, isAccessory: false)
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude),
            accuracy: values.horizontalAccuracy, speed: values.speed, timestamp: values.timestamp,
            arrival: report.arrival)
    }
}

/// Estimates the noise of fixes, and determines whether the device is moving and whether its last step was plausible.
///
/// Averaging fixes reduces only errors that are independent from fix to fix. It does not reduce errors that persist for
/// minutes, which are larger in most receivers.
///
/// The noise is computed from the second difference of positions at nearly equal intervals, x(i) - 2x(i-1) + x(i-2).
/// Its variance is six times the variance of the independent error. Persistent errors and movement at constant velocity
/// hardly affect it.
struct FixStatistics: Sendable {
    /// The minimum speed at which a device counts as moving, in metres per second. Receivers at rest report speeds of
    /// up to half this value.
    static let movingSpeed = 1.0
    /// The maximum interval between two fixes used to measure the noise, in seconds. Over a longer interval, the device
    /// might turn, and the turn would be measured as noise.
    private static let noiseInterval = 3.0
    /// The approximate number of fixes over which the noise is averaged.
    private static let noiseFixCount = 30.0
    /// The duration of `trail`, in seconds. If the receiver does not report a speed, movement is detected from `trail`.
    private static let trailDuration = 15.0
    /// The maximum speed to assume if the receiver does not report a speed, in metres per second.
    private static let assumedMaximumSpeed = 100.0

    /// The variance, per axis, of the errors that are independent from fix to fix, in square metres.
    private(set) var whiteVariance = 0.0
    private(set) var isMoving = false
    /// True if the last two fixes are farther apart than the device could have moved, for example because of a signal
    /// reflection.
    private(set) var isImplausible = false

    private var last: TrackedFix?
    private var lastStep: (x: Double, y: Double, seconds: Double)?
    private var noiseCount = 0.0
    /// Positions in metres relative to the first fix, at least one second apart.
    private var trail: [(x: Double, y: Double, time: Double)] = []
    /// The position of `last` in metres relative to the first fix.
    private var (x, y) = (0.0, 0.0)

    /// Processes a fix. Returns false if the fix is not newer than the previous fix and must be ignored.
    mutating func accept(_ fix: TrackedFix) -> Bool {
        guard let last else {
            start(fix)
            return true
        }
        let seconds = fix.timestamp - last.timestamp
        guard seconds > 0 else {
            // Starts over if the receiver's clock was set back or a different receiver is in use.
            guard seconds < -10, fix.arrival > last.arrival else { return false }
            self = FixStatistics()
            start(fix)
            return true
        }
        let step = Self.step(from: last.coordinate, to: fix.coordinate)
        let length = (step.x * step.x + step.y * step.y).squareRoot()
        updateNoise(step, seconds)
        let speed = max(fix.speed, last.speed)
        // Allows for acceleration between the two fixes, and for the errors in both.
        let maximumDistance = (speed < 0 ? Self.assumedMaximumSpeed : 1.5 * speed) * seconds
        isImplausible = length > maximumDistance + 4 * max(fix.accuracy, last.accuracy) + 10
        (x, y) = (x + step.x, y + step.y)
        isMoving = fix.speed >= 0 ? fix.speed >= Self.movingSpeed : hasMovedAway(fix)
        lastStep = (step.x, step.y, seconds)
        self.last = fix
        if fix.timestamp - (trail.last?.time ?? -.infinity) >= 1 { trail.append((x, y, fix.timestamp)) }
        if let old = trail.firstIndex(where: { fix.timestamp - $0.time <= Self.trailDuration }), old > 0 {
            trail.removeFirst(old)
        }
        return true
    }

    private mutating func start(_ fix: TrackedFix) {
        last = fix
        trail = [(0, 0, fix.timestamp)]
        isMoving = fix.speed >= Self.movingSpeed
    }

    private mutating func updateNoise(_ step: (x: Double, y: Double), _ seconds: Double) {
        guard let lastStep, seconds <= Self.noiseInterval, abs(seconds - lastStep.seconds) <= 0.2 * seconds else {
            return
        }
        let (x, y) = (step.x - lastStep.x, step.y - lastStep.y)
        noiseCount = min(noiseCount + 1, Self.noiseFixCount)
        // For each axis, the mean square of the second difference is six times the variance. The sum over both axes is
        // therefore divided by 12.
        whiteVariance += ((x * x + y * y) / 12 - whiteVariance) / noiseCount
    }

    private func hasMovedAway(_ fix: TrackedFix) -> Bool {
        guard let first = trail.first else { return false }
        return ((x - first.x) * (x - first.x) + (y - first.y) * (y - first.y)).squareRoot() > 2 * fix.accuracy
    }

    /// Returns the eastward and northward distances in metres, accurate only for short steps.
    private static func step(
        from start: CLLocationCoordinate2D, to end: CLLocationCoordinate2D
    ) -> (x: Double, y: Double) {
        var longitude = end.longitude - start.longitude
        if abs(longitude) > 180 { longitude -= longitude > 0 ? 360 : -360 }
        let metresPerDegree = 111_200.0
        let east = longitude * cos(end.latitude * .pi / 180) * metresPerDegree
        return (east, (end.latitude - start.latitude) * metresPerDegree)
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore

struct TrackedFix: Sendable {
    var place: CLLocationCoordinate2D
    /// The horizontal accuracy, in metres. The true position is probably no farther away than this.
    var accuracy: Double
    /// In metres per second; negative if the receiver does not report it.
    var speed: Double
    /// The receiver's time in seconds since 2001-01-01T00:00:00Z.
    var timestamp: Double
    var arrival: BootTime
}

/// A converter from position events to fixes. Sky reports arrive as separate events.
struct FixConverter: Sendable {
    private var sky: SkyReport?

    /// Processes an event. Returns the fix that it contains, if any.
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
    /// Creates a fix from a report that contains one. The sky report is used only if it belongs to this report.
    init(_ report: PositionReport, sky: SkyReport?, wallTime: WallTime) {
        let values = LocationConversion.values(
            of: report, sky: sky.flatMap { $0.belongs(to: report) ? $0 : nil }, fallbackTime: wallTime,
            isSimulated: false, isAccessory: false)
        self.init(
            place: CLLocationCoordinate2D(latitude: values.latitude, longitude: values.longitude),
            accuracy: values.horizontalAccuracy, speed: values.speed, timestamp: values.timestamp,
            arrival: report.arrival)
    }
}

/// Statistics of successive fixes: the error that differs from fix to fix, whether the device moves, and whether it can
/// have moved to its position. Averaging fixes reduces the part of the error that is independent in each fix. It does
/// not reduce the part that persists for minutes, which is the larger part for most receivers. For positions one second
/// apart, x(i) - 2x(i-1) + x(i-2) has six times the variance of the independent part, and is almost unaffected by the
/// persistent part and by movement at constant velocity.
struct FixStatistics: Sendable {
    /// The speed of a moving device, in metres per second. Receivers at rest report up to half of it.
    static let movingSpeed = 1.0
    /// The maximum time between two fixes from which the noise is computed, in seconds. After a longer time, the device
    /// may have turned.
    private static let noiseInterval = 3.0
    /// The approximate number of recent fixes over which the noise is averaged.
    private static let noiseFixCount = 30.0
    /// The time over which movement is detected if the receiver reports no speed, in seconds.
    private static let trailDuration = 15.0
    /// The assumed maximum speed if the receiver reports no speed, in metres per second. Wheeled vehicles are slower.
    private static let assumedMaximumSpeed = 100.0

    /// The variance of the independent error, per axis, in square metres.
    private(set) var whiteVariance = 0.0
    private(set) var isMoving = false
    /// True if the device cannot have moved as far as the last step, for example because a signal reflection began or
    /// ended.
    private(set) var isImplausible = false

    private var last: TrackedFix?
    private var lastStep: (x: Double, y: Double, seconds: Double)?
    private var noiseCount = 0.0
    /// Positions in metres relative to the first fix, at least one second apart.
    private var trail: [(x: Double, y: Double, time: Double)] = []
    private var (x, y) = (0.0, 0.0)

    /// Processes a fix. Returns false if it is not newer than the previous fix and must not be used.
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
        let step = Self.step(from: last.place, to: fix.place)
        let length = (step.x * step.x + step.y * step.y).squareRoot()
        updateNoise(step, seconds)
        let speed = max(fix.speed, last.speed)
        let reach = (speed < 0 ? Self.assumedMaximumSpeed : 1.5 * speed) * seconds
        isImplausible = length > reach + 4 * max(fix.accuracy, last.accuracy) + 10
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
        // The sum of both axes, each with six times the variance.
        whiteVariance += ((x * x + y * y) / 12 - whiteVariance) / noiseCount
    }

    private func hasMovedAway(_ fix: TrackedFix) -> Bool {
        guard let then = trail.first else { return false }
        return ((x - then.x) * (x - then.x) + (y - then.y) * (y - then.y)).squareRoot() > 2 * fix.accuracy
    }

    /// Returns the distances to the east and north in metres. Accurate for short steps only.
    private static func step(
        from start: CLLocationCoordinate2D, to end: CLLocationCoordinate2D
    ) -> (x: Double, y: Double) {
        var longitude = end.longitude - start.longitude
        if abs(longitude) > 180 { longitude -= longitude > 0 ? 360 : -360 }
        let metres = 111_200.0
        return (longitude * cos(end.latitude * .pi / 180) * metres, (end.latitude - start.latitude) * metres)
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// A fix as regions and visits look at it.
struct TrackedFix: Sendable {
    var place: CLLocationCoordinate2D
    /// Metres; the true place is probably not farther away than this.
    var accuracy: Double
    /// Metres per second; negative when the receiver does not say.
    var speed: Double
    /// The receiver's time: seconds since 2001-01-01T00:00:00Z.
    var timestamp: Double
    /// When it arrived.
    var arrival: BootTime
}

/// Makes fixes of the events of a source, which tells of the sky by itself.
struct FixReader: Sendable {
    private var sky: SkyReport?

    /// Takes an event; the fix that it tells of, if any.
    mutating func take(_ event: PositionEvent, _ clock: any DeviceClock) -> TrackedFix? {
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
    /// The fix of a report that has one, with the sky that belongs to it.
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

/// What a row of fixes says about itself: how much of the error jumps from fix to fix, whether the device moves, and
/// whether it got where it is in a way that it could have.
///
/// The part of the error that is new in every fix becomes small when fixes are averaged. The part that stays for minutes,
/// which receivers have most of, does not. Of positions a second apart, x(i) - 2x(i-1) + x(i-2) has six times the variance
/// of the first kind and next to none of the second, nor of a steady drive.
struct PositionTrack: Sendable {
    /// Above this many metres per second the device moves. Receivers at rest report up to half of it.
    static let movingSpeed = 1.0
    /// Fixes that are farther apart than this many seconds say nothing of the noise: the device may have turned.
    private static let noiseInterval = 3.0
    /// The noise is that of the last fixes, about this many.
    private static let memory = 30.0
    /// Without a speed a device moves that has gone farther than its error in this many seconds.
    private static let trailSeconds = 15.0
    /// What nothing on wheels goes, in metres per second, where the receiver tells no speed.
    private static let unknownSpeed = 100.0

    /// Of the error that is new in every fix, per axis: square metres.
    private(set) var whiteVariance = 0.0
    /// True while the device moves.
    private(set) var isMoving = false
    /// True when the last step was longer than the device can have gone: a reflection, or the end of one.
    private(set) var isSudden = false

    private var last: TrackedFix?
    private var lastStep: (x: Double, y: Double, seconds: Double)?
    private var noiseCount = 0.0
    /// Places in metres from the first one, a second or more apart.
    private var trail: [(x: Double, y: Double, time: Double)] = []
    private var (x, y) = (0.0, 0.0)

    /// Takes a fix; false when it is not newer than the one before, and not to be used.
    mutating func accept(_ fix: TrackedFix) -> Bool {
        guard let last else {
            start(fix)
            return true
        }
        let seconds = fix.timestamp - last.timestamp
        guard seconds > 0 else {
            // A receiver whose clock was set back, or another one, begins anew.
            guard seconds < -10, fix.arrival > last.arrival else { return false }
            self = PositionTrack()
            start(fix)
            return true
        }
        let step = Self.step(from: last.place, to: fix.place)
        let length = (step.x * step.x + step.y * step.y).squareRoot()
        noteNoise(step, seconds)
        let speed = max(fix.speed, last.speed)
        let reach = (speed < 0 ? Self.unknownSpeed : 1.5 * speed) * seconds
        isSudden = length > reach + 4 * max(fix.accuracy, last.accuracy) + 10
        (x, y) = (x + step.x, y + step.y)
        isMoving = fix.speed >= 0 ? fix.speed >= Self.movingSpeed : hasMovedAway(fix)
        lastStep = (step.x, step.y, seconds)
        self.last = fix
        if fix.timestamp - (trail.last?.time ?? -.infinity) >= 1 { trail.append((x, y, fix.timestamp)) }
        if let old = trail.firstIndex(where: { fix.timestamp - $0.time <= Self.trailSeconds }), old > 0 {
            trail.removeFirst(old)
        }
        return true
    }

    private mutating func start(_ fix: TrackedFix) {
        last = fix
        trail = [(0, 0, fix.timestamp)]
        isMoving = fix.speed >= Self.movingSpeed
    }

    private mutating func noteNoise(_ step: (x: Double, y: Double), _ seconds: Double) {
        guard let lastStep, seconds <= Self.noiseInterval, abs(seconds - lastStep.seconds) <= 0.2 * seconds else {
            return
        }
        let (x, y) = (step.x - lastStep.x, step.y - lastStep.y)
        noiseCount = min(noiseCount + 1, Self.memory)
        // Two axes, six variances each.
        whiteVariance += ((x * x + y * y) / 12 - whiteVariance) / noiseCount
    }

    private func hasMovedAway(_ fix: TrackedFix) -> Bool {
        guard let then = trail.first else { return false }
        return ((x - then.x) * (x - then.x) + (y - then.y) * (y - then.y)).squareRoot() > 2 * fix.accuracy
    }

    /// Metres to the east and to the north, for small steps.
    private static func step(
        from start: CLLocationCoordinate2D, to end: CLLocationCoordinate2D
    ) -> (x: Double, y: Double) {
        var longitude = end.longitude - start.longitude
        if abs(longitude) > 180 { longitude -= longitude > 0 ? 360 : -360 }
        let metres = 111_200.0
        return (longitude * cos(end.latitude * .pi / 180) * metres, (end.latitude - start.latitude) * metres)
    }
}

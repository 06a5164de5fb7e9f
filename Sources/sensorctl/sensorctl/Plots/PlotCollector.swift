// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Plotting
import SensorTools
import Synchronization

/// Stores the readings for a figure in bounded memory. Must be used on the main thread.
final class PlotCollector: ReadingPrinter {
    struct LineName: Hashable {
        let subject: PlotSubject
        /// The name in the legend, or an empty string if the chart has only one line.
        let name: String
        var isUnreliable = false
    }

    /// The clock of the current playback, or nil for a file of callbacks.
    var clock: (any DeviceClock)?
    /// The start of the trace on the boot clock and the wall clock.
    private let origin: BootTime
    private let start: WallTime
    /// The trace's start on the time axis, in seconds.
    let offset: Double
    private(set) var names: [LineName] = []
    private var lines: [LineName: SeriesDecimator] = [:]
    private(set) var intervals: [StreamName: IntervalCounter] = [:]
    /// The intervals between successive values of each line drawn from the location stream. They are counted per line,
    /// because a location may lack some values.
    private var partIntervals: [LineName: IntervalCounter] = [:]
    private(set) var track = TrackSimplifier()
    /// The last error or advice from each stream, used to explain missing readings.
    private(set) var reasons: [StreamName: String] = [:]

    init(origin: BootTime, start: WallTime, offset: Double) {
        (self.origin, self.start, self.offset) = (origin, start, offset)
    }

    func line(_ name: LineName) -> SeriesDecimator { lines[name] ?? SeriesDecimator() }

    /// Returns the maximum interval, in seconds, across which a line connects two values. Each line has its own maximum
    /// because, for example, a receiver may report the altitude only with every fourth position.
    func gap(of name: LineName) -> Double? {
        let stream = name.subject.stream.flatMap { intervals[$0]?.gap }
        return [stream, partIntervals[name]?.gap].compactMap(\.self).max()
    }

    func print(_ reading: some Reading) {
        switch reading {
        case let reading as MotionReading: process(reading)
        case let reading as DeviceMotionReading: process(reading)
        case let reading as HeadingReading: process(reading)
        case let reading as LocationsReading: for location in reading.locations { process(location) }
        case let failure as LocationFailure: reasons[.location] = failure.error.reason
        case let failure as StreamFailure: reasons[failure.stream] = failure.error.reason
        case let advice as HeadingAdvice: reasons[.heading] = advice.text
        default: break
        }
    }

    private func process(_ location: CLLocation) {
        let time = time(of: location)
        count(.location, time)
        track.add(
            TrackPoint(
                time: time, latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                accuracy: location.horizontalAccuracy))
        if location.speed >= 0 { add(.speed, "", .amount, time, location.speed, margin: location.speedAccuracy) }
        if let altitude = location.altitudeAboveSeaLevel {
            add(.altitude, "above sea level", .plain, time, altitude, margin: location.verticalAccuracy)
        } else if let altitude = location.altitudeAboveEllipsoid {
            add(.altitude, "above the ellipsoid", .plain, time, altitude, margin: location.verticalAccuracy)
        }
        if location.horizontalAccuracy >= 0 { add(.accuracy, "horizontal", .amount, time, location.horizontalAccuracy) }
        if location.verticalAccuracy >= 0 { add(.accuracy, "vertical", .amount, time, location.verticalAccuracy) }
    }

    /// Returns the reported time on the time axis. If it differs from the arrival time by more than 10 s, returns the
    /// arrival time instead.
    private func time(of location: CLLocation) -> Double {
        let reportedTime = location.time.seconds(since: start)
        let arrivalTime = clock?.now.seconds(since: origin) ?? reportedTime
        return offset + (abs(reportedTime - arrivalTime) <= 10 ? reportedTime : arrivalTime)
    }

    private func process(_ reading: MotionReading) {
        let time = offset + origin.secondsTo(reading.timestamp)
        count(reading.stream, time)
        guard let subject = PlotSubject(rawValue: reading.stream.rawValue) else { return }
        for value in reading.values {
            if reading.stream == .pressure, value.name != "pressure" { continue }
            add(subject, reading.stream == .pressure ? "" : value.name, .plain, time, value.number)
        }
    }

    private func process(_ reading: DeviceMotionReading) {
        // Attitude and heading timestamps are already relative to the start of the trace.
        let time = offset + reading.timestamp
        count(.deviceMotion, time)
        for (name, angle) in [("roll", reading.roll), ("pitch", reading.pitch), ("yaw", reading.yaw)] {
            add(.attitude, name, .angle, time, angle * 180 / .pi)
        }
    }

    private func process(_ reading: HeadingReading) {
        let time = offset + reading.timestamp
        count(.heading, time)
        let isTrusted = reading.headingAccuracy >= 0
        let name = !isTrusted ? "not to be trusted" : reading.trueHeading >= 0 ? "true" : "magnetic"
        add(
            .heading, name, .bearing, time, reading.preferredHeading, margin: isTrusted ? reading.headingAccuracy : nil,
            isUnreliable: !isTrusted)
    }

    private func count(_ stream: StreamName, _ time: Double) { intervals[stream, default: IntervalCounter()].add(time) }

    private func add(
        _ subject: PlotSubject, _ name: String, _ quantity: PlotQuantity, _ time: Double, _ value: Double,
        margin: Double? = nil, isUnreliable: Bool = false
    ) {
        let line = LineName(subject: subject, name: name, isUnreliable: isUnreliable)
        if lines[line] == nil { names.append(line) }
        if subject.stream == .location { partIntervals[line, default: IntervalCounter()].add(time) }
        lines[line, default: SeriesDecimator(quantity)].add(PlotPoint(time: time, value: value), margin: margin)
    }
}

/// Collects satellites from receiver reports, because Core Location provides them only with a fix.
final class SatelliteCollector: Sendable {
    private let tracks = Mutex(SkyTracks())
    private let subscription = Mutex<Subscription?>(nil)

    init(_ source: any PositionSource) {
        let new = source.subscribe(PositionRequest()) { [weak self] event in
            guard case .sky(let report) = event, let satellites = report.satellites else { return }
            self?.tracks.withLock { $0.add(satellites) }
        }
        subscription.withLock { $0 = new }
    }

    func end() -> SkyTracks {
        subscription.withLock { $0.take() }?.cancel()
        return tracks.withLock { $0 }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Plotting
import SensorTools
import Synchronization

/// Keeps what managers tell of a trace, as much as a picture shows: readings come to it as `replay` prints them.
final class PlotCollector: ReadingPrinter {
    /// A line of a chart.
    struct LineName: Hashable {
        let subject: PlotSubject
        /// What the legend calls it; empty for the only one.
        let name: String
        var isDoubtful = false
    }

    /// The clock of the device that plays now.
    var clock: (any DeviceClock)?
    /// The trace's start by both clocks.
    private let origin: BootTime
    private let start: WallTime
    /// Seconds by which the trace begins later than the time axis.
    let offset: Double
    private(set) var names: [LineName] = []
    private var lines: [LineName: SeriesThinner] = [:]
    private(set) var intervals: [StreamName: IntervalCounter] = [:]
    /// How what not each location tells comes.
    private var partIntervals: [LineName: IntervalCounter] = [:]
    private(set) var track = TrackThinner()
    /// Why a stream gave nothing, as far as somebody said.
    private(set) var reasons: [StreamName: String] = [:]

    /// - Parameter offset: by how many seconds the trace begins later than the axis.
    init(origin: BootTime, start: WallTime, offset: Double) {
        (self.origin, self.start, self.offset) = (origin, start, offset)
    }

    func line(_ name: LineName) -> SeriesThinner { lines[name] ?? SeriesThinner() }

    /// From how many seconds on a pause of a line is a gap: a receiver may tell the altitude with each fourth position only.
    func gap(of name: LineName) -> Double? {
        let stream = name.subject.stream.flatMap { intervals[$0]?.gap }
        return [stream, partIntervals[name]?.gap].compactMap(\.self).max()
    }

    func print(_ reading: some Reading) {
        switch reading {
        case let reading as MotionReading: take(reading)
        case let reading as DeviceMotionReading: take(reading)
        case let reading as HeadingReading: take(reading)
        case let reading as LocationsReading: for location in reading.locations { take(location) }
        case let failure as LocationFailure: reasons[.location] = failure.error.reason
        case let failure as StreamFailure: reasons[failure.stream] = failure.error.reason
        case let advice as HeadingAdvice: reasons[.heading] = advice.text
        default: break
        }
    }

    private func take(_ location: CLLocation) {
        let time = time(of: location)
        count(.location, time)
        track.add(
            TrackPlace(
                time: time, latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                accuracy: location.horizontalAccuracy))
        if location.speed >= 0 { add(.speed, "", .amount, time, location.speed, margin: location.speedAccuracy) }
        if let altitude = location.altitudeAboveSeaLevel {
            add(.altitude, "above sea level", .plain, time, altitude, margin: location.verticalAccuracy)
        } else if let altitude = location.altitudeAboveEllipsoid {
            add(.altitude, "above the ellipsoid", .plain, time, altitude, margin: location.verticalAccuracy)
        }
        if location.horizontalAccuracy >= 0 {
            add(.accuracy, "horizontal", .amount, time, location.horizontalAccuracy)
        }
        if location.verticalAccuracy >= 0 { add(.accuracy, "vertical", .amount, time, location.verticalAccuracy) }
    }

    /// When it was measured. A receiver whose clock is not that of the machine, or jumps, is taken at the time of its word.
    private func time(of location: CLLocation) -> Double {
        let told = location.time.seconds(since: start)
        let heard = clock?.now.seconds(since: origin) ?? told
        return offset + (abs(told - heard) <= 10 ? told : heard)
    }

    private func take(_ reading: MotionReading) {
        let time = offset + origin.secondsTo(reading.timestamp)
        count(reading.stream, time)
        guard let subject = PlotSubject(rawValue: reading.stream.rawValue) else { return }
        for value in reading.values {
            // What an altimeter makes of the pressure is in metres, which this axis has not.
            if reading.stream == .pressure, value.name != "pressure" { continue }
            add(subject, reading.stream == .pressure ? "" : value.name, .plain, time, value.number)
        }
    }

    private func take(_ reading: DeviceMotionReading) {
        let time = offset + reading.timestamp
        count(.deviceMotion, time)
        for (name, angle) in [("roll", reading.roll), ("pitch", reading.pitch), ("yaw", reading.yaw)] {
            add(.attitude, name, .angle, time, angle * 180 / .pi)
        }
    }

    private func take(_ reading: HeadingReading) {
        let time = offset + reading.timestamp
        count(.heading, time)
        let isTrusted = reading.headingAccuracy >= 0
        let name = !isTrusted ? "not to be trusted" : reading.trueHeading >= 0 ? "true" : "magnetic"
        add(
            .heading, name, .bearing, time, reading.best, margin: isTrusted ? reading.headingAccuracy : nil,
            isDoubtful: !isTrusted)
    }

    private func count(_ stream: StreamName, _ time: Double) {
        intervals[stream, default: IntervalCounter()].add(time)
    }

    private func add(
        _ subject: PlotSubject, _ name: String, _ quantity: PlotQuantity, _ time: Double, _ value: Double,
        margin: Double? = nil, isDoubtful: Bool = false
    ) {
        let line = LineName(subject: subject, name: name, isDoubtful: isDoubtful)
        if lines[line] == nil { names.append(line) }
        if subject.stream == .location { partIntervals[line, default: IntervalCounter()].add(time) }
        lines[line, default: SeriesThinner(quantity)].add(PlotPoint(time: time, value: value), margin: margin)
    }
}

/// Keeps the satellites that receivers tell of, with a fix and without: locations carry them only where there is one.
final class SkyWatch: Sendable {
    private let tracks = Mutex(SkyTracks())
    private let subscription = Mutex<Subscription?>(nil)

    init(_ source: any PositionSource) {
        let new = source.subscribe(PositionRequest()) { [weak self] event in
            guard case .sky(let report) = event, let satellites = report.satellites else { return }
            self?.tracks.withLock { $0.add(satellites) }
        }
        subscription.withLock { $0 = new }
    }

    /// Ends it, and returns what was seen.
    func end() -> SkyTracks {
        subscription.withLock { $0.take() }?.cancel()
        return tracks.withLock { $0 }
    }
}

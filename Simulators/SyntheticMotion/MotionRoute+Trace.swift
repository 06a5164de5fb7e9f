// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import GPSDProtocol
import Geodesy
public import Trace

extension MotionRoute {
    /// The minimum distance, in metres, and the minimum speed, in m/s, for two positions to determine a direction.
    private static let minimumDirectionDistance = 0.5
    private static let minimumDirectionSpeed = 0.3

    /// Creates a route along the positions of one receiver in a trace. The route is treated as a section of a longer
    /// one, so it does not begin or end at rest.
    ///
    /// If the first position has a time, the times in the reports are used, and positions without a time are skipped.
    /// Otherwise, arrival times are used. Altitudes are above mean sea level if available, otherwise above the
    /// ellipsoid. A position without an altitude uses the preceding altitude. Gaps between positions are filled with
    /// straight lines.
    ///
    /// - Parameters:
    ///   - trace: A trace with at least two positions.
    ///   - receiver: The receiver's device path in gpsd. If nil, the receiver of the first position is used.
    /// - Throws: A `DeviceError` if the trace has too few or too many positions, or is too long.
    public init(_ trace: TraceFile, receiver: String? = nil) throws(DeviceError) {
        var reading = TracePositionReader(trace, receiver: receiver)
        var stages: [RouteStage] = []
        var start: WallTime?
        var last: (coordinate: GeodeticCoordinate, altitude: Double, time: Int64)?
        var jumps = 0
        var gaps = 0
        while let found = reading.next() {
            let coordinate = GeodeticCoordinate(latitude: found.report.latitude, longitude: found.report.longitude)
            guard let before = last else {
                start = found.wallTime
                last = (coordinate, found.altitude.isNaN ? 0 : found.altitude, found.time)
                continue
            }
            let seconds = Double(found.time.subtractingSaturated(before.time)) / 1e9
            guard seconds > 0.001 else { continue }
            let path = Geodesic.inverse(from: before.coordinate, to: coordinate)
            let altitude = found.altitude.isNaN ? before.altitude : found.altitude
            let climb = altitude - before.altitude
            guard path.distance / seconds <= Self.maximumSpeed, abs(climb) / seconds <= Self.maximumSpeed,
                Self.altitudes.contains(altitude)
            else {
                jumps += 1
                continue
            }
            if seconds > 60 { gaps += 1 }
            var stage = RouteStage(from: before.coordinate, altitude: before.altitude)
            stage.duration = seconds
            stage.start = stages.last?.end ?? 0
            stage.azimuth = path.initialAzimuth
            stage.climb = climb
            // A stage with a distance of 0 is treated as a stop, so a vertical leg gets a small ground distance.
            stage.distance = max(path.distance, climb == 0 ? 0 : 1e-6)
            stage.firstSpeed = stage.distance / seconds
            (stage.maximumSpeed, stage.lastSpeed) = (stage.firstSpeed, stage.firstSpeed)
            stage.hasDirection =
                path.distance >= Self.minimumDirectionDistance && path.distance / seconds >= Self.minimumDirectionSpeed
            stages.append(stage)
            last = (coordinate, altitude, found.time)
            guard stages.count < Self.maximumCount else {
                throw DeviceError(
                    .notSupported, "\(trace.name) has more than \(Self.maximumCount) positions. Split it into parts.")
            }
            guard stage.end <= Self.maximumDuration else { throw Self.tooLong(stage.end) }
        }
        guard !stages.isEmpty else {
            throw DeviceError(
                .invalidTrace,
                last == nil
                    ? "\(trace.name) contains no positions to synthesize motion from."
                    : "\(trace.name) contains only one position, but motion needs two positions with different times.")
        }
        Self.fillDirections(&stages, heading: 0)
        var remarks: [String] = []
        if jumps > 0 {
            remarks.append(
                "\(jumps) positions of \(trace.name) were skipped, because they require more than \(Int(Self.maximumSpeed)) m/s or are too high or too low."
            )
        }
        if gaps > 0 {
            remarks.append(
                "\(trace.name) has \(gaps) gaps of more than a minute between positions, which were filled with straight lines."
            )
        }
        if reading.otherReceiverCount > 0 {
            remarks.append("\(reading.otherReceiverCount) positions of other receivers were skipped.")
        }
        self.init(stages, extends: true, start: start, remarks: remarks)
    }
}

private struct TracePositionReader {
    struct Position {
        var report: PositionReport
        /// The time in nanoseconds, on the same clock for all positions.
        var time: Int64
        var wallTime: WallTime?

        var altitude: Double { report.altitudeMSL.isNaN ? report.altitudeHAE : report.altitudeMSL }
    }

    private(set) var otherReceiverCount = 0
    private let bytes: TraceBytes
    private let start: WallTime?
    private var cursor: TraceCursor
    private var decoder = GPSDDecoder()
    private var receiver: String?
    /// True if report times are used instead of arrival times. Determined by the first position.
    private var hasReportTimes: Bool?

    init(_ trace: TraceFile, receiver: String?) {
        bytes = trace.bytes
        start = trace.start
        cursor = TraceCursor(trace)
        self.receiver = receiver
    }

    mutating func next() -> Position? {
        bytes.withUnsafeBytes { bytes in
            while let record = cursor.next(bytes) {
                guard record.kind == .gpsd else { continue }
                var report = PositionReport()
                let line = UnsafeRawBufferPointer(rebasing: bytes[record.range])
                guard decoder.decode(line, position: &report) == nil, report.hasFix else { continue }
                if let position = position(report, at: record.time) { return position }
            }
            return nil
        }
    }

    private mutating func position(_ report: PositionReport, at arrival: Int64?) -> Position? {
        if let receiver, !receiver.isEmpty, !report.receiver.isEmpty, receiver != report.receiver {
            otherReceiverCount += 1
            return nil
        }
        if receiver == nil { receiver = report.receiver }
        let hasTimes = hasReportTimes ?? (report.time != nil)
        hasReportTimes = hasTimes
        guard let time = hasTimes ? report.time?.nanoseconds : arrival else { return nil }
        let wallTime =
            report.time
            ?? start.flatMap { start in
                arrival.map { WallTime(nanoseconds: start.nanoseconds.addingSaturated($0)) }
            }
        return Position(report: report, time: time, wallTime: wallTime)
    }
}

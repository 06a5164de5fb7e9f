// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import SensorFusion
import Trace
import TraceEditing

struct MCAPExport: ~Copyable {
    private struct Topic: Hashable {
        var name: String
        var schema: String
    }

    private var writer: MCAPWriter
    private var channels: [Topic: UInt16] = [:]
    private let schemas: [String: UInt16]
    private var decoder = GPSDDecoder()
    private var lines = TraceEventEncoder()
    private var estimator: AttitudeEstimator
    /// The civil time at time zero, in nanoseconds since 1970, or 0 if unknown.
    private let origin: Int64
    private let confidence: PositionDeviations.Confidence
    private var damage = ReportDiagnostics()
    private let isDamageKnown: Bool
    private var positionsWithoutAltitude = 0
    private var positionsAboveSeaLevel = 0

    init(path: String, _ options: ExportOptions, header: TraceHeader) throws(DeviceError) {
        var writer = try MCAPWriter(path: path, options, library: "swift-device-services")
        var schemas: [String: UInt16] = [:]
        for (name, json) in FoxgloveSchema.all { schemas[name] = writer.schema(name: name, json: json) }
        try writer.metadata(name: MCAP.metadataName, [("header", String(decoding: header.line(), as: UTF8.self))])
        self.init(writer, schemas: schemas, header, isDamageKnown: options.isDamageReported)
    }

    /// This initializer must not throw. If the initializer of a noncopyable type throws, Swift 6.2 destroys the default
    /// values of its properties twice.
    private init(
        _ writer: consuming MCAPWriter, schemas: [String: UInt16], _ header: TraceHeader, isDamageKnown: Bool
    ) {
        self.writer = writer
        self.isDamageKnown = isDamageKnown
        self.schemas = schemas
        origin = max(header.start?.wallTime.nanoseconds ?? 0, 0)
        confidence = header.hasPhoneAccuracies ? .sixtyEight : .ninetyFive
        estimator = AttitudeEstimator(header)
    }

    mutating func process(_ event: TraceEvent, line number: Int) throws(DeviceError) {
        let arrival = event.time ?? 0
        let time = absolute(arrival)
        switch event.contents {
        case .gpsd(let line):
            let report = line.withUnsafeBytes { bytes in
                let report = decoder.decode(bytes)
                damage.record(report, decoder, bytes: bytes, line: number)
                return report
            }
            // Lines that are not JSON are omitted, because some readers stop at an invalid message.
            guard line.withUnsafeBytes({ JSONLine.object($0) != nil }) else { return }
            // `/gpsd` is written before the derived `/gps/fix`, so that an import already knows of `/gpsd` when it has
            // to decide whether to ignore `/gps/fix`.
            try write(topic: MCAP.gpsdTopic, schema: FoxgloveSchema.gpsdName, time, time, line)
            if case .position(var report) = report, report.hasFix {
                _ = report.removeImplausibleValues()
                switch FoxgloveMessage.altitude(report) {
                case nil: positionsWithoutAltitude += 1
                case (_, true)?: positionsAboveSeaLevel += 1
                default: break
                }
                let measured = report.time.map { UInt64(max($0.nanoseconds, 0)) } ?? time
                try write(
                    topic: "/gps/fix", schema: FoxgloveSchema.locationFixName, derivedFrom: MCAP.gpsdTopic,
                    time, measured, FoxgloveMessage.location(report, confidence, at: measured))
            }
        case .sample(let value, let kind, let sensor, let stamp):
            let measured = absolute(stamp ?? arrival)
            let name = sensor == kind.rawValue ? "/\(kind.rawValue)" : "/\(kind.rawValue)/\(sensor)"
            try write(
                topic: name, schema: kind.isVector ? FoxgloveSchema.vectorName : FoxgloveSchema.scalarName, time,
                measured, FoxgloveMessage.sample(value, kind: kind, sensor: sensor, at: measured))
            if let (attitude, parent) = estimator.process(value, kind: kind, sensor: sensor, at: stamp ?? arrival) {
                try write(
                    topic: "/attitude", schema: FoxgloveSchema.frameTransformName, time, measured,
                    FoxgloveMessage.transform(attitude, parent: parent, at: measured))
            }
        case .gpsdText, .lost, .regained, .sensorLost, .sensorRegained, .battery, .accessory, .beacon:
            if case .gpsdText(let line) = event.contents, line.first == UInt8(ascii: "{") {
                damage.record(text: line, &decoder, line: number)
            }
            var text: [UInt8] = []
            lines.append(TraceEvent(time: arrival, event.contents), to: &text)
            for line in text.split(separator: UInt8(ascii: "\n")) {
                try write(topic: "/events", schema: FoxgloveSchema.eventName, time, time, [UInt8](line))
            }
        }
    }

    mutating func close() throws(DeviceError) { try writer.close() }

    /// Remarks about positions that `/gps/fix` cannot represent exactly. `/gpsd` contains the original reports.
    var remarks: [String] {
        var remarks = isDamageKnown ? [] : damage.remarks
        remarks.appendRemark(
            count: positionsWithoutAltitude,
            "positions have no altitude; /gps/fix requires one and contains 0 with an error of 1000 km.")
        remarks.appendRemark(
            count: positionsAboveSeaLevel,
            "positions have an altitude above mean sea level only; /gps/fix contains that altitude, although ROS expects it above the ellipsoid."
        )
        return remarks
    }

    private func absolute(_ time: Int64) -> UInt64 { UInt64(max(origin.addingSaturated(time), 0)) }

    private mutating func write(
        topic name: String, schema: String, derivedFrom origin: String? = nil, _ logged: UInt64, _ published: UInt64,
        _ data: [UInt8]
    ) throws(DeviceError) {
        let topic = Topic(name: name, schema: schema)
        let channel: UInt16
        if let known = channels[topic] {
            channel = known
        } else {
            channel = writer.channel(
                topic: name, schema: schemas[schema] ?? 0, metadata: origin.map { [(MCAP.derivedKey, $0)] } ?? [])
            channels[topic] = channel
        }
        try writer.message(channel, logged: logged, published: published, data)
    }
}

extension RecordingFormat {
    /// An uncompressed MCAP file of JSON messages. Foxglove can open the file, and importing it restores the trace.
    ///
    /// The channels are:
    ///
    /// - `/gpsd`: unchanged gpsd reports.
    /// - `/gps/fix`: a foxglove.LocationFix for each position.
    /// - `/<kind>` or `/<kind>/<id>`: the readings of a sensor, in the sensor's axes (m/s², rad/s, gauss, kPa).
    /// - `/attitude`: the device's attitude, computed from the motion sensors, as foxglove.FrameTransform messages. The
    ///   trace must contain a gyroscope and an accelerometer. There are at most 50 messages per second.
    /// - `/events`: all other events, as trace lines.
    ///
    /// The metadata record "device-services-trace" contains the trace header. A message's log time is its arrival time,
    /// and its publish time is the measurement time. Both are in nanoseconds since 1970, or since time zero if the
    /// trace has no start time.
    public static let mcap = RecordingFormat(
        name: "mcap", title: "MCAP", fileExtensions: [".mcap"], reportsDamage: true,
        detect: { (input) throws(DeviceError) in input.prefix.starts(with: MCAP.magic) ? .certain : nil },
        read: { (input, _) throws(DeviceError) in
            let builder = TraceBuilder(name: input.name)
            let remarks = try MCAPImport.read(input.chunks, into: builder)
            return .trace(try builder.file(), remarks: remarks)
        },
        writer: { (trace, path, options) throws(DeviceError) in
            var export = try MCAPExport(path: path, options, header: TimedEventReader.header(of: trace))
            var reading = TimedEventReader(trace)
            while let event = reading.next() { try export.process(event, line: reading.line) }
            try export.close()
            return export.remarks + reading.diagnostics.remarks
        })
}

/// Computes the device's attitude from the first gyroscope, accelerometer and magnetometer of a trace.
struct AttitudeEstimator {
    /// The minimum interval between attitudes, in nanoseconds (20 ms).
    private static let interval: Int64 = 20_000_000
    private var filter = AttitudeFilter()
    private let sensors: [SensorDescription.ID: SensorDescription]
    private var last: Int64?
    private var hasAcceleration = false

    init(_ header: TraceHeader) {
        var sensors: [SensorDescription.ID: SensorDescription] = [:]
        for kind in [SensorKind.gyroscope, .accelerometer, .magnetometer] {
            if let sensor = header.sensors.first(where: { $0.kind == kind }) { sensors[sensor.id] = sensor }
        }
        self.sensors = sensors
    }

    /// Processes a reading. If an attitude is due, returns the attitude and the name of its reference frame: "earth" or
    /// "start". The axes of "earth" point east, magnetic north and up. If magnetic north is unknown, the frame is
    /// "start", whose heading is relative to an arbitrary direction.
    mutating func process(
        _ value: SIMD3<Double>, kind: SensorKind, sensor: SensorDescription.ID, at time: Int64
    ) -> (Quaternion, String)? {
        guard let sensor = sensors[sensor], sensor.kind == kind else { return nil }
        let value = sensor.mountMatrix.isIdentity ? value : sensor.mountMatrix.apply(to: value)
        let seconds = Double(time) / 1e9
        if kind == .accelerometer {
            filter.updateAccelerometer(value, timestamp: seconds)
            hasAcceleration = true
        } else if kind == .magnetometer {
            filter.updateMagnetometer(value, timestamp: seconds)
        } else if kind == .gyroscope {
            filter.updateGyroscope(value, timestamp: seconds)
            guard hasAcceleration, last.map({ time.subtractingSaturated($0) >= Self.interval }) ?? true else {
                return nil
            }
            last = time
            if let attitude = filter.magneticAttitude { return (attitude, "earth") }
            return (filter.attitude, "start")
        }
        return nil
    }
}

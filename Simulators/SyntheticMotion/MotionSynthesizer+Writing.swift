// SPDX-License-Identifier: Apache-2.0

public import DeviceCore
import GPSDProtocol
import JSONBytes
public import Trace

/// The result of writing a synthetic trace.
public struct SynthesisSummary: Sendable, Hashable {
    /// The number of motion samples.
    public var samples = 0
    /// The number of positions.
    public var fixes = 0
    /// True if the trace reaches the end of the route, or false if `isRunning` returned false before the end.
    public var isComplete = true
}

extension MotionSynthesizer {
    /// Returns the header of the trace, which contains the clocks, the sensors and the synthesis parameters.
    package func header() -> TraceHeader { header(SyntheticSources(options)) }

    /// Writes the trace in chronological order. Memory use does not depend on the trace's length.
    ///
    /// The same route, options and seed produce the same bytes.
    ///
    /// - Parameters:
    ///   - sink: The destination.
    ///   - isRunning: A closure that is called once per second of the trace and returns false to end the trace.
    /// - Throws: Any error that the sink throws.
    @discardableResult public func write(
        to sink: any TraceSink, while isRunning: () -> Bool = { true }
    ) throws(DeviceError) -> SynthesisSummary {
        var sources = SyntheticSources(options)
        try sink.write(header(sources))
        var summary = SynthesisSummary()
        var path = SmoothPath(route, options)
        let end = Int64((duration * 1e9).rounded())
        var second: Int64 = 0
        let sensorFromDevice = options.mountMatrix.inverseRotation
        while let next = sources.next(until: end) {
            let time = sources.measuringTime(next)
            if time / 1_000_000_000 > second {
                ReadProgress.update(Int(clamping: time), of: Int(clamping: end))
                second = time / 1_000_000_000
                guard isRunning() else {
                    summary.isComplete = false
                    break
                }
            }
            let state = state(at: Double(time) / 1e9, on: &path)
            switch next {
            case .motion:
                let rate = sources.reading(.gyroscope, sensorFromDevice.apply(to: state.rotationRate))
                try write(rate, .gyroscope, time, sink, &summary)
                let force = sources.reading(.accelerometer, sensorFromDevice.apply(to: state.specificForce))
                try write(force, .accelerometer, time, sink, &summary)
            case .field:
                let field = sensorFromDevice.apply(to: field(state))
                try write(
                    sources.reading(.magnetometer, options.softIron.apply(to: field) + options.hardIron),
                    .magnetometer, time, sink, &summary)
            case .pressure:
                let pressure = StandardAtmosphere.pressure(altitude: state.altitude)
                try write(sources.reading(.pressure, [pressure, 0, 0]), .pressure, time, sink, &summary)
            case .fix:
                let report = sources.receiver.report(
                    state, time: WallTime(nanoseconds: start.nanoseconds.addingSaturated(time)), options)
                try sink.write(TraceEvent(time: sources.arrivalTime(next), .gpsd(GPSDEncoder.encode(report))))
                summary.fixes += 1
            }
            sources.advance(next)
        }
        return summary
    }

    private func write(
        _ value: SIMD3<Double>, _ kind: SensorKind, _ time: Int64, _ sink: any TraceSink,
        _ summary: inout SynthesisSummary
    ) throws(DeviceError) {
        try sink.write(TraceEvent(time: time, .sample(value, kind: kind, sensor: kind.rawValue, stamp: nil)))
        summary.samples += 1
    }

    private func header(_ sources: SyntheticSources) -> TraceHeader {
        var header = TraceHeader(start: .init(wallTime: start, boot: options.boot))
        header.clock = "virtual"
        header.recorder = "SyntheticMotion"
        let rates = options.rates
        if let unit = options.inertialUnit {
            header.add(sensor(.accelerometer, unit.name, rates.motion))
            header.add(sensor(.gyroscope, unit.name, rates.motion))
        }
        if let model = options.magnetometer { header.add(sensor(.magnetometer, model.name, rates.field)) }
        if let model = options.barometer { header.add(sensor(.pressure, model.name, rates.pressure)) }
        if options.fixRate > 0 {
            var receiver = ReceiverDescription()
            receiver.path = options.receiverName
            receiver.driver = "synthetic"
            receiver.cycle = 1 / options.fixRate
            header.devices = [TraceDevice(receiver)]
            header.source = "synthetic"
        }
        header.otherMembers = [
            TraceMember(name: "synthetic", json: options.json(biases: sources.biases, duration: duration))
        ]
        return header
    }

    private func sensor(_ kind: SensorKind, _ name: String, _ rate: Double) -> SensorDescription {
        var sensor = SensorDescription(id: kind.rawValue, kind: kind)
        sensor.name = name
        sensor.source = "synthetic"
        sensor.rates = .list([rate])
        sensor.mode = .recorded
        if kind.isVector {
            sensor.mountMatrix = options.mountMatrix
            sensor.mountMatrixOrigin = "synthetic"
        }
        return sensor
    }
}

extension MotionOptions {
    /// Returns the synthesis parameters as a JSON object. The duration is in seconds. The keys are part of the trace
    /// format, so they do not change if properties are renamed.
    func json(biases: [(kind: SensorKind, value: SIMD3<Double>)], duration: Double) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("seed")
        // A seed may exceed the range of Int64.
        writer.raw(Array(String(seed).utf8))
        writer.member("duration", duration)
        writer.member("sampleRate", sampleRate)
        writer.member("fixRate", fixRate)
        writer.member("fixDelay", fixDelay)
        writer.member("smoothing", smoothing)
        writer.member("turns", leanMode.rawValue)
        writer.member("pitches", followsSlope)
        writer.member("earthRotates", earthRotates)
        if !placement.isIdentity { writer.member("placement", placement.text) }
        writer.member("imu", inertialUnit?.name ?? "none")
        writer.member("magnetometer", magnetometer?.name ?? "none")
        writer.member("barometer", barometer?.name ?? "none")
        writer.member("receiver", receiver.name)
        writer.member("geoidSeparation", geoidSeparation)
        writer.member("biasFraction", biasFraction)
        writer.object("bias") { writer in
            for (kind, value) in biases where value != .zero {
                writer.member(text: kind.rawValue, kind.isVector ? [value.x, value.y, value.z] : [value.x])
            }
        }
        if hardIron != .zero { writer.member("hardIron", hardIron) }
        if !softIron.isIdentity { writer.member("softIron", softIron.text) }
        writer.endObject()
        return writer.bytes
    }
}

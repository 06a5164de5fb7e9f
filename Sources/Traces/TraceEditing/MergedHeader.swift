// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Trace

/// The header of a merged trace, and what the sensors, receivers and accessories of each part are called in it.
struct MergedHeader {
    private(set) var header: TraceHeader
    private(set) var remarks: [String] = []
    /// For each trace the sensors that are called otherwise now.
    private var names: [[SensorDescription.ID: SensorDescription.ID]] = [[:]]
    /// The same of receivers.
    private let receivers: [ReceiverRenaming]
    /// The trace whose battery is told: a device has one. Nil when none tells of any.
    let batteryTrace: Int?
    /// The traces whose errors of 68 per cent become such of 95.
    private let phones: Set<Int>

    /// - Parameters:
    ///   - offset: By how much the first trace is moved.
    ///   - receivers: For each trace the receivers that are called otherwise now.
    ///   - batteryTrace: The trace whose battery is told.
    ///   - phones: The traces whose errors of 68 per cent become such of 95, because others have those.
    init(
        _ first: TraceHeader, offset: Int64, receivers: [[String: String]], batteryTrace: Int?, phones: Set<Int> = []
    ) {
        header = first
        self.phones = phones
        self.receivers = receivers.map { ReceiverRenaming(names: $0) }
        self.batteryTrace = batteryTrace
        header.devices = devices(of: first, 0)
        if let start = first.start {
            header.start = TraceHeader.Start(
                wallTime: WallTime(nanoseconds: start.wallTime.nanoseconds.subtractingSaturated(offset)),
                // Those of several machines have nothing to do with each other.
                boot: BootTime(nanoseconds: max(0, start.boot.nanoseconds.subtractingSaturated(offset))))
        }
    }

    /// Takes in the header of a further trace.
    /// - Parameters:
    ///   - number: Its place, counted from 1.
    ///   - file: What to call it in remarks.
    mutating func add(_ other: TraceHeader, number: Int, file: String) {
        var renamed: [SensorDescription.ID: SensorDescription.ID] = [:]
        for var sensor in other.sensors {
            let id = sensor.id
            while header.sensors.contains(where: { $0.id == sensor.id }) { sensor.id += "-\(number)" }
            if sensor.id != id {
                renamed[id] = sensor.id
                remarks.append("The sensor \(id) of \(file) is called \(sensor.id) here, where \(id) is another.")
            }
            header.add(sensor)
            header.calibrations[sensor.id] = other.calibrations[id]
        }
        names.append(renamed)
        let devices = devices(of: other, number - 1)
        header.devices.append(contentsOf: devices.filter { !header.devices.contains($0) })
        header.contexts.append(contentsOf: other.contexts.filter { !header.contexts.contains($0) })
        if batteryTrace == number - 1 { header.battery = other.battery }
        header.units.merge(other.units) { former, _ in former }
    }

    /// Says whether all errors are a phone's.
    mutating func set(hasPhoneAccuracies: Bool) { header.hasPhoneAccuracies = hasPhoneAccuracies }

    /// A phone's position with errors as gpsd has them. Such positions were written here, so that nothing else is lost.
    private static func withUsualErrors(_ line: [UInt8]) -> [UInt8] {
        var decoder = GPSDDecoder()
        guard let report = decoder.position(line) else { return line }
        return GPSDEncoder.line(report.with(errors: .ninetyFive, insteadOf: .sixtyEight))
    }

    /// An event of a trace as it stands in the merged one; nil for one of another battery.
    /// - Parameters:
    ///   - offset: By how much the trace is moved.
    ///   - trace: Its place, counted from 0.
    func moved(_ event: TraceEvent, by offset: Int64, trace: Int) -> TraceEvent? {
        var event = event
        event.time = (event.time ?? 0).addingSaturated(offset)
        switch event.contents {
        case .sample(let value, let kind, let sensor, let stamp):
            event.contents = .sample(
                value, kind: kind, sensor: name(sensor, trace), stamp: stamp?.addingSaturated(offset))
        case .sensorLost(let error, let sensor):
            event.contents = .sensorLost(error, sensor: name(sensor, trace))
        case .sensorRegained(let sensor): event.contents = .sensorRegained(sensor: name(sensor, trace))
        case .accessory(var accessory) where trace > 0:
            accessory.accessory += "-\(trace + 1)"
            event.contents = .accessory(accessory)
        case .gpsd(let line):
            let line = phones.contains(trace) ? Self.withUsualErrors(line) : line
            event.contents = .gpsd(receivers.indices.contains(trace) ? receivers[trace].apply(to: line) : line)
        case .battery: if trace != batteryTrace { return nil }
        case .accessory, .gpsdText, .lost, .regained, .beacon: break
        }
        return event
    }

    private func name(_ sensor: SensorDescription.ID, _ trace: Int) -> SensorDescription.ID {
        names.indices.contains(trace) ? names[trace][sensor] ?? sensor : sensor
    }

    private func devices(of header: TraceHeader, _ trace: Int) -> [TraceDevice] {
        guard receivers.indices.contains(trace) else { return header.devices }
        return header.devices.map { device in
            var device = device
            device.receiver.path = receivers[trace].names[device.receiver.path] ?? device.receiver.path
            return device
        }
    }
}

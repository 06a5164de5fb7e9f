// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import NMEAFormat
import Trace

/// The header of a merged trace, and the new names of the sensors, receivers and accessories in each source trace.
struct MergedHeader {
    private(set) var header: TraceHeader
    private(set) var remarks: [String] = []
    /// The new IDs of renamed sensors, per trace. The first trace keeps its IDs.
    private var sensorNames: [[SensorDescription.ID: SensorDescription.ID]] = [[:]]
    /// The new names of receivers, per trace.
    private let receivers: [ReceiverRenaming]
    /// The index of the trace whose battery events are kept, or nil if no trace has a battery. A device has only one
    /// battery.
    let batteryTrace: Int?
    /// The indices of the traces whose accuracies are converted from the 68 % to the 95 % confidence level.
    private let phoneTraces: Set<Int>

    /// Creates a merged header from the first trace's header. `offset`, in nanoseconds, is added to that trace's times.
    init(
        _ first: TraceHeader, offset: Int64, receivers: [[String: String]], batteryTrace: Int?, phones: Set<Int> = []
    ) {
        header = first
        self.phoneTraces = phones
        self.receivers = receivers.map { ReceiverRenaming(names: $0) }
        self.batteryTrace = batteryTrace
        header.devices = devices(of: first, 0)
        if let start = first.start {
            header.start = TraceHeader.Start(
                wallTime: WallTime(nanoseconds: start.wallTime.nanoseconds.subtractingSaturated(offset)),
                // The boot time is based on the first trace only, because the boot times of different machines are
                // unrelated.
                boot: BootTime(nanoseconds: max(0, start.boot.nanoseconds.subtractingSaturated(offset))))
        }
    }

    /// Adds the header of the next trace. `number` is the trace's number, starting at 1.
    mutating func add(_ other: TraceHeader, number: Int, file: String) {
        var renamed: [SensorDescription.ID: SensorDescription.ID] = [:]
        for var sensor in other.sensors {
            let id = sensor.id
            while header.sensors.contains(where: { $0.id == sensor.id }) { sensor.id += "-\(number)" }
            if sensor.id != id {
                renamed[id] = sensor.id
                remarks.append(
                    "The sensor \(id) of \(file) was renamed to \(sensor.id), because another sensor is named \(id).")
            }
            header.add(sensor)
            header.calibrations[sensor.id] = other.calibrations[id]
        }
        sensorNames.append(renamed)
        let devices = devices(of: other, number - 1)
        header.devices.append(contentsOf: devices.filter { !header.devices.contains($0) })
        header.contexts.append(contentsOf: other.contexts.filter { !header.contexts.contains($0) })
        if batteryTrace == number - 1 { header.battery = other.battery }
        header.units.merge(other.units) { former, _ in former }
    }

    mutating func set(hasPhoneAccuracies: Bool) { header.hasPhoneAccuracies = hasPhoneAccuracies }

    /// Converts the accuracies of a phone's position from the 68 % confidence level to gpsd's 95 % level. Decoding and
    /// re-encoding the report loses no information, because the same encoder wrote the original.
    private static func withNinetyFivePercentErrors(_ line: [UInt8]) -> [UInt8] {
        var decoder = GPSDDecoder()
        guard let report = decoder.position(line) else { return line }
        return GPSDEncoder.encode(report.convertingErrors(to: .ninetyFive, from: .sixtyEight))
    }

    /// Returns an event as it appears in the merged trace, or nil for a battery event that is omitted.
    func merged(_ event: TraceEvent, offset: Int64, trace: Int) -> TraceEvent? {
        var event = event
        event.time = (event.time ?? 0).addingSaturated(offset)
        switch event.contents {
        case .sample(let value, let kind, let sensor, let stamp):
            event.contents = .sample(
                value, kind: kind, sensor: name(sensor, trace), stamp: stamp?.addingSaturated(offset))
        case .sensorLost(let error, let sensor):
            event.contents = .sensorLost(error, sensor: name(sensor, trace))
        case .sensorRegained(let sensor): event.contents = .sensorRegained(sensor: name(sensor, trace))
        // In the first trace, only accessory IDs with a hyphen are changed, because they could match a new accessory ID
        // from another trace.
        case .accessory(var accessory) where trace > 0 || accessory.accessory.contains("-"):
            accessory.accessory += "-\(trace + 1)"
            event.contents = .accessory(accessory)
        case .gpsd(let line):
            let line = phoneTraces.contains(trace) ? Self.withNinetyFivePercentErrors(line) : line
            event.contents = .gpsd(receivers.indices.contains(trace) ? receivers[trace].apply(to: line) : line)
        case .battery: if trace != batteryTrace { return nil }
        case .accessory, .gpsdText, .lost, .regained, .beacon: break
        }
        return event
    }

    private func name(_ sensor: SensorDescription.ID, _ trace: Int) -> SensorDescription.ID {
        sensorNames.indices.contains(trace) ? sensorNames[trace][sensor] ?? sensor : sensor
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

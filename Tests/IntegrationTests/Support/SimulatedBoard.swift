// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import IIODSimulator
import IIOFormat
import TraceFormats

/// Contexts and recordings for the simulated iiod.
enum SimulatedBoard {
    struct Unreadable: Error {
        let name: String
    }

    /// Reads a context with its attribute values from the folder of traces.
    static func context(_ name: String) throws -> IIOContext {
        let folder = Tools.motionTraces
        let xml = try Data(contentsOf: folder.appendingPathComponent("\(name).xml"))
        var context = try IIOContext(xml: Array(xml), name: name)
        let values = folder.appendingPathComponent("\(name).values.json")
        if let json = try? Data(contentsOf: values) {
            let unknown = try context.setValues(json: Array(json), name: name)
            guard unknown.isEmpty else { throw Unreadable(name: "\(name): \(unknown)") }
        }
        return context
    }

    /// A context with an accelerometer, a gyroscope and a magnetometer, each a separate device.
    static func nineAxes(rate: Double = 100) -> SimulatedIIOContext {
        let kinds: [SensorKind] = [.accelerometer, .gyroscope, .magnetometer]
        let sensors = kinds.map { kind in
            var sensor = SensorDescription(id: "board/\(kind.rawValue)", kind: kind)
            sensor.name = "board-\(kind.rawValue)"
            sensor.rates = .list([50, 100, 200])
            return sensor
        }
        return SimulatedIIOContext(
            sensors: sensors, peaks: [.accelerometer: 80, .gyroscope: 40, .magnetometer: 10], rate: rate)
    }

    /// Reads a recording from the folder of traces as tracks in SI units and gauss, without the seconds in `gap`.
    static func tracks(_ name: String, without gap: Range<Double> = 0..<0) throws -> [IIOSampleTrack] {
        let path = Tools.motionTraces.appendingPathComponent("\(name).csv")
        let text = String(decoding: try Data(contentsOf: path), as: UTF8.self)
        let all = text.split(separator: "\n").dropFirst().map { $0.split(separator: ",").compactMap { Double($0) } }
        guard all.allSatisfy({ $0.count == 10 }), all.count > 100 else { throw Unreadable(name: name) }
        let rows = all.filter { !gap.contains($0[0]) }
        let times = rows.map { row in
            let seconds = row[0] < gap.lowerBound ? row[0] : row[0] - (gap.upperBound - gap.lowerBound)
            return Int64((seconds * 1e9).rounded())
        }
        func track(_ kind: SensorKind, _ column: Int) -> IIOSampleTrack {
            IIOSampleTrack(
                kind: kind, times: times,
                values: rows.map { SIMD3($0[column], $0[column + 1], $0[column + 2]) })
        }
        return [track(.accelerometer, 1), track(.gyroscope, 4), track(.magnetometer, 7)]
    }
}

extension IIOContext {
    /// Sets an existing value.
    mutating func set(_ value: String, for key: String) throws {
        guard setValue(value, for: key) else { throw SimulatedBoard.Unreadable(name: key) }
    }
}

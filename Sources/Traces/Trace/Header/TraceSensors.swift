// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The sensors of a trace: those listed in the header, and those that appear only in events.
struct TraceSensors: Sendable {
    /// The maximum number of sensors. Events from any further sensors are rejected.
    static let maximumCount = 256
    /// The maximum length of a sensor ID, in bytes.
    static let maximumIDLength = 1024
    /// The sensors listed in the header, followed by the other sensors in order of appearance.
    private(set) var descriptions: [SensorDescription] = []
    /// The sensor IDs in UTF-8, in the order of `descriptions`.
    private var names: [[UInt8]] = []
    /// The index of the default sensor of each kind, or a negative value if there is none. An event without a sensor ID
    /// belongs to the default sensor of its kind. The vector has room for eight kinds.
    private var defaultIndices = SIMD8<Int32>(repeating: -1)

    init(_ sensors: [SensorDescription]) {
        for sensor in sensors where descriptions.count < Self.maximumCount { add(sensor) }
        for kind in SensorKind.allCases {
            let named = descriptions.firstIndex { $0.kind == kind && $0.id == kind.rawValue }
            if let index = named ?? descriptions.firstIndex(where: { $0.kind == kind }) {
                defaultIndices[kind.index] = Int32(index)
            }
        }
    }

    static func isValid(idLength count: Int) -> Bool { count > 0 && count <= maximumIDLength }

    @inline(__always) func defaultIndex(of kind: SensorKind) -> Int32 { defaultIndices[kind.index] }

    /// Returns the index of the sensor with this ID and kind, or a negative value if there is no such sensor yet.
    @inline(__always) func index(of name: UnsafeRawBufferPointer, kind: SensorKind) -> Int32 {
        var index = 0
        while index < names.count {
            if names[index].count == name.count, descriptions[index].kind == kind, names[index].elementsEqual(name) {
                return Int32(truncatingIfNeeded: index)
            }
            index &+= 1
        }
        return -1
    }

    /// Returns the index of the kind's default sensor, adding the sensor if there is none yet. Returns a negative value
    /// if the maximum number of sensors has been reached.
    mutating func findOrAddDefault(_ kind: SensorKind) -> Int32 {
        let index = defaultIndex(of: kind)
        guard index < 0 else { return index }
        let added = findOrAdd(kind.rawValue, kind: kind)
        defaultIndices[kind.index] = added
        return added
    }

    /// Returns the index of the sensor with this ID, adding the sensor if there is none. Returns a negative value if
    /// the ID is invalid or belongs to a sensor of a different kind, or if the maximum number of sensors has been
    /// reached.
    mutating func findOrAdd(_ name: String, kind: SensorKind) -> Int32 {
        if let index = descriptions.firstIndex(where: { $0.id == name }) {
            return descriptions[index].kind == kind ? Int32(index) : -1
        }
        guard Self.isValid(idLength: name.utf8.count), descriptions.count < Self.maximumCount else { return -1 }
        var sensor = SensorDescription(id: name, kind: kind)
        sensor.mode = .recorded
        sensor.remarks = [
            "The trace header does not describe this sensor; its axes are assumed to be those of the device."
        ]
        add(sensor)
        return Int32(descriptions.count - 1)
    }

    /// Returns the index of the sensor with this ID, regardless of its kind. If there is none and `name` is the name of
    /// a kind, returns the index of that kind's default sensor, which is added if necessary. Returns a negative value
    /// if neither applies, or if the sensor cannot be added.
    mutating func findOrAddDefault(_ name: String) -> Int32 {
        if let index = descriptions.firstIndex(where: { $0.id == name }) { return Int32(index) }
        guard let kind = SensorKind(rawValue: name) else { return -1 }
        return findOrAddDefault(kind)
    }

    private mutating func add(_ sensor: SensorDescription) {
        descriptions.append(sensor)
        names.append([UInt8](sensor.id.utf8))
    }
}

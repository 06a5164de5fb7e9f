// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The sensors of a trace: those of its header, and those that events speak of without it.
struct TraceSensors: Sendable {
    /// The most sensors that are told apart; events of further ones cannot be read.
    static let maximumCount = 256
    /// The longest name of a sensor, in bytes.
    static let maximumNameLength = 1024

    /// The header's, then the others in the order in which they appeared.
    private(set) var descriptions: [SensorDescription] = []
    /// Their ids in UTF-8.
    private var names: [[UInt8]] = []
    /// For each kind the sensor that an event means which names none; below zero while there is none.
    private var standard = SIMD8<Int32>(repeating: -1)

    /// The sensors of a header.
    init(_ sensors: [SensorDescription]) {
        for sensor in sensors where descriptions.count < Self.maximumCount { add(sensor) }
        for kind in SensorKind.allCases {
            let named = descriptions.firstIndex { $0.kind == kind && $0.id == kind.rawValue }
            if let index = named ?? descriptions.firstIndex(where: { $0.kind == kind }) {
                standard[kind.place] = Int32(index)
            }
        }
    }

    /// True when a name of so many bytes can be a sensor's.
    static func isUsable(id count: Int) -> Bool { count > 0 && count <= maximumNameLength }

    /// The sensor that an event without a name means, as far as there is one already.
    @inline(__always)
    func known(_ kind: SensorKind) -> Int32 { standard[kind.place] }

    /// The sensor of that name and kind, as far as there is one already; below zero when there is none.
    @inline(__always)
    func known(_ name: UnsafeRawBufferPointer, kind: SensorKind) -> Int32 {
        var index = 0
        while index < names.count {
            if names[index].count == name.count, descriptions[index].kind == kind, names[index].elementsEqual(name) {
                return Int32(truncatingIfNeeded: index)
            }
            index &+= 1
        }
        return -1
    }

    /// The sensor that an event without a name means; made up when the header has none of the kind. Below zero when
    /// there are too many.
    mutating func find(_ kind: SensorKind) -> Int32 {
        let index = known(kind)
        guard index < 0 else { return index }
        let made = find(kind.rawValue, kind: kind)
        standard[kind.place] = made
        return made
    }

    /// The sensor of that name; made up when there is none. Below zero when there is one of another kind, or when there
    /// are too many.
    mutating func find(_ name: String, kind: SensorKind) -> Int32 {
        if let index = descriptions.firstIndex(where: { $0.id == name }) {
            return descriptions[index].kind == kind ? Int32(index) : -1
        }
        guard Self.isUsable(id: name.utf8.count), descriptions.count < Self.maximumCount else { return -1 }
        var sensor = SensorDescription(id: name, kind: kind)
        sensor.mode = .recorded
        sensor.remarks = ["The trace's header does not describe it; its axes are taken for the device's."]
        add(sensor)
        return Int32(descriptions.count - 1)
    }

    /// The sensor of that name, whatever its kind, or the one that stands for the kind of that name. Below zero when
    /// there is neither.
    mutating func find(_ name: String) -> Int32 {
        if let index = descriptions.firstIndex(where: { $0.id == name }) { return Int32(index) }
        guard let kind = SensorKind(rawValue: name) else { return -1 }
        return find(kind)
    }

    private mutating func add(_ sensor: SensorDescription) {
        descriptions.append(sensor)
        names.append([UInt8](sensor.id.utf8))
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension SensorKind {
    /// The JSON text that precedes the first number of a reading of this kind, such as `,"pressure":`.
    var lineKey: StaticString {
        switch self {
        case .accelerometer: ",\"accelerometer\":["
        case .gyroscope: ",\"gyroscope\":["
        case .magnetometer: ",\"magnetometer\":["
        case .pressure: ",\"pressure\":"
        }
    }

    /// The index of this kind in arrays with one element per kind.
    @inline(__always) var index: Int {
        switch self {
        case .accelerometer: 0
        case .gyroscope: 1
        case .magnetometer: 2
        case .pressure: 3
        }
    }

    @inline(__always) private init?(initial: UInt8) {
        switch initial {
        case UInt8(ascii: "a"): self = .accelerometer
        case UInt8(ascii: "g"): self = .gyroscope
        case UInt8(ascii: "m"): self = .magnetometer
        case UInt8(ascii: "p"): self = .pressure
        default: return nil
        }
    }

    /// Parses the key of a sensor kind at offset `at` and advances `at` past it. Returns nil if there is none.
    @inline(__always) init?(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, end: Int) {
        guard end &- at > 4, let kind = SensorKind(initial: bytes[at &+ 2]) else { return nil }
        let key = kind.lineKey
        guard ByteMatching.hasPrefix(bytes, at: at, end: end, key) else { return nil }
        at &+= key.utf8CodeUnitCount
        self = kind
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// How a line of a trace begins that holds a reading: the table of what only traces know of sensor kinds.
extension SensorKind {
    /// The key of its readings, with the comma before it, up to where the first number begins.
    var lineKey: StaticString {
        switch self {
        case .accelerometer: ",\"accelerometer\":["
        case .gyroscope: ",\"gyroscope\":["
        case .magnetometer: ",\"magnetometer\":["
        case .pressure: ",\"pressure\":"
        }
    }

    /// Its place in lists that hold one entry for each kind; below 8.
    @inline(__always)
    var place: Int {
        switch self {
        case .accelerometer: 0
        case .gyroscope: 1
        case .magnetometer: 2
        case .pressure: 3
        }
    }

    /// The kind whose name begins with that letter. No two begin with the same one.
    @inline(__always)
    private init?(initial: UInt8) {
        switch initial {
        case UInt8(ascii: "a"): self = .accelerometer
        case UInt8(ascii: "g"): self = .gyroscope
        case UInt8(ascii: "m"): self = .magnetometer
        case UInt8(ascii: "p"): self = .pressure
        default: return nil
        }
    }

    /// The kind whose key stands there, and moves behind it.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, end: Int) {
        guard end &- at > 4, let kind = SensorKind(initial: bytes[at &+ 2]) else { return nil }
        let key = kind.lineKey
        guard Bytes.start(bytes, at: at, end: end, with: key) else { return nil }
        at &+= key.utf8CodeUnitCount
        self = kind
    }
}

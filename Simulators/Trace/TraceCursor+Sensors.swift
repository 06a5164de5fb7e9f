// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension TraceCursor {
    /// Goes through the rest of a native trace for its sensors alone, in a third of the time that reading takes.
    mutating func collectSensors(_ bytes: UnsafeRawBufferPointer) {
        while let (range, isEnded) = lines.next(bytes) {
            if isEnded, namesNothingNew(bytes, range) { continue }
            _ = nativeRecord(bytes, range, isEnded: isEnded)
        }
    }

    /// True for a line that, whether it can be read or not, makes up no sensor: one that begins with a report of gpsd, and
    /// a reading in the form that is written here, of a sensor that is known already.
    private func namesNothingNew(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
        let end = line.upperBound
        guard Bytes.start(bytes, at: line.lowerBound, end: end, with: "{\"t\":") else { return false }
        var at = line.lowerBound &+ 5
        Self.skipNumbers(bytes, &at, end: end)
        guard end &- at > 4 else { return false }
        let kind: SensorKind
        switch bytes[at &+ 2] {
        case UInt8(ascii: "a") where Bytes.start(bytes, at: at, end: end, with: ",\"accelerometer\":["):
            kind = .accelerometer
            at &+= 18
        case UInt8(ascii: "g") where Bytes.start(bytes, at: at, end: end, with: ",\"gyroscope\":["):
            kind = .gyroscope
            at &+= 14
        case UInt8(ascii: "m") where Bytes.start(bytes, at: at, end: end, with: ",\"magnetometer\":["):
            kind = .magnetometer
            at &+= 17
        case UInt8(ascii: "p") where Bytes.start(bytes, at: at, end: end, with: ",\"pressure\":"):
            kind = .pressure
            at &+= 12
        default:
            return Bytes.start(bytes, at: at, end: end, with: ",\"gpsd\":{")
        }
        Self.skipNumbers(bytes, &at, end: end)
        if kind.isVector {
            guard at < end, bytes[at] == UInt8(ascii: "]") else { return false }
            at &+= 1
        }
        var isKnown = table.known(kind) >= 0
        if Bytes.start(bytes, at: at, end: end, with: ",\"sensor\":\"") {
            at &+= 11
            let name = at
            while at < end, bytes[at] != UInt8(ascii: "\"") {
                if bytes[at] == UInt8(ascii: "\\") { return false }
                at &+= 1
            }
            isKnown = table.known(UnsafeRawBufferPointer(rebasing: bytes[name..<at]), kind: kind) >= 0
            at &+= 1
        }
        if Bytes.start(bytes, at: at, end: end, with: ",\"stamp\":") {
            at &+= 9
            Self.skipNumbers(bytes, &at, end: end)
        }
        return isKnown && at == end &- 1
    }

    /// Moves behind everything that numbers in a list consist of.
    @inline(__always)
    private static func skipNumbers(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, end: Int) {
        while at < end {
            let byte = bytes[at]
            // Digits, and from "+" to ".": those two, the comma and the minus sign.
            guard byte &- UInt8(ascii: "0") <= 9 || byte &- UInt8(ascii: "+") <= 3 || byte == UInt8(ascii: "e") else {
                return
            }
            // A comma that a key follows ends the numbers.
            if byte == UInt8(ascii: ","), at &+ 1 < end, bytes[at &+ 1] == UInt8(ascii: "\"") { return }
            at &+= 1
        }
    }
}

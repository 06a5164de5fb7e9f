// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// What can be seen of a line of a native trace without reading all of it. Made for lines as they are written here.
package enum TraceLine {
    /// When its event happened, in nanoseconds since the start; nil when it does not begin with that.
    package static func time(_ line: UnsafeRawBufferPointer) -> Int64? {
        guard Bytes.start(line, at: 0, end: line.count, with: "{\"t\":") else { return nil }
        var at = 5
        return TraceSeconds.scan(line, &at, end: line.count)
    }

    /// True for a reading of a motion sensor.
    package static func isReading(_ line: UnsafeRawBufferPointer) -> Bool {
        guard Bytes.start(line, at: 0, end: line.count, with: "{\"t\":") else { return false }
        var at = 5
        guard TraceSeconds.scan(line, &at, end: line.count) != nil else { return false }
        return SensorKind(line, &at, end: line.count) != nil
    }
}

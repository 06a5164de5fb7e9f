// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import JSONBytes
import Trace
import TraceEditing

extension TraceSummary {
    /// One object and a line end.
    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("name")
        writer.string(name)
        if let start = header.start {
            writer.key("start")
            writer.string(CivilDate(start.wallTime).iso8601(decimals: 9))
            writer.key("boot")
            writer.double(Double(start.boot.nanoseconds) / 1e9)
        }
        writer.key("duration")
        writer.double(Double(duration) / 1e9)
        writer.key("events")
        writer.int(count)
        for (key, value) in [("recorder", header.recorder), ("source", header.source)] where !value.isEmpty {
            writer.key(text: key)
            writer.string(value)
        }
        if !faults.isEmpty {
            writer.key("faults")
            writer.raw(faults.utf8)
        }
        writer.key("streams")
        writer.beginArray()
        for stream in streams { stream.write(to: &writer) }
        writer.endArray()
        if let positions {
            writer.key("positions")
            positions.write(to: &writer)
        }
        writer.key("clocks")
        writer.beginArray()
        for pair in clocks {
            writer.beginObject()
            writer.key("time")
            writer.double(Double(pair.time) / 1e9)
            writer.key("receiver")
            writer.string(CivilDate(pair.receiver).iso8601(decimals: 9))
            writer.endObject()
        }
        writer.endArray()
        if let clockDrift {
            writer.key("clockDrift")
            writer.double(clockDrift)
        }
        writer.key("warnings")
        writer.int(warningCount)
        writer.endObject()
        writer.newline()
        return writer.bytes
    }
}

extension TraceSummary.Stream {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("kind")
        writer.string(kind)
        writer.key("origin")
        writer.string(origin)
        writer.key("count")
        writer.int(count)
        writer.key("first")
        writer.double(Double(first) / 1e9)
        writer.key("last")
        writer.double(Double(last) / 1e9)
        writer.key("rate")
        writer.double(rate ?? .nan)
        writer.key("gaps")
        writer.int(gapCount)
        writer.key("longest")
        writer.double(Double(longestInterval) / 1e9)
        writer.key("longestStart")
        writer.double(Double(longestStart) / 1e9)
        writer.endObject()
    }
}

extension TraceSummary.Positions {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("count")
        writer.int(count)
        writer.key("fixes")
        writer.int(fixCount)
        writer.key("withAltitude")
        writer.int(threeDimensionalCount)
        writer.key("medianError")
        writer.double(medianError)
        writer.key("south")
        writer.double(south)
        writer.key("west")
        writer.double(west)
        writer.key("north")
        writer.double(north)
        writer.key("east")
        writer.double(east)
        writer.key("distance")
        writer.double(distance)
        if let firstTime, let lastTime {
            writer.key("firstTime")
            writer.string(CivilDate(firstTime).iso8601(decimals: 3))
            writer.key("lastTime")
            writer.string(CivilDate(lastTime).iso8601(decimals: 3))
        }
        writer.endObject()
    }
}

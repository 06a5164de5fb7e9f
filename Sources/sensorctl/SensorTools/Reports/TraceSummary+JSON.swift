// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
package import JSONBytes
import Trace
package import TraceEditing

extension TraceSummary: Report {
    package func write(to writer: inout JSONWriter) {
        writer.line { writer in
            writer.member("name", name)
            if let start = header.start {
                writer.member("start", CivilDate(start.wallTime).iso8601(decimals: 9))
                writer.member("boot", Double(start.boot.nanoseconds) / 1e9)
            }
            writer.member("duration", Double(duration) / 1e9)
            writer.member("events", count)
            writer.memberIfPresent("recorder", header.recorder.isEmpty ? nil : header.recorder)
            writer.memberIfPresent("source", header.source.isEmpty ? nil : header.source)
            if !faults.isEmpty {
                writer.key("faults")
                writer.raw(faults.utf8)
            }
            writer.array("streams") { writer in
                for stream in streams { stream.write(to: &writer) }
            }
            if let positions {
                writer.key("positions")
                positions.write(to: &writer)
            }
            writer.array("clocks") { writer in
                for pair in clocks {
                    writer.object { writer in
                        writer.member("time", Double(pair.time) / 1e9)
                        writer.member("receiver", CivilDate(pair.receiver).iso8601(decimals: 9))
                    }
                }
            }
            writer.memberIfPresent("clockDrift", clockDrift)
            writer.member("warnings", warningCount)
        }
    }
}

extension TraceSummary.Stream {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("kind", kind)
            writer.member("origin", origin)
            writer.member("count", count)
            writer.member("first", Double(first) / 1e9)
            writer.member("last", Double(last) / 1e9)
            writer.member("rate", rate ?? .nan)
            writer.member("gaps", gapCount)
            writer.member("longest", Double(longestInterval) / 1e9)
            writer.member("longestStart", Double(longestStart) / 1e9)
        }
    }
}

extension TraceSummary.Positions {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("count", count)
            writer.member("fixes", fixCount)
            writer.member("withAltitude", threeDimensionalCount)
            writer.member("medianError", medianError)
            writer.member("south", south)
            writer.member("west", west)
            writer.member("north", north)
            writer.member("east", east)
            writer.member("distance", distance)
            if let firstTime, let lastTime {
                writer.member("firstTime", CivilDate(firstTime).iso8601(decimals: 3))
                writer.member("lastTime", CivilDate(lastTime).iso8601(decimals: 3))
            }
        }
    }
}

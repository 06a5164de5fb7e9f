// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import DeviceCore
import GPSDProtocol
import Trace

extension FaultEdit {
    /// Leaves of a position only when it was.
    mutating func loseFix(of event: inout TraceEvent, _ receiver: String?) {
        guard case .gpsd(let line) = event.contents, let report = decoder.position(line),
            receiver == nil || receiver == report.receiver
        else { return }
        var lost = PositionReport()
        lost.receiver = report.receiver
        lost.time = report.time
        lost.mode = .none
        event.contents = .gpsd(GPSDEncoder.line(lost))
    }

    /// Moves the times that a receiver tells, and leaves all else of its reports as it is.
    func stepClock(of event: inout TraceEvent, _ receiver: String?, by seconds: Double) {
        guard case .gpsd(let line) = event.contents, let shift = Int64(saturatingSeconds: seconds) else { return }
        event.contents = .gpsd(ReportEdit(shift: shift, movesMachine: false, only: receiver).apply(to: line))
    }

    /// Changes a reading.
    mutating func change(_ event: inout TraceEvent, by fault: TraceFault, _ index: Int) {
        guard case .sample(var value, let kind, let sensor, let stamp) = event.contents else { return }
        switch fault.action {
        case .stuck(let axis):
            let former = held[index][sensor] ?? value
            held[index][sensor] = former
            if let axis { value[axis] = former[axis] } else { value = former }
        case .saturation(let limit):
            value = value.clamped(lowerBound: SIMD3(repeating: -limit), upperBound: SIMD3(repeating: limit))
        case .disturbance(let more): value += kind.isVector ? more : SIMD3(more.x, 0, 0)
        default: return
        }
        event.contents = .sample(value, kind: kind, sensor: sensor, stamp: stamp)
    }
}

extension TraceHeader {
    /// Adds to what was let go wrong: {"seed":"1","list":"nofix"}, from the second time on an array of such.
    mutating func noteFaults(_ list: String, seed: UInt64) {
        var writer = JSONWriter()
        writer.object { writer in
            // As text: not every reader of JSON keeps 64 bits.
            writer.member("seed", String(seed))
            writer.member("list", list)
        }
        var json = writer.bytes
        if let former = otherMembers.first(where: { $0.name == "faults" })?.json {
            let comma = [UInt8(ascii: ",")]
            let isList = former.first == UInt8(ascii: "[") && former.last == UInt8(ascii: "]")
            let others = isList ? Array(former.dropFirst().dropLast()) : former
            let hasOthers = !others.allSatisfy { $0 <= UInt8(ascii: " ") }
            json = [UInt8(ascii: "[")] + (hasOthers ? others + comma : []) + json + [UInt8(ascii: "]")]
        }
        otherMembers.removeAll { $0.name == "faults" }
        otherMembers.append(TraceMember(name: "faults", json: json))
    }
}

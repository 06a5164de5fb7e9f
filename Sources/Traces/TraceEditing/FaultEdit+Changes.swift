// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import DeviceCore
import GPSDProtocol
import Trace

/// The faults that change the contents of an event.
extension FaultEdit {
    /// Removes everything from a position report except the receiver and the time.
    mutating func removeFix(from event: inout TraceEvent, _ receiver: String?) {
        guard case .gpsd(let line) = event.contents, let report = decoder.position(line),
            receiver == nil || receiver == report.receiver
        else { return }
        var lost = PositionReport()
        lost.receiver = report.receiver
        lost.time = report.time
        lost.mode = .none
        event.contents = .gpsd(GPSDEncoder.encode(lost))
    }

    /// Shifts the times in a receiver's reports and leaves the rest of the reports unchanged.
    func shiftTimes(of event: inout TraceEvent, _ receiver: String?, by seconds: Double) {
        guard case .gpsd(let line) = event.contents, let shift = Int64(saturatingSeconds: seconds) else { return }
        let edit = ReportEdit(shift: shift, shiftsHostTimes: false, receiverFilter: receiver)
        event.contents = .gpsd(edit.apply(to: line))
    }

    /// Changes the value of a reading. `index` is the fault's index in `faults` and `stuckValues`.
    mutating func change(_ event: inout TraceEvent, by fault: TraceFault, _ index: Int) {
        guard case .sample(var value, let kind, let sensor, let stamp) = event.contents else { return }
        switch fault.action {
        case .stuck(let axis):
            let stuckValue = stuckValues[index][sensor] ?? value
            stuckValues[index][sensor] = stuckValue
            if let axis { value[axis] = stuckValue[axis] } else { value = stuckValue }
        case .saturation(let limit):
            value = value.clamped(lowerBound: SIMD3(repeating: -limit), upperBound: SIMD3(repeating: limit))
        case .disturbance(let more): value += kind.isVector ? more : SIMD3(more.x, 0, 0)
        default: return
        }
        event.contents = .sample(value, kind: kind, sensor: sensor, stamp: stamp)
    }
}

extension TraceHeader {
    /// Adds the faults to the header's `faults` member, as in {"seed":"1","list":"nofix"}. If the header already
    /// contains faults, the member becomes an array.
    mutating func addFaults(_ list: String, seed: UInt64) {
        var writer = JSONWriter()
        writer.object { writer in
            // The seed is encoded as text because not every JSON parser preserves 64-bit integers.
            writer.member("seed", String(seed))
            writer.member("list", list)
        }
        var json = writer.bytes
        if let existing = otherMembers.first(where: { $0.name == "faults" })?.json {
            let comma = [UInt8(ascii: ",")]
            let isList = existing.first == UInt8(ascii: "[") && existing.last == UInt8(ascii: "]")
            let others = isList ? Array(existing.dropFirst().dropLast()) : existing
            let hasOthers = !others.allSatisfy { $0 <= UInt8(ascii: " ") }
            json = [UInt8(ascii: "[")] + (hasOthers ? others + comma : []) + json + [UInt8(ascii: "]")]
        }
        otherMembers.removeAll { $0.name == "faults" }
        otherMembers.append(TraceMember(name: "faults", json: json))
    }
}

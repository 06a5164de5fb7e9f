// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls
import Trace
import TraceEditing

/// A trace that was saved from a ring.
package struct RingSave: Sendable {
    /// The trace.
    package var path: String
    /// The events in it, without those that say what held at its start.
    package var count: Int
    /// From its start to its last event.
    package var seconds: Double
    /// What could not be read.
    package var remarks: [String]

    /// Writes what segments have of a stretch of time as a trace that begins there. The file is there when it is whole and
    /// on the disk; the segments stay.
    ///
    /// - Parameters:
    ///   - from: in nanoseconds since the start of the recording; the first event where that is later.
    ///   - path: where nothing is yet; asked for when the trace is whole, for others may be saved meanwhile.
    ///   - temporary: where it is written until it is whole, on the same file system, where files need a name.
    ///   - mode: the permissions of the trace; nil for 0600.
    /// - Returns: Nil when there is nothing in the stretch.
    static func write(
        _ reading: inout RingReading, from: Int64 = 0, to: Int64 = .max, triggers: [RingTrigger]? = nil,
        path: @escaping @Sendable @autoclosure () -> String, temporary: String, mode: UInt32? = nil,
        disk: RingDisk = .system
    ) throws(DeviceError) -> RingSave? {
        guard let extent = try reading.extent(), extent.first <= to else { return nil }
        let start = min(max(from, extent.first), to)
        do throws(DeviceError) {
            let chosen = Chosen()
            let name: @Sendable () -> String = { chosen.take(path()) }
            let writer = TraceWriter(try TraceOutput(named: name, temporary: temporary, mode: mode), clock: LiveClock())
            var edit = CutEdit(nanoseconds: start...to)
            var moved = try edit.header(reading.header ?? TraceHeader())
            let marks = triggers ?? reading.triggers
            moved.otherMembers.removeAll { $0.name == RingTrigger.member }
            if !marks.isEmpty { moved.otherMembers.append(RingTrigger.list(marks, since: start)) }
            try writer.write(moved)
            var count = 0
            var last = start
            try reading.forEach { event throws(DeviceError) in
                var events: [TraceEvent] = []
                edit.take(event, into: &events)
                for event in events { try writer.write(event) }
                let time = event.time ?? 0
                if time >= start, time <= to {
                    count += 1
                    last = time
                }
            }
            try writer.close()
            let saved = chosen.path.withLock { $0 }
            try disk.syncFolder(NewFile.split(saved).folder)
            return RingSave(path: saved, count: count, seconds: Double(last - start) / 1e9, remarks: reading.remarks)
        } catch {
            throw Self.unsaved(path(), error)
        }
    }

    /// A full disk is told of by the name that the trace would have had.
    private static func unsaved(_ path: String, _ error: DeviceError) -> DeviceError {
        guard case .system(_, let number)? = error.cause, number == ENOSPC || number == EDQUOT || number == EFBIG else {
            return error
        }
        var error = error
        error.message =
            "There is no space left to save \(path); the ring has all of it. Free some and record again, which saves it."
        return error
    }
}

/// The name that was asked for last.
private final class Chosen: Sendable {
    let path = Mutex("")

    func take(_ path: String) -> String {
        self.path.withLock { $0 = path }
        return path
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import SystemCalls
import Trace
import TraceEditing

/// A trace that was saved from the segments of a ring or from those left behind by an earlier recorder.
package struct SavedTrace: Sendable {
    package var path: String
    /// The number of recorded events, excluding those that restore the initial state.
    package var count: Int
    /// The time from the start of the trace to its last event, in seconds.
    package var seconds: Double
    /// Remarks about damaged segments.
    package var remarks: [String]

    /// Writes the events in a period to a trace. Returns nil if there are none. Times are in nanoseconds since the
    /// start of the recording.
    ///
    /// `path` returns an unused path for the complete trace. If the file system does not support unnamed files, the
    /// trace is first written to the path `temporary`. The header lists `triggers`. If `triggers` is nil, the header
    /// lists the triggers that the segments contain.
    static func write(
        _ reading: inout RingReader, from: Int64 = 0, to: Int64 = .max, triggers: [RingTrigger]? = nil,
        path: @escaping @Sendable @autoclosure () -> String, temporary: String, mode: UInt32? = nil,
        disk: DiskSynchronizer = .system
    ) throws(DeviceError) -> SavedTrace? {
        guard let extent = try reading.extent(), extent.first <= to else { return nil }
        let start = min(max(from, extent.first), to)
        do throws(DeviceError) {
            let chosen = LastPath()
            let name: @Sendable () -> String = { chosen.store(path()) }
            let writer = TraceWriter(try TraceOutput(named: name, temporary: temporary, mode: mode), clock: LiveClock())
            var edit = ExcerptEdit(nanoseconds: start...to)
            var editedHeader = try edit.header(reading.header ?? TraceHeader())
            let recordedTriggers = triggers ?? reading.triggers
            editedHeader.otherMembers.removeAll { $0.name == RingTrigger.member }
            if !recordedTriggers.isEmpty {
                editedHeader.otherMembers.append(RingTrigger.list(recordedTriggers, since: start))
            }
            try writer.write(editedHeader)
            var count = 0
            var last = start
            try reading.forEach { event throws(DeviceError) in
                var events: [TraceEvent] = []
                edit.process(event, into: &events)
                for event in events { try writer.write(event) }
                let time = event.time ?? 0
                if time >= start, time <= to {
                    count += 1
                    last = time
                }
            }
            try writer.close()
            let saved = chosen.path.withLock { $0 }
            try disk.syncFolder(ExclusiveFile.split(saved).folder)
            return SavedTrace(path: saved, count: count, seconds: Double(last - start) / 1e9, remarks: reading.remarks)
        } catch {
            throw Self.saveError(path(), error)
        }
    }

    /// If the error was caused by a full file system, replaces its message with one that includes the trace's path.
    /// Returns other errors unchanged.
    private static func saveError(_ path: String, _ error: DeviceError) -> DeviceError {
        guard case .system(_, let number)? = error.cause, number == ENOSPC || number == EDQUOT || number == EFBIG else {
            return error
        }
        var error = error
        error.message =
            "There is no space left to save \(path): the ring occupies all of it. Free some space and record again to save it."
        return error
    }
}

/// The path at which a trace is saved. If several paths are tried, this is the last one.
private final class LastPath: Sendable {
    let path = Mutex("")

    func store(_ path: String) -> String {
        self.path.withLock { $0 = path }
        return path
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Trace
import TraceEditing

extension PlaybackOptions {
    /// Returns the trace with the faults. Throws an error if a fault does not apply to the trace or if it has no effect
    /// on the part that is played.
    func injectFaults(into trace: TraceFile) throws(DeviceError) -> TraceFile {
        if faults.isEmpty { return trace }
        for fault in faults {
            if let to, fault.start > to { throw Self.error(fault, "begins after the end of playback") }
            if let duration = fault.duration, fault.start + duration <= from {
                throw Self.error(fault, "ends before the start of playback")
            }
        }
        return try TraceEditor.trace(trace, edits: [FaultEdit(faults, seed: seed)], named: trace.name)
    }

    private static func error(_ fault: TraceFault, _ problem: String) -> DeviceError {
        DeviceError(
            .invalidConfiguration,
            "The fault \"\(fault.description)\" \(problem), so it has no effect. Change its time, or play more of the trace."
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceEditing

/// What goes wrong in a recording, for the verbs that use one.
struct TraceFaultOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What goes wrong. \(TraceFault.syntax)", valueName: "faults"))
    var fault: String?

    @Option(help: "What chance is counted from, to repeat a run; another one each time, unless given.")
    var seed: UInt64?

    func validate() throws {
        guard let fault else {
            if seed != nil { throw ValidationError("--seed is for --fault.") }
            return
        }
        _ = try ExitStatus.validating { () throws(DeviceError) in try TraceFault.list(fault) }
    }

    /// Refuses faults behind what is played.
    func validate(upTo end: Double?) throws {
        guard let fault, let end else { return }
        for late in (try? TraceFault.list(fault)) ?? [] where late.start > end {
            throw ValidationError("The fault \"\(late.description)\" begins behind --to, so that it changes nothing.")
        }
    }

    /// The trace with the faults in it; the trace itself where there are none. Ends the verb when that cannot be made.
    func apply(to trace: TraceFile) throws -> TraceFile {
        let edits = edits()
        guard !edits.isEmpty else { return trace }
        return try ExitStatus.ending(ExitStatus.init(reading:)) { () throws(DeviceError) in
            try TraceEditor.trace(trace, edits: edits, named: trace.name)
        }
    }

    /// The edits that bring the faults about; says what they are.
    func edits() -> [any TraceEdit] {
        let (faults, seed) = chosen()
        return faults.isEmpty ? [] : [FaultEdit(faults, seed: seed)]
    }

    /// The faults and what chance is counted from; says what they are.
    func chosen() -> ([TraceFault], seed: UInt64) {
        // They were read before, when the arguments were looked at.
        guard let fault, let faults = try? TraceFault.list(fault) else { return ([], 0) }
        let seed = seed ?? .random(in: 0...UInt64.max)
        Notes.say("Faults: \(faults.map(\.description).joined(separator: ",")); --seed \(seed) repeats them.")
        return (faults, seed)
    }
}

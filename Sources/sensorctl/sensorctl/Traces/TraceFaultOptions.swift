// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceEditing

struct TraceFaultOptions: ParsableArguments {
    @Option(help: .init("The faults to inject. \(TraceFault.syntax)", valueName: "faults")) var fault: String?
    @Option(
        help:
            "The seed for random faults. Runs with the same seed inject the same faults. By default, each run uses a new seed."
    )
    var seed: UInt64?

    func validate() throws {
        guard let fault else {
            if seed != nil { throw ValidationError("--seed requires --fault.") }
            return
        }
        _ = try ExitStatus.validating { try TraceFault.list(fault) }
    }

    /// Throws an error if a fault begins after the end of playback.
    func validate(upTo end: Double?) throws {
        guard let fault, let end else { return }
        for late in (try? TraceFault.list(fault)) ?? [] where late.start.inSeconds > end {
            throw ValidationError("The fault \"\(late.description)\" begins after --to, so it has no effect.")
        }
    }

    func apply(to trace: TraceFile) throws -> TraceFile {
        let edits = edits()
        guard !edits.isEmpty else { return trace }
        return try ExitStatus.exitOnError { try TraceEditor.trace(trace, edits: edits, named: trace.name) }
    }

    func edits() -> [any TraceEdit] {
        let (faults, seed) = chosen()
        return faults.isEmpty ? [] : [FaultEdit(faults, seed: seed)]
    }

    /// Returns and logs the faults and the random seed. Without --seed, each call chooses a new seed.
    func chosen() -> ([TraceFault], seed: UInt64) {
        // The faults have already been validated, so parsing cannot fail.
        guard let fault, let faults = try? TraceFault.list(fault) else { return ([], 0) }
        let seed = seed ?? .random(in: 0...UInt64.max)
        Log.notice("Faults: \(faults.map(\.description).joined(separator: ",")); --seed \(seed) repeats them.")
        return (faults, seed)
    }
}

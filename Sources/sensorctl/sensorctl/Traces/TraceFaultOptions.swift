// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DeviceCore
import Trace
import TraceEditing

struct TraceFaultOptions: ParsableArguments {
    @Option(
        help: .init("The faults to inject, such as nofix@30s+20s. See `sensorctl help faults`.", valueName: "faults"))
    var fault: String?
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
        // The recording has not been read yet, so dates are only checked for their form.
        _ = try ExitStatus.validating { try TraceFault.list(fault, start: .epoch) }
    }

    /// Throws an error if a fault begins after the end of playback.
    func validate(upTo end: TraceTime?) throws {
        guard let fault, case .elapsed(let end)? = end else { return }
        for late in (try? TraceFault.list(fault)) ?? [] where late.start.inSeconds > end {
            throw ValidationError("The fault \"\(late.description)\" begins after --to, so it has no effect.")
        }
    }

    /// Returns the faults. Exits with an error if a date cannot be converted to a time since the start of the traces.
    func list(for traces: [TraceFile], from offset: Duration = .zero) throws -> [TraceFault] {
        guard let fault else { return [] }
        let start = traces.compactMap { TraceTime.start(of: $0) }.min()?.advanced(bySeconds: offset.inSeconds)
        return try ExitStatus.exitOnError { try TraceFault.list(fault, start: start) }
    }

    func apply(to trace: TraceFile) throws -> TraceFile {
        let edits = try edits(for: trace)
        guard !edits.isEmpty else { return trace }
        return try ExitStatus.exitOnError { try TraceEditor.trace(trace, edits: edits, named: trace.name) }
    }

    /// - Parameter offset: The time in the trace at which the faults' time is zero.
    func edits(for trace: TraceFile, from offset: Duration = .zero) throws -> [any TraceEdit] {
        let (faults, seed) = try chosen(for: [trace], from: offset)
        return faults.isEmpty ? [] : [FaultEdit(faults, seed: seed)]
    }

    /// Returns and logs the faults and the random seed. Without --seed, each call chooses a new seed.
    func chosen(for traces: [TraceFile], from offset: Duration = .zero) throws -> ([TraceFault], seed: UInt64) {
        guard fault != nil else { return ([], 0) }
        let faults = try list(for: traces, from: offset)
        let seed = seed ?? .random(in: 0...UInt64.max)
        Log.notice("Faults: \(faults.map(\.description).joined(separator: ",")); --seed \(seed) repeats them.")
        return (faults, seed)
    }
}

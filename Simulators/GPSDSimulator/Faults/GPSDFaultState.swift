// SPDX-License-Identifier: Apache-2.0

import Trace

/// The pending and active faults of a simulated gpsd. Confined to the server's thread.
struct GPSDFaultState {
    enum Action {
        case drop
        case listen(Bool)
        /// Connects or disconnects the receiver with the given path, or all receivers if the path is nil.
        case plug(String?, Bool)
    }

    /// A pending fault, or the pending end of a fault.
    private struct Entry {
        var fault: GPSDFault
        var isEnd = false

        /// The time in seconds, or -1 for an entry without a time. Such entries sort first.
        var time: Double { if case .seconds(let time) = fault.moment { time } else { -1 } }
    }

    private(set) var isStalled = false
    private(set) var greetingDelay = 0.0
    private(set) var version: (major: Int32, minor: Int32)?
    private var garbage = 0
    /// The delay of the pending `halfLine` fault. `.some(nil)` means that the fault closes the connection instead of
    /// sending the other half. nil means that no such fault is pending.
    private var pendingHalfLine: Double??
    private var isListening = true
    private var pendingFaults: [Entry] = []

    mutating func add(_ fault: GPSDFault) { pendingFaults.append(Entry(fault: fault)) }

    /// The time of the next scheduled fault, in seconds since the start of playback.
    var nextTime: Double? {
        pendingFaults.compactMap { if case .seconds(let time) = $0.fault.moment { time } else { nil } }.min()
    }

    mutating func consumeGarbageCount() -> Int {
        defer { garbage = 0 }
        return garbage
    }

    /// Removes the pending `halfLine` fault and returns its delay. Returns nil if no such fault is pending.
    mutating func consumeHalfLineDelay() -> Double?? {
        defer { pendingHalfLine = nil }
        return pendingHalfLine
    }

    /// Applies all due faults and returns the resulting actions. `seconds` is nil before the start of playback.
    mutating func apply(seconds: Double?, report: Int64) -> [Action] {
        var actions: [Action] = []
        // A fault may schedule its own end, which may already be due, so faults are applied one at a time.
        while let index = firstDue(seconds: seconds, report: report) {
            let entry = pendingFaults.remove(at: index)
            if let action = apply(entry) { actions.append(action) }
            // The duration of a `restart` fault depends on `isListening`, which the fault has just changed.
            guard let duration = duration(of: entry), let ending = entry.fault.action.ending else { continue }
            let startTime = entry.time >= 0 ? entry.time : seconds ?? 0
            let end = GPSDFault(ending, device: entry.fault.device, at: .seconds(startTime + max(0, duration)))
            pendingFaults.append(Entry(fault: end, isEnd: true))
        }
        return actions
    }

    /// Returns the index of the earliest due fault. If several faults have the same time, returns the first one.
    private func firstDue(seconds: Double?, report: Int64) -> Int? {
        pendingFaults.indices.filter { index in
            switch pendingFaults[index].fault.moment {
            case .start: true
            case .seconds(let time): seconds.map { time <= $0 } ?? false
            case .reading(let number): number <= report
            }
        }.min { pendingFaults[$0].time < pendingFaults[$1].time }
    }

    /// Returns the duration of a fault in seconds, or nil if the fault does not end automatically.
    private func duration(of entry: Entry) -> Double? {
        if entry.isEnd { return nil }
        guard case .restart = entry.fault.action else { return entry.fault.duration }
        return isListening ? nil : entry.fault.duration ?? GPSDFault.defaultRestartDelay
    }

    private mutating func apply(_ entry: Entry) -> Action? {
        let fault = entry.fault
        switch fault.action {
        case .unplug: return .plug(fault.device, false)
        case .reconnect: return .plug(fault.device, true)
        case .drop: return .drop
        case .kill:
            isListening = false
            return .listen(false)
        case .restart:
            isListening = entry.isEnd || !isListening
            return .listen(isListening)
        case .stall: isStalled = true
        case .resume: isStalled = false
        case .halfLine(let delay): pendingHalfLine = .some(delay.map { max(0, $0) })
        case .garbage(let count): garbage = min(max(0, count), 1_000_000)
        case .version(let major, let minor): version = (major, minor)
        case .slowGreeting(let seconds): greetingDelay = max(0, seconds)
        }
        return nil
    }
}

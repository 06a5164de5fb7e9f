// SPDX-License-Identifier: Apache-2.0

/// The faults that are there now, and those that are still to come.
struct GPSDFaultState {
    /// What is to be done with the connections and the receivers.
    enum Order {
        case drop
        case listen(Bool)
        /// The receiver of that path, or all, goes or comes.
        case plug(String?, Bool)
    }

    /// A fault that is to come, or the end of one.
    private struct Entry {
        var fault: GPSDFault
        var isEnd = false

        /// Those without a time come first.
        var time: Double { if case .seconds(let time) = fault.moment { time } else { -1 } }
    }

    private(set) var isStalled = false
    private(set) var greetingDelay = 0.0
    private(set) var version: (major: Int32, minor: Int32)?
    private var garbage = 0
    private var half: Double??
    private var isListening = true
    private var waiting: [Entry] = []

    mutating func add(_ fault: GPSDFault) { waiting.append(Entry(fault: fault)) }

    /// The next time, in seconds since the beginning of playback, at which something happens.
    var nextTime: Double? {
        waiting.compactMap { if case .seconds(let time) = $0.fault.moment { time } else { nil } }.min()
    }

    /// Takes the bytes that are to come before the next report.
    mutating func takeGarbage() -> Int {
        defer { garbage = 0 }
        return garbage
    }

    /// Takes what is to happen in the middle of the next report: nil for nothing, else when the rest comes.
    mutating func takeHalf() -> Double?? {
        defer { half = nil }
        return half
    }

    /// Makes the faults happen whose moment has come.
    ///
    /// - Parameters:
    ///   - seconds: since the beginning of playback; nil before it.
    ///   - report: the number of the next report.
    mutating func apply(seconds: Double?, report: Int64) -> [Order] {
        var orders: [Order] = []
        // One after the other: the end of one may be due with it.
        while let place = firstDue(seconds: seconds, report: report) {
            let entry = waiting.remove(at: place)
            if let order = apply(entry) { orders.append(order) }
            guard let duration = lasts(entry), let ending = entry.fault.action.ending else { continue }
            let begun = entry.time >= 0 ? entry.time : seconds ?? 0
            let end = GPSDFault(ending, device: entry.fault.device, at: .seconds(begun + max(0, duration)))
            waiting.append(Entry(fault: end, isEnd: true))
        }
        return orders
    }

    /// Of those whose moment has come the earliest, and of several the one that was given first.
    private func firstDue(seconds: Double?, report: Int64) -> Int? {
        waiting.indices.filter { place in
            switch waiting[place].fault.moment {
            case .start: true
            case .seconds(let time): seconds.map { time <= $0 } ?? false
            case .reading(let number): number <= report
            }
        }.min { waiting[$0].time < waiting[$1].time }
    }

    /// For how many seconds something stays that has just happened; nil when it does not end by itself.
    private func lasts(_ entry: Entry) -> Double? {
        if entry.isEnd { return nil }
        guard case .restart = entry.fault.action else { return entry.fault.duration }
        return isListening ? nil : entry.fault.duration ?? GPSDFault.usualRestart
    }

    private mutating func apply(_ entry: Entry) -> Order? {
        let fault = entry.fault
        switch fault.action {
        case .unplug: return .plug(fault.device, false)
        case .replug: return .plug(fault.device, true)
        case .drop: return .drop
        case .kill:
            isListening = false
            return .listen(false)
        case .restart:
            isListening = entry.isEnd || !isListening
            return .listen(isListening)
        case .stall: isStalled = true
        case .resume: isStalled = false
        case .halfLine(let delay): half = .some(delay.map { max(0, $0) })
        case .garbage(let count): garbage = min(max(0, count), 1_000_000)
        case .version(let major, let minor): version = (major, minor)
        case .slowGreeting(let seconds): greetingDelay = max(0, seconds)
        }
        return nil
    }
}

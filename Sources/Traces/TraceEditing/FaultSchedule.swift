// SPDX-License-Identifier: Apache-2.0

/// What faults do by themselves, whether or not anything happens in the trace, in the order of time.
struct FaultSchedule {
    /// Something that comes at its time.
    struct Step {
        /// Nanoseconds since the start.
        var time: Int64
        var fault: TraceFault
        var isEnd: Bool
        /// Of those of one time what ends comes before what begins, but nothing ends before it has begun.
        fileprivate var rank: Int
    }

    private let steps: [Step]
    private var place = 0

    /// The losses of the faults, with their ends, and what is unplugged.
    init(_ faults: [TraceFault]) {
        var steps: [Step] = []
        for fault in faults {
            let start = fault.startNanoseconds
            switch fault.action {
            case .loss:
                steps.append(Step(time: start, fault: fault, isEnd: false, rank: 1))
                guard let end = fault.endNanoseconds else { break }
                steps.append(Step(time: end, fault: fault, isEnd: true, rank: end > start ? 0 : 2))
            case .unplug: steps.append(Step(time: start, fault: fault, isEnd: false, rank: 1))
            default: break
            }
        }
        // The order of the list counts last.
        self.steps = steps.enumerated().sorted {
            ($0.element.time, $0.element.rank, $0.offset) < ($1.element.time, $1.element.rank, $1.offset)
        }.map(\.element)
    }

    /// The next that is due by that time; nil when there is none.
    mutating func next(upTo time: Int64) -> Step? {
        guard place < steps.count, steps[place].time <= time else { return nil }
        defer { place += 1 }
        return steps[place]
    }
}

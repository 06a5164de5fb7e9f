// SPDX-License-Identifier: Apache-2.0

/// The starts and ends of loss and unplug faults, in chronological order. These times are known in advance, because
/// they do not depend on the trace's events.
struct FaultSchedule {
    /// The start or end of a fault.
    struct Step {
        /// The time in nanoseconds since the start of the trace.
        var time: Int64
        var fault: TraceFault
        var isEnd: Bool
        /// The order of steps with the same time: first the ends of faults, then the starts, and finally the ends of
        /// zero-duration faults.
        fileprivate var rank: Int
    }

    private let steps: [Step]
    private var nextIndex = 0

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
        // Steps with the same time and rank keep their order.
        self.steps = steps.enumerated().sorted {
            ($0.element.time, $0.element.rank, $0.offset) < ($1.element.time, $1.element.rank, $1.offset)
        }.map(\.element)
    }

    mutating func next(upTo time: Int64) -> Step? {
        guard nextIndex < steps.count, steps[nextIndex].time <= time else { return nil }
        defer { nextIndex += 1 }
        return steps[nextIndex]
    }
}

// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The latest value, and what waits to be told to a handler: values, bounded, and errors in their place among them.
struct Mailbox<Value> {
    /// One call of the handler.
    enum Item {
        case value(Value)
        case failure(StreamFailure)
    }

    /// The latest value, taken or not.
    private(set) var latest: Value?
    /// True while there is a handler to keep values for.
    private var isOpen = false
    private var values: BoundedQueue<Value>
    /// The errors that nobody has heard of, and how many values come before each. One on the same matter makes way for a
    /// newer one, so there are but a few.
    private var failures: [(failure: StreamFailure, after: Int)] = []

    init(limit: Int) {
        values = BoundedQueue(limit: limit)
    }

    var count: Int { values.count + failures.count }
    var isEmpty: Bool { values.isEmpty && failures.isEmpty }
    /// How many values had to make way for newer ones.
    var dropped: Int { values.dropped }

    mutating func add(_ value: Value) {
        latest = value
        guard isOpen else { return }
        if values.append(value) { moveFailuresUp() }
    }

    mutating func add(_ failure: StreamFailure) {
        guard isOpen else { return }
        failures.removeAll { $0.failure.isOfSameMatter(as: failure) }
        failures.append((failure, values.count))
    }

    mutating func takeFirst() -> Item? {
        if let first = failures.first, first.after == 0 {
            failures.removeFirst()
            return .failure(first.failure)
        }
        moveFailuresUp()
        return values.takeFirst().map { .value($0) }
    }

    /// Forgets what waits. From now on values are kept, or only the latest.
    mutating func empty(isOpen: Bool) {
        values.removeAll()
        failures = []
        self.isOpen = isOpen
    }

    mutating func forgetLatest() {
        latest = nil
    }

    /// A value has gone.
    private mutating func moveFailuresUp() {
        for index in failures.indices { failures[index].after = max(0, failures[index].after - 1) }
    }
}

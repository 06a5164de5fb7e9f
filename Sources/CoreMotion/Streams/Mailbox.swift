// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The latest value, and what waits to be told to a handler: values, bounded, and the news of a loss in its place among
/// them.
struct Mailbox<Value> {
    /// One call of the handler.
    enum Item {
        case value(Value)
        case failure(DeviceError)
    }

    /// The latest value, taken or not.
    private(set) var latest: Value?
    /// True while there is a handler to keep values for.
    private var isOpen = false
    private var values: BoundedQueue<Value>
    /// The last loss, and how many values come before it. An older one that nobody has heard of makes way for it.
    private var failure: (error: DeviceError, after: Int)?

    init(limit: Int) {
        values = BoundedQueue(limit: limit)
    }

    var count: Int { values.count + (failure == nil ? 0 : 1) }
    var isEmpty: Bool { values.isEmpty && failure == nil }
    /// How many values had to make way for newer ones.
    var dropped: Int { values.dropped }

    mutating func add(_ value: Value) {
        latest = value
        guard isOpen else { return }
        if values.append(value), let after = failure?.after { failure?.after = max(0, after - 1) }
    }

    mutating func add(_ error: DeviceError) {
        if isOpen { failure = (error, values.count) }
    }

    mutating func takeFirst() -> Item? {
        if let failure {
            if failure.after == 0 {
                self.failure = nil
                return .failure(failure.error)
            }
            self.failure?.after -= 1
        }
        return values.takeFirst().map { .value($0) }
    }

    /// Forgets what waits. From now on values are kept, or only the latest.
    mutating func empty(isOpen: Bool) {
        values.removeAll()
        failure = nil
        self.isOpen = isOpen
    }

    mutating func forgetLatest() {
        latest = nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The latest value, and what waits to be told to a handler: values, bounded, and errors in their place among them.
struct Mailbox<Value: Sendable>: Sendable {
    /// One call of the handler.
    enum Item: Sendable {
        case value(Value)
        case failure(StreamFailure)
    }

    /// The latest value, taken or not.
    private(set) var latest: Value?
    var outbox = Outbox<Item>()
    /// True while there is a handler to keep values for.
    private var isOpen = false
    /// How many values wait at most.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(_ value: Value) {
        latest = value
        guard isOpen else { return }
        outbox.append(.value(value), limit: limit) { if case .value = $0 { true } else { false } }
    }

    /// Adds an error. One on the same matter makes way for it, so there are but a few.
    mutating func add(_ failure: StreamFailure) {
        guard isOpen else { return }
        outbox.removeAll { if case .failure(let other) = $0 { other.isOfSameMatter(as: failure) } else { false } }
        outbox.append(.failure(failure))
    }

    /// Forgets what waits. From now on values are kept, or only the latest.
    mutating func empty(isOpen: Bool) {
        outbox.startAnew()
        self.isOpen = isOpen
    }

    mutating func forgetLatest() { latest = nil }
}

/// Why a handler is told an error.
enum StreamFailure: Sendable {
    /// A sensor gives nothing for now.
    indirect case loss(SensorKind, DeviceError)
    /// Where north is cannot be relied on before the device has been moved.
    case requiresMovement
    /// True north is not known, since the position is not.
    case noTrueNorth

    /// True when the other one is news of the same matter, so that the newer will do.
    func isOfSameMatter(as other: StreamFailure) -> Bool {
        switch (self, other) {
        case (.loss(let kind, _), .loss(let otherKind, _)): kind == otherKind
        case (.requiresMovement, .requiresMovement), (.noTrueNorth, .noTrueNorth): true
        default: false
        }
    }
}

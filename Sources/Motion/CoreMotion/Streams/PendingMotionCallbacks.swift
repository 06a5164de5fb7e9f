// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// The latest value, and a bounded queue of values and errors for the handler. The owner's lock protects both.
struct PendingMotionCallbacks<Value: Sendable>: Sendable {
    enum Item: Sendable {
        case value(Value)
        case failure(MotionStreamFailure)
    }

    /// The latest value, whether or not it has been delivered.
    private(set) var latest: Value?
    var queue = BoundedQueue<Item>()
    /// If true, new values and errors are queued. If false, only the latest value is stored.
    private var acceptsValues = false
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func append(_ value: Value) {
        latest = value
        guard acceptsValues else { return }
        queue.append(.value(value), limit: limit) { if case .value = $0 { true } else { false } }
    }

    /// Adds an error and removes queued errors of the same kind, so that errors cannot fill the queue.
    mutating func append(_ failure: MotionStreamFailure) {
        guard acceptsValues else { return }
        queue.removeAll { if case .failure(let other) = $0 { other.replaces(failure) } else { false } }
        queue.append(.failure(failure))
    }

    /// Clears the queue. Afterwards, values and errors are queued only if `acceptsValues` is true.
    mutating func reset(acceptsValues: Bool) {
        queue.reset()
        self.acceptsValues = acceptsValues
    }

    mutating func clearLatest() { latest = nil }
}

/// The reason why a handler is called with an error.
enum MotionStreamFailure: Sendable {
    indirect case loss(SensorKind, DeviceError)
    /// North is unreliable until the device has been moved.
    case requiresMovement
    /// True north is unknown because the position is unknown.
    case noTrueNorth

    /// Returns true if both errors are of the same kind and, for losses, from the same sensor.
    func replaces(_ other: MotionStreamFailure) -> Bool {
        switch (self, other) {
        case (.loss(let kind, _), .loss(let otherKind, _)): kind == otherKind
        case (.requiresMovement, .requiresMovement), (.noTrueNorth, .noTrueNorth): true
        default: false
        }
    }
}

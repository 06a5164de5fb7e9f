// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The number of refills in each request to a server.
///
/// iiod sends each refill as soon as it is available. Other servers send nothing until all requested samples are
/// available, which takes a long time for many refills, or do not have enough memory for a large request. Therefore,
/// many refills are requested only after a request for two has been answered with separate refills.
struct AskingAhead {
    /// The maximum number of refills in a request.
    static let mostRefills = 64
    /// The size of the pieces into which tinyiiod splits its responses, in bytes. Refills of this size would appear to
    /// be sent separately.
    private static let usualPiece = 256
    private static let firstPause = 64
    private static let lastPause = 4096

    private enum State {
        /// One refill per request, for the given number of further requests.
        case one(Int)
        /// Two refills per request. The given number of refills has been received separately.
        case two(Int)
        case many
    }

    private let habits: ServerHabits
    private var state = State.one(1)
    /// The number of requests until the next trial. A trial may fail because of the requests of another client.
    private var pause = Self.firstPause

    init(_ habits: ServerHabits) { self.habits = habits }

    /// Returns the number of refills for the next request.
    ///
    /// - Parameters:
    ///   - size: The size of a refill, in bytes.
    ///   - most: The maximum size of a request, in bytes.
    mutating func next(size: Int, most: Int) -> Int {
        let fitting = min(Self.mostRefills, most / max(1, size))
        guard fitting > 1, size != Self.usualPiece else { return 1 }
        switch state {
        case .one(let left) where left > 0: state = .one(left - 1)
        case .one:
            guard habits.beginTrial() else { return 1 }
            state = .two(0)
            return 2
        case .two:
            state = .two(0)
            return 2
        case .many: return fitting
        }
        return 1
    }

    /// Records a chunk of a response.
    ///
    /// - Parameter isRefill: True if the chunk is exactly one refill.
    mutating func note(isRefill: Bool) {
        guard isRefill else { return _ = fail() }
        guard case .two(let count) = state else { return }
        state = count == 0 ? .two(1) : .many
        if count > 0 { habits.endTrial() }
    }

    /// Records that the server cannot send several refills, and falls back to single ones. Returns false if the request
    /// was already for a single refill.
    mutating func fail() -> Bool {
        if case .one = state { return false }
        habits.endTrial()
        state = .one(pause)
        pause = min(pause * 2, Self.lastPause)
        return true
    }
}

/// The known capabilities of a server, shared by all buffers of a connection.
final class ServerHabits: Sendable {
    /// The maximum number of consecutive trials that have not been completed. Afterwards, no buffer requests two
    /// refills.
    private static let mostTrials = 3
    private let trials = Atomic<Int>(0)

    func beginTrial() -> Bool {
        trials.wrappingAdd(1, ordering: .relaxed).oldValue < Self.mostTrials
    }

    func endTrial() { trials.store(0, ordering: .relaxed) }
}

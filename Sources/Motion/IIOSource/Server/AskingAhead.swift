// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How many refills a server is asked for at once.
///
/// iiod sends each as it comes. Other servers send nothing before they have all that was asked for, which takes long for many
/// refills, or they never have room for so much. So many are asked for only once two were seen to come one by one.
struct AskingAhead {
    /// The most refills of a request.
    static let mostRefills = 64
    /// tinyiiod cuts what it sends into pieces of 256 bytes: refills of that size would look as if they came one by one.
    private static let usualPiece = 256
    private static let firstPause = 64
    private static let lastPause = 4096

    private enum State {
        /// One at a time, for so many requests more.
        case one(Int)
        /// Two, of which so many have come one by one.
        case two(Int)
        case many
    }

    private let habits: ServerHabits
    private var state = State.one(1)
    /// Requests until the next trial: what another client asks for may have made the last one fail.
    private var pause = Self.firstPause

    init(_ habits: ServerHabits) { self.habits = habits }

    /// The refills of the next request.
    ///
    /// - Parameters:
    ///   - size: Bytes of a refill.
    ///   - most: The most bytes of a request.
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

    /// A piece of an answer has come, which is a refill by itself or not.
    mutating func note(isRefill: Bool) {
        guard isRefill else { return _ = fail() }
        guard case .two(let count) = state else { return }
        state = count == 0 ? .two(1) : .many
        if count > 0 { habits.endTrial() }
    }

    /// The server does not give so many. False when it was asked for one.
    mutating func fail() -> Bool {
        if case .one = state { return false }
        habits.endTrial()
        state = .one(pause)
        pause = min(pause * 2, Self.lastPause)
        return true
    }
}

/// What is known of a server, for all captures of a connection.
final class ServerHabits: Sendable {
    /// After so many captures that ended before two refills had come, none asks for two.
    private static let mostTrials = 3
    private let trials = Atomic<Int>(0)

    func beginTrial() -> Bool {
        trials.wrappingAdd(1, ordering: .relaxed).oldValue < Self.mostTrials
    }

    func endTrial() { trials.store(0, ordering: .relaxed) }
}

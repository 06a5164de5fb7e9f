// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// Lets a few tests run beside each other: most of their time they wait for other processes, but a machine that has dozens
/// of those to run is too slow for all of them.
struct Lanes: SuiteTrait, TestTrait, TestScoping {
    private struct State {
        var free: Int
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// How many tests run at once.
    private static let width = min(8, ProcessInfo.processInfo.activeProcessorCount + 2)
    private static let state = Mutex(State(free: width))
    /// True in a test that runs: one that gets the trait from several suites needs one lane all the same.
    @TaskLocal private static var isInside = false

    var isRecursive: Bool { true }

    /// Each case of a test has its own lane, and a suite none.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> Lanes? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        guard !Self.isInside else { return try await body() }
        let count = test.traits.contains { $0 is Alone } ? Self.width : 1
        await Self.enter(count)
        defer { Self.leave(count) }
        try await Self.$isInside.withValue(true) { try await body() }
    }

    private static func enter(_ count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiting.append((count, continuation)) }
            wake()
        }
    }

    private static func leave(_ count: Int) {
        state.withLock { $0.free += count }
        wake()
    }

    /// In the order in which they came, so that who needs all lanes gets them.
    private static func wake() {
        let next = state.withLock { state in
            var next: [CheckedContinuation<Void, Never>] = []
            while let first = state.waiting.first, first.count <= state.free {
                state.free -= first.count
                state.waiting.removeFirst()
                next.append(first.continuation)
            }
            return next
        }
        for continuation in next { continuation.resume() }
    }
}

/// Has a test run while no other test of the suite does, because of what the reason names.
struct Alone: TestTrait {
    let reason: Comment

    var comments: [Comment] { [reason] }
}

extension Trait where Self == Lanes {
    static var lanes: Lanes { Lanes() }
}

extension Trait where Self == Alone {
    static func alone(_ reason: Comment) -> Alone { Alone(reason: reason) }
}

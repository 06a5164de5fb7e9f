// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

/// Limits the number of tests that run in parallel. Tests mostly wait for other processes, but a machine that runs
/// dozens of processes is too slow for all tests at once.
struct Lanes: SuiteTrait, TestTrait, TestScoping {
    private struct State {
        var free: Int
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// The number of tests that run at the same time.
    private static let width = min(8, 2 * ProcessInfo.processInfo.activeProcessorCount + 2)
    private static let state = Mutex(State(free: width))
    /// True within a running test. A test that gets the trait from several suites uses only one lane.
    @TaskLocal private static var isInside = false

    var isRecursive: Bool { true }

    /// Each test case uses a lane, and a suite uses none.
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

    /// Resumes waiting tests in order, so that a test that needs all lanes gets them.
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

/// Runs a test while no other test of the suite runs, for the given reason.
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

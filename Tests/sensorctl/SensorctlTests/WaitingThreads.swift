// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Runs more tests at once than there are processors. Most tests wait for a program and block their thread meanwhile.
struct WaitingThreads: SuiteTrait, TestTrait, TestScoping {
    private final class Threads: TaskExecutor {
        private let queue = OperationQueue()

        init(count: Int) { queue.maxConcurrentOperationCount = count }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private static let threads = Threads(count: 2 * ProcessInfo.processInfo.activeProcessorCount + 2)

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> WaitingThreads? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.threads) { try await body() }
    }
}

extension Trait where Self == WaitingThreads {
    /// A trait for suites with tests that wait for programs.
    static var waiting: WaitingThreads { WaitingThreads() }
}

extension Trait where Self == ConditionTrait {
    static var toolIsBuilt: ConditionTrait { .enabled(if: Tool.isBuilt, "sensorctl was not built next to the tests") }
}

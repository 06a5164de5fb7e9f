// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice
import Testing
import Trace

/// Runs each test of a suite in a separate simulated device, so that its managers do not access hardware.
struct SimulatedTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let line = "{\"class\":\"TPV\",\"mode\":1}\n"
        let device = SimulatedDevice(try TraceFile(bytes: Array(line.utf8), name: "no fix"))
        try await device.use { try await function() }
    }
}

extension Trait where Self == SimulatedTrait {
    /// Runs each test in a separate simulated device.
    static var simulated: Self { SimulatedTrait() }
}

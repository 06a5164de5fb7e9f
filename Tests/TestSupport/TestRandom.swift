// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reproducible random numbers, from a seed that each run of the tests chooses and prints.
///
/// The environment variable `TEST_SEED` repeats a run. The numbers of a test depend on the seed and on the test, not on
/// the order in which tests run.
package struct TestRandom: RandomNumberGenerator {
    /// The seed of this run.
    package static let seed: UInt64 = {
        let asked = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
        let seed = asked ?? .random(in: 0...UInt64(UInt32.max))
        print("TEST_SEED=\(seed) repeats what chance chose in this run.")
        return seed
    }()

    private var numbers: SeededGenerator

    /// Creates the generator of a test.
    package init(for test: StaticString = #fileID, _ function: StaticString = #function) {
        // FNV-1a, which is the same in every run.
        let state = "\(test) \(function)".utf8.reduce(14_695_981_039_346_656_037 ^ Self.seed) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        numbers = SeededGenerator(seed: state)
    }

    package mutating func next() -> UInt64 { numbers.next() }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The number of repetitions in tests.
///
/// By default a test that repeats an operation does so often enough to detect errors that occur in every round. With
/// `DEVICE_SERVICES_TESTS=all` it runs the full number of rounds, which detects rare errors and slow leaks.
package enum Thoroughness {
    /// True if time does not matter: `scripts/test --all`.
    package static let isFull = ProcessInfo.processInfo.environment["DEVICE_SERVICES_TESTS"] == "all"

    /// Returns the number of rounds.
    package static func rounds(_ full: Int, quick: Int) -> Int { isFull ? full : quick }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How much of what is repeated is repeated.
///
/// A test that does something over and over does it often enough by default to see what goes wrong in every round. With
/// `DEVICE_SERVICES_TESTS=all` it does it as often as its name says, which finds what goes wrong seldom, or leaks slowly.
package enum Thoroughness {
    /// True when time does not matter: `scripts/test --all`.
    package static let isFull = ProcessInfo.processInfo.environment["DEVICE_SERVICES_TESTS"] == "all"

    /// So many rounds.
    package static func rounds(_ full: Int, quick: Int) -> Int { isFull ? full : quick }
}

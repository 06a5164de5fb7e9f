// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in seconds, rounded to the nearest Double.
    package var inSeconds: Double { self / .seconds(1) }

    /// Creates a duration from seconds. The number is clamped to the range of Int64, and NaN becomes zero.
    package init(clampingSeconds seconds: Double) {
        let limit = 9.2e18
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -limit), limit))
    }
}

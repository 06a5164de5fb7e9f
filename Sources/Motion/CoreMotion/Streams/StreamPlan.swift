// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Where a stream's input comes from and what becomes of it.
struct StreamPlan<Shaper: ReadingShaper>: Sendable {
    let source: StreamSource<Shaper.Input>
    /// Makes the shaper for a start, which begins with nothing.
    let makeShaper: @Sendable () -> Shaper
}

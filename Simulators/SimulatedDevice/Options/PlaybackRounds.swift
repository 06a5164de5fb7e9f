// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// How often a trace is played.
///
/// Time goes on rising from round to round: the device's clock, the receivers' times and the sensors' stamps are those of
/// the trace and so much later as all rounds before took together. A round takes from its first to its last event and on
/// to where the next position would have come, or reading where there are no positions; where ``PlaybackOptions/to`` ends
/// it, and nothing happens at that very time, it takes from there to there. Each round begins with the state of its
/// beginning, as a seek does.
///
/// Without an end `play()` plays one round at each call; `advance(by:)`, `step()` and `play(speed:)` go on and on.
public enum PlaybackRounds: Sendable, Hashable {
    /// Once.
    case once
    /// That many times; less than two are once.
    case times(Int)
    /// Without an end.
    case endless
}

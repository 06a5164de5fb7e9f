// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// What is played of a trace, and how.
///
/// ```swift
/// var options = PlaybackOptions()
/// options.from = 120
/// options.maximumGap = 5
/// options.rounds = .endless
/// let device = SimulatedDevice(trace, options: options)
/// ```
///
/// All seconds are those of the trace, counted from its start.
public struct PlaybackOptions: Sendable {
    /// Seconds at which playback begins. The device is in the state of then: its battery, its accessories, what is lost,
    /// and the last position, which nobody is told of. Less than none, and what is not a number, is none.
    public var from = 0.0
    /// Seconds after which nothing more is played; what happens at that very time is.
    public var to = Double.infinity
    /// How often it is played.
    public var rounds = PlaybackRounds.once
    /// The most seconds between two events; longer pauses are shortened to it. Nil to keep them all. The times of the
    /// receivers, of the sensors and of the device's clock are moved alike, so that they still agree.
    public var maximumGap: Double?
    /// What is played of it.
    public var streams = TraceStreams.all
    /// What happens at the end.
    public var end = PlaybackEnd.hold
    /// Whether a second thread reads the trace ahead of the player, which nobody can see but by the time that it takes. Nil
    /// for where it is worth it.
    package var readsAhead: Bool?

    /// The whole trace, once.
    public init() {}
}

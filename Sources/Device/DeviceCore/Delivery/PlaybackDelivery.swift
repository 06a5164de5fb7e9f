// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Where callbacks go while a trace is played: the player runs them itself, in one global order.
public protocol PlaybackDelivery: AnyObject, Sendable {
    /// True when managers shall get the delivery that they would have on live hardware.
    var deliversAsLive: Bool { get }

    /// The delivery of a manager that was made on the main thread, or elsewhere.
    func delivery(onMainThread: Bool) -> any Delivery

    /// The delivery of a live kind, wrapped so that playback can wait until it has run what it was given.
    func tracked(_ delivery: any Delivery) -> any Delivery

    /// Counts consumers of async sequences, for which playback waits.
    var consumers: ConsumerGate { get }
}

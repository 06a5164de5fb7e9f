// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The accessory's end of a protocol, in code.
///
/// The same peer runs in process, on the clock of a simulated device, and behind a serial port or a socket, on the
/// machine's clock: an ``AccessoryPeerSession`` runs it over any channel. Every session begins with a copy of the peer as
/// it was given, so a peer that is a value begins anew each time.
public protocol AccessoryPeer: Sendable {
    /// Says what to do about what has happened. It is called for one event at a time; the actions are carried out in
    /// their order, after those that were asked for before.
    mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction]
}

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

/// What happens to a peer.
public enum AccessoryPeerEvent: Sendable, Hashable {
    /// Somebody has opened the protocol. Always the first event.
    case opened
    /// Bytes came in, at least one; how they are cut means nothing.
    case received([UInt8])
    /// The time is up that ``AccessoryPeerAction/wake(after:)`` asked for.
    case woken
    /// The session is over. Always the last event; what it asks for is not done any more.
    case closed
}

/// What a peer does.
public enum AccessoryPeerAction: Sendable, Hashable {
    /// Sends bytes.
    case send([UInt8])
    /// Waits that many seconds before it does what comes behind. What comes in meanwhile is told all the same.
    case wait(Double)
    /// Asks for ``AccessoryPeerEvent/woken`` in that many seconds, without waiting. The last call counts.
    case wake(after: Double)
    /// Ends the session from the accessory's side, after everything before has been sent.
    case hangUp
    /// The accessory is unplugged.
    case unplug

    /// Sends a text in UTF-8, without a line end.
    public static func text(_ text: String) -> AccessoryPeerAction { .send([UInt8](text.utf8)) }
}

/// A peer that a closure speaks for.
public struct CodedPeer: AccessoryPeer {
    private let body: @Sendable (AccessoryPeerEvent) -> [AccessoryPeerAction]

    /// A peer that does what the closure says. Sessions share the closure, and what it keeps.
    public init(_ body: @escaping @Sendable (AccessoryPeerEvent) -> [AccessoryPeerAction]) { self.body = body }

    /// Asks the closure.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] { body(event) }
}

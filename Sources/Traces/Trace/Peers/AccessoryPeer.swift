// SPDX-License-Identifier: Apache-2.0

/// The accessory's side of a protocol, implemented in code.
///
/// A peer can run in the same process and use the clock of a simulated device. It can also run behind a serial port or
/// socket and use the machine's clock. Each session uses a new copy of the peer. A peer with value semantics therefore
/// starts each session in its initial state.
public protocol AccessoryPeer: Sendable {
    /// Returns the actions to perform in response to an event. Calls never overlap. The actions are performed in order,
    /// after all previously returned actions.
    mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction]
}

/// An event delivered to a peer.
public enum AccessoryPeerEvent: Sendable, Hashable {
    /// The protocol was opened. This is always the first event.
    case opened
    /// One or more bytes were received. The bytes may be split across events at any point.
    case received([UInt8])
    /// The time requested with ``AccessoryPeerAction/setTimer(after:)`` has elapsed.
    case timerFired
    /// The session ended. This is always the last event, and actions returned for it are ignored.
    case closed
}

/// An action that a peer performs.
public enum AccessoryPeerAction: Sendable, Hashable {
    /// Sends bytes.
    case send([UInt8])
    /// Pauses before the next action. The peer still receives events during the pause. A negative duration is treated as
    /// zero.
    case wait(Duration)
    /// Requests ``AccessoryPeerEvent/timerFired`` after the given time. Replaces any previous request. A negative
    /// duration is treated as zero.
    case setTimer(after: Duration)
    /// Ends the session from the accessory's side, after all preceding bytes have been sent.
    case hangUp
    /// Unplugs the accessory.
    case unplug

    /// Returns an action that sends UTF-8 text without a line terminator.
    public static func text(_ text: String) -> AccessoryPeerAction { .send([UInt8](text.utf8)) }
}

/// A peer that calls a closure.
public struct ClosurePeer: AccessoryPeer {
    private let body: @Sendable (AccessoryPeerEvent) -> [AccessoryPeerAction]

    /// Creates a peer from a closure. All sessions share the closure and its captured state.
    public init(_ body: @escaping @Sendable (AccessoryPeerEvent) -> [AccessoryPeerAction]) { self.body = body }

    /// Calls the closure.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] { body(event) }
}

/// A peer for a line-based protocol. It responds to each line that ends with a line feed.
public struct LinePeer: AccessoryPeer {
    /// The maximum length of a line in bytes. If a line is longer, its beginning is dropped.
    package static let maximumLength = 65_536
    private let greeting: [AccessoryPeerAction]
    private let answer: @Sendable (String) -> [AccessoryPeerAction]
    private var line: [UInt8] = []

    /// Creates a peer.
    ///
    /// - Parameters:
    ///   - greeting: The actions to perform when the protocol is opened.
    ///   - answer: A closure that returns the actions to perform in response to a line. It receives the line without
    ///     the terminating LF or CR LF, and with invalid UTF-8 replaced.
    public init(greeting: [AccessoryPeerAction] = [], answer: @escaping @Sendable (String) -> [AccessoryPeerAction]) {
        self.greeting = greeting
        self.answer = answer
    }

    /// Responds to each complete line.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened: return greeting
        case .received(let bytes):
            var actions: [AccessoryPeerAction] = []
            for byte in bytes {
                if byte == UInt8(ascii: "\n") {
                    if line.last == UInt8(ascii: "\r") { line.removeLast() }
                    actions += answer(String(decoding: line, as: UTF8.self))
                    line.removeAll(keepingCapacity: true)
                } else {
                    if line.count >= Self.maximumLength { line.removeAll(keepingCapacity: true) }
                    line.append(byte)
                }
            }
            return actions
        case .timerFired, .closed: return []
        }
    }
}

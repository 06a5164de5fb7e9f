// SPDX-License-Identifier: Apache-2.0

/// A peer of a line-based protocol. It responds to each line terminated by a line feed.
public struct LinePeer: AccessoryPeer {
    /// The maximum length of a line in bytes. The beginning of a longer line is dropped.
    package static let maximumLength = 65_536

    private let greeting: [AccessoryPeerAction]
    private let answer: @Sendable (String) -> [AccessoryPeerAction]
    private var line: [UInt8] = []

    /// Creates a peer.
    ///
    /// - Parameters:
    ///   - greeting: The actions when the protocol is opened.
    ///   - answer: Returns the actions in response to a line, which is passed without its line feed or CR LF. Invalid
    ///     UTF-8 is replaced.
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

// SPDX-License-Identifier: Apache-2.0

/// A peer that is talked to in lines: it answers each one that ends with a line feed.
public struct LinePeer: AccessoryPeer {
    /// The longest line in bytes; the beginning of a longer one is dropped.
    public static let maximumLength = 65_536

    private let greeting: [AccessoryPeerAction]
    private let answer: @Sendable (String) -> [AccessoryPeerAction]
    private var line: [UInt8] = []

    /// A peer that begins with a greeting.
    ///
    /// - Parameters:
    ///   - greeting: what it does when the protocol is opened.
    ///   - answer: what it does about a line, which comes without its line feed and a carriage return before that. What
    ///     is not UTF-8 in it is replaced.
    public init(greeting: [AccessoryPeerAction] = [], answer: @escaping @Sendable (String) -> [AccessoryPeerAction]) {
        self.greeting = greeting
        self.answer = answer
    }

    /// Answers each line.
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
        case .woken, .closed: return []
        }
    }
}

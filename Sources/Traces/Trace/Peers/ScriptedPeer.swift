// SPDX-License-Identifier: Apache-2.0

/// A peer that goes through a script: it sends, waits, and expects bytes, one step after the other.
public struct ScriptedPeer: AccessoryPeer {
    /// A step of a script.
    public enum Step: Sendable, Hashable {
        /// Goes on when exactly these bytes have come in.
        case expect([UInt8])
        /// Goes on when that many bytes have come in, whatever they are.
        case expectAny(Int)
        /// Sends bytes.
        case send([UInt8])
        /// Waits that many seconds.
        case delay(Double)
        /// Ends the session.
        case hangUp
        /// The accessory is unplugged.
        case unplug

        /// Sends a text in UTF-8.
        public static func send(text: String) -> Step { .send([UInt8](text.utf8)) }
        /// Expects a text in UTF-8.
        public static func expect(text: String) -> Step { .expect([UInt8](text.utf8)) }
    }

    /// Where somebody departed from the script.
    public struct Departure: Sendable, Hashable {
        /// The step, counted from 0; as many as there are steps for bytes that came in when the script was over.
        public var step: Int
        /// The bytes of the step.
        public var expected: [UInt8]
        /// What came in its place.
        public var found: [UInt8]
        /// True when the session ended in the step.
        public var isEnd: Bool

        /// A departure of those parts.
        public init(step: Int, expected: [UInt8], found: [UInt8], isEnd: Bool) {
            self.step = step
            self.expected = expected
            self.found = found
            self.isEnd = isEnd
        }
    }

    private let steps: [Step]
    private let departed: @Sendable (Departure) -> Void
    private var next = 0
    /// What has come in of the step that expects bytes.
    private var received: [UInt8] = []
    private var isOver = false

    /// A peer with a script.
    ///
    /// - Parameters:
    ///   - steps: what it goes through in each session.
    ///   - departed: told of the first bytes that are not those of the script, after which the peer hangs up, and of a
    ///     session that ends before bytes that are expected. Bytes behind the last step are told of and dropped.
    public init(_ steps: [Step], departed: @escaping @Sendable (Departure) -> Void = { _ in }) {
        self.steps = steps
        self.departed = departed
    }

    /// Goes on with the script.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened: return advance()
        case .received(let bytes):
            guard !isOver else { return [] }
            received += bytes
            return advance()
        case .woken: return []
        case .closed:
            guard !isOver, steps.indices.contains(next) else { return [] }
            isOver = true
            switch steps[next] {
            case .expect(let bytes): departed(Departure(step: next, expected: bytes, found: received, isEnd: true))
            case .expectAny: departed(Departure(step: next, expected: [], found: received, isEnd: true))
            case .send, .delay, .hangUp, .unplug: break
            }
            return []
        }
    }

    private mutating func advance() -> [AccessoryPeerAction] {
        var actions: [AccessoryPeerAction] = []
        while !isOver {
            guard steps.indices.contains(next) else {
                if !received.isEmpty {
                    departed(Departure(step: next, expected: [], found: received, isEnd: false))
                    received = []
                }
                return actions
            }
            switch steps[next] {
            case .send(let bytes): actions.append(.send(bytes))
            case .delay(let seconds): actions.append(.wait(seconds))
            case .hangUp: actions.append(.hangUp)
            case .unplug: actions.append(.unplug)
            case .expectAny(let count):
                guard received.count >= count else { return actions }
                received.removeFirst(max(count, 0))
            case .expect(let bytes):
                let found = received.prefix(bytes.count)
                guard bytes.starts(with: found) else {
                    isOver = true
                    departed(Departure(step: next, expected: bytes, found: received, isEnd: false))
                    return actions + [.hangUp]
                }
                guard found.count == bytes.count else { return actions }
                received.removeFirst(bytes.count)
            }
            next += 1
        }
        return actions
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A peer that follows a script of steps, such as sending bytes, expecting bytes and waiting.
public struct ScriptedPeer: AccessoryPeer {
    /// A step of a script.
    public enum Step: Sendable, Hashable {
        /// Waits until exactly these bytes are received.
        case expect([UInt8])
        /// Waits for the given number of bytes, regardless of their values.
        case expectAny(Int)
        /// Sends bytes.
        case send([UInt8])
        /// Pauses before the next step. A negative duration is treated as zero.
        case delay(Duration)
        /// Ends the session.
        case hangUp
        /// Unplugs the accessory.
        case unplug

        /// Returns a step that sends text in UTF-8.
        public static func send(text: String) -> Step { .send([UInt8](text.utf8)) }
        /// Returns a step that expects text in UTF-8.
        public static func expect(text: String) -> Step { .expect([UInt8](text.utf8)) }
    }

    /// A mismatch between the received bytes and the script.
    public struct Deviation: Sendable, Hashable {
        /// The index of the step where the deviation occurred, or the number of steps if bytes were received after the
        /// last step.
        public var step: Int
        /// The bytes that the step expected.
        public var expected: [UInt8]
        /// The bytes received instead.
        public var received: [UInt8]
        /// True if the session ended before the step was complete.
        public var isEndOfSession: Bool

        package init(step: Int, expected: [UInt8], received: [UInt8], isEndOfSession: Bool) {
            (self.step, self.expected) = (step, expected)
            (self.received, self.isEndOfSession) = (received, isEndOfSession)
        }
    }

    private let steps: [Step]
    private let onDeviation: @Sendable (Deviation) -> Void
    private var next = 0
    /// The received bytes that no step has consumed yet.
    private var received: [UInt8] = []
    private var hasEnded = false

    /// Creates a peer with a script.
    ///
    /// - Parameters:
    ///   - steps: The steps to run in each session.
    ///   - onDeviation: A closure that is called when a session deviates from the script. If a step receives unexpected
    ///     bytes, the peer hangs up after the call. A session also deviates if it ends before all expected bytes have
    ///     been received, or if bytes are received after the last step. Those bytes are dropped.
    public init(_ steps: [Step], onDeviation: @escaping @Sendable (Deviation) -> Void = { _ in }) {
        self.steps = steps
        self.onDeviation = onDeviation
    }

    /// Continues the script.
    public mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened: return advance()
        case .received(let bytes):
            guard !hasEnded else { return [] }
            received += bytes
            return advance()
        case .timerFired: return []
        case .closed:
            guard !hasEnded, steps.indices.contains(next) else { return [] }
            hasEnded = true
            switch steps[next] {
            case .expect(let bytes):
                onDeviation(Deviation(step: next, expected: bytes, received: received, isEndOfSession: true))
            case .expectAny: onDeviation(Deviation(step: next, expected: [], received: received, isEndOfSession: true))
            case .send, .delay, .hangUp, .unplug: break
            }
            return []
        }
    }

    private mutating func advance() -> [AccessoryPeerAction] {
        var actions: [AccessoryPeerAction] = []
        while !hasEnded {
            guard steps.indices.contains(next) else {
                if !received.isEmpty {
                    onDeviation(Deviation(step: next, expected: [], received: received, isEndOfSession: false))
                    received = []
                }
                return actions
            }
            switch steps[next] {
            case .send(let bytes): actions.append(.send(bytes))
            case .delay(let duration): actions.append(.wait(duration))
            case .hangUp: actions.append(.hangUp)
            case .unplug: actions.append(.unplug)
            case .expectAny(let count):
                guard received.count >= count else { return actions }
                received.removeFirst(max(count, 0))
            case .expect(let bytes):
                let found = received.prefix(bytes.count)
                guard bytes.starts(with: found) else {
                    hasEnded = true
                    onDeviation(Deviation(step: next, expected: bytes, received: received, isEndOfSession: false))
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

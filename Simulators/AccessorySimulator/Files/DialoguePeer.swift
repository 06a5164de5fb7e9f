// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace
import UmockdevFormat

/// The recorded dialogues of a protocol. Each new session plays the next dialogue.
final class DialogueSequence: Sendable {
    private struct State {
        var begunCount = 0
        var finishedCount = 0
        /// The number of times that a program opened a session or wrote bytes, plus the number of finished dialogues.
        var activityCount = 0
    }

    let name: String
    let dialogues: [AccessoryTimeline.Dialogue]
    private let state = Mutex(State())
    private let differenceList: DifferenceList
    private let progressed: BinarySemaphore

    init(
        name: String, dialogues: [AccessoryTimeline.Dialogue], differenceList: DifferenceList,
        progressed: BinarySemaphore
    ) {
        (self.name, self.dialogues) = (name, dialogues)
        (self.differenceList, self.progressed) = (differenceList, progressed)
    }

    func begin() -> Int {
        recordActivity { state in
            state.begunCount += 1
            return state.begunCount - 1
        }
    }

    func recordActivity() { recordActivity { _ in } }

    func finish() { recordActivity { $0.finishedCount += 1 } }

    private func recordActivity<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        defer { progressed.signal() }
        return state.withLock { state in
            state.activityCount += 1
            return body(&state)
        }
    }

    var isFinished: Bool { state.withLock { $0.finishedCount >= dialogues.count } }
    var activityCount: Int { state.withLock { $0.activityCount } }

    func reportMissing() {
        let begunCount = state.withLock { $0.begunCount }
        guard begunCount < dialogues.count else { return }
        for number in begunCount..<dialogues.count {
            differenceList.add("\(name), session \(number + 1): no program opened it.")
        }
    }

    func report(_ number: Int, _ text: String) { differenceList.add("\(name), session \(number + 1): \(text)") }
}

/// A peer that plays recorded dialogues. The first session plays the first dialogue. Each session has its own peer.
struct DialoguePeer: AccessoryPeer {
    let sequence: DialogueSequence
    private var number = 0
    private var peer: UmockdevPeer?
    private var hasFinished = false

    init(_ sequence: DialogueSequence) { self.sequence = sequence }

    mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened:
            number = sequence.begin()
            if number < sequence.dialogues.count {
                let (sequence, number) = (sequence, number)
                peer = UmockdevPeer(sequence.dialogues[number].script) { sequence.report(number, $0) }
            } else {
                sequence.report(number, "the recording has no such session.")
            }
        case .received: sequence.recordActivity()
        case .timerFired:
            // The timer is set at the end of the script and fires after all bytes have been sent, so the dialogue is
            // now complete.
            finish()
            return peer != nil && sequence.dialogues[number].hangsUp ? [.hangUp] : []
        case .closed:
            _ = peer?.react(to: .closed)
            finish()
            return []
        }
        guard peer != nil else { return [] }
        var actions = peer?.react(to: event) ?? []
        if peer?.isFinished == true { actions.append(.setTimer(after: .zero)) }
        return actions
    }

    private mutating func finish() {
        guard peer != nil, !hasFinished else { return }
        hasFinished = true
        sequence.finish()
    }
}

/// Descriptions of deviations from the recording, for `AccessorySimulator.differences`.
final class DifferenceList: Sendable {
    /// The maximum number of descriptions. Further descriptions are dropped.
    static let maximum = 100
    private let state = Mutex<[String]>([])
    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) { state.withLock { if $0.count < Self.maximum { $0.append(line) } } }
}

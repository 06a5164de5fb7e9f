// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace
import UmockdevFormat

/// The recorded dialogues of a protocol. Each new session plays the next dialogue.
final class DialogueSequence: Sendable {
    private struct State {
        var begun = 0
        var finished = 0
        /// The number of actions by the program, such as opening a session or writing.
        var progress = 0
    }

    let name: String
    let dialogues: [AccessoryTimeline.Dialogue]
    private let state = Mutex(State())
    private let notes: DifferenceList
    private let progressed: BinarySemaphore

    init(name: String, dialogues: [AccessoryTimeline.Dialogue], notes: DifferenceList, progressed: BinarySemaphore) {
        self.name = name
        self.dialogues = dialogues
        self.notes = notes
        self.progressed = progressed
    }

    func begin() -> Int {
        recordActivity { state in
            state.begun += 1
            return state.begun - 1
        }
    }

    func recordActivity() { recordActivity { _ in } }

    func finish() { recordActivity { $0.finished += 1 } }

    private func recordActivity<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        defer { progressed.signal() }
        return state.withLock { state in
            state.progress += 1
            return body(&state)
        }
    }

    var isFinished: Bool { state.withLock { $0.finished >= dialogues.count } }
    var activityCount: Int { state.withLock { $0.progress } }

    func reportMissing() {
        let begun = state.withLock { $0.begun }
        guard begun < dialogues.count else { return }
        for number in begun..<dialogues.count { notes.add("\(name), session \(number + 1): no program opened it.") }
    }

    func report(_ number: Int, _ text: String) { notes.add("\(name), session \(number + 1): \(text)") }
}

/// A peer that plays recorded dialogues. The first session plays the first dialogue.
struct DialoguePeer: AccessoryPeer {
    let lane: DialogueSequence
    private var number = 0
    private var peer: UmockdevPeer?
    private var hasFinished = false

    init(_ lane: DialogueSequence) { self.lane = lane }

    mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened:
            number = lane.begin()
            if number < lane.dialogues.count {
                let (lane, number) = (lane, number)
                peer = UmockdevPeer(lane.dialogues[number].script) { lane.report(number, $0) }
            } else {
                lane.report(number, "the recording has no such session.")
            }
        case .received: lane.recordActivity()
        case .timerFired:
            // All bytes have been sent.
            finish()
            return peer != nil && lane.dialogues[number].hangsUp ? [.hangUp] : []
        case .closed:
            _ = peer?.react(to: .closed)
            finish()
            return []
        }
        guard peer != nil else { return [] }
        var actions = peer?.react(to: event) ?? []
        if peer?.isFinished == true { actions.append(.setTimer(after: 0)) }
        return actions
    }

    private mutating func finish() {
        guard peer != nil, !hasFinished else { return }
        hasFinished = true
        lane.finish()
    }
}

/// Descriptions of the differences between the bytes that programs sent and the recorded bytes.
final class DifferenceList: Sendable {
    /// The maximum number of descriptions. Further descriptions are dropped.
    static let maximum = 100
    private let state = Mutex<[String]>([])
    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) { state.withLock { if $0.count < Self.maximum { $0.append(line) } } }
}

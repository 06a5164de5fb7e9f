// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace
import UmockdevFormat

/// The dialogues of a protocol, which sessions take in their order.
final class DialogueLane: Sendable {
    private struct State {
        var begun = 0
        var finished = 0
        /// Counts every sign of life of the program.
        var progress = 0
    }

    let name: String
    let dialogues: [TracePlan.Dialogue]
    private let state = Mutex(State())
    private let notes: DifferenceList
    private let progressed: Bell

    init(name: String, dialogues: [TracePlan.Dialogue], notes: DifferenceList, progressed: Bell) {
        self.name = name
        self.dialogues = dialogues
        self.notes = notes
        self.progressed = progressed
    }

    /// The number of the dialogue that a new session takes.
    func begin() -> Int {
        defer { progressed.ring() }
        return state.withLock { state in
            state.begun += 1
            state.progress += 1
            return state.begun - 1
        }
    }

    func progress() {
        state.withLock { $0.progress += 1 }
        progressed.ring()
    }

    func finish() {
        state.withLock { state in
            state.finished += 1
            state.progress += 1
        }
        progressed.ring()
    }

    var isFinished: Bool { state.withLock { $0.finished >= dialogues.count } }

    /// Grows while a program talks.
    var signsOfLife: Int { state.withLock { $0.progress } }

    /// Notes the dialogues that no program has begun.
    func noteMissing() {
        let begun = state.withLock { $0.begun }
        guard begun < dialogues.count else { return }
        for number in begun..<dialogues.count { notes.add("\(name), session \(number + 1): nobody opened it.") }
    }

    func note(_ number: Int, _ text: String) { notes.add("\(name), session \(number + 1): \(text)") }
}

/// A peer that plays recorded dialogues: the first session gets the first one.
struct DialoguePeer: AccessoryPeer {
    let lane: DialogueLane
    private var number = 0
    private var peer: UmockdevPeer?
    private var hasFinished = false

    init(_ lane: DialogueLane) { self.lane = lane }

    mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
        switch event {
        case .opened:
            number = lane.begin()
            if number < lane.dialogues.count {
                let (lane, number) = (lane, number)
                peer = UmockdevPeer(lane.dialogues[number].script) { lane.note(number, $0) }
            } else {
                lane.note(number, "no such session was recorded.")
            }
        case .received: lane.progress()
        case .woken:
            // Everything that was to be sent has been.
            finish()
            return peer != nil && lane.dialogues[number].hangsUp ? [.hangUp] : []
        case .closed:
            _ = peer?.react(to: .closed)
            finish()
            return []
        }
        guard peer != nil else { return [] }
        var actions = peer?.react(to: event) ?? []
        if peer?.isFinished == true { actions.append(.wake(after: 0)) }
        return actions
    }

    private mutating func finish() {
        guard peer != nil, !hasFinished else { return }
        hasFinished = true
        lane.finish()
    }
}

/// Where programs departed from what was recorded, in words.
final class DifferenceList: Sendable {
    /// More are not kept.
    static let maximum = 100
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) {
        state.withLock { lines in
            if lines.count < Self.maximum { lines.append(line) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Trace
import UmockdevFormat

@testable import AccessorySimulator

/// The input is two recorded dialogues, as the options of a script, and the data that programs write after opening the
/// port one after the other. Each program receives its dialogue, however its bytes are split.
func fuzzAccessoryServer(_ input: UnsafeBufferPointer<UInt8>) {
    let script = ClientScript(input)
    let dialogues = script.options.split(separator: 0, maxSplits: 1).compactMap { text in
        (try? UmockdevScript(bytes: Array(text), name: "fuzz")).map {
            AccessoryTimeline.Dialogue(script: $0, hangsUp: script.has(0), last: 0)
        }
    }
    var (plain, split) = (Stage(dialogues), Stage(dialogues))
    for step in script.steps {
        plain.perform(step, inPieces: false)
        split.perform(step, inPieces: true)
    }
    precondition(plain.sent == split.sent, "answers depend on how bytes were split")
    for stage in [plain, split] { precondition(stage.differences.lines.count <= DifferenceList.maximum) }
}

private struct Stage {
    let differences = DifferenceList()
    private let dialogue: DialogueSequence
    private var peers = [DialoguePeer?](repeating: nil, count: ClientScript.maximumClients)
    private(set) var sent = [[UInt8]](repeating: [], count: ClientScript.maximumClients)

    init(_ dialogues: [AccessoryTimeline.Dialogue]) {
        dialogue = DialogueSequence(
            name: "fuzz", dialogues: dialogues, differenceList: differences, progressed: BinarySemaphore())
    }

    mutating func perform(_ step: ClientScript.Step, inPieces: Bool) {
        switch step.action {
        case .connect where peers[step.client] == nil:
            peers[step.client] = DialoguePeer(dialogue)
            send(.opened, step.client)
        case .send, .sendOften:
            for piece in inPieces ? step.pieces : [step.sent] where !piece.isEmpty {
                send(.received(piece), step.client)
            }
        case .hangUp, .end:
            send(.closed, step.client)
            peers[step.client] = nil
        default: break
        }
    }

    private mutating func send(_ event: AccessoryPeerEvent, _ client: Int) {
        var isWoken = false
        for action in peers[client]?.react(to: event) ?? [] {
            switch action {
            case .send(let bytes): sent[client] += bytes
            case .setTimer: isWoken = true
            case .wait(let duration): precondition(duration > .zero)
            case .hangUp, .unplug: break
            }
        }
        if isWoken, event != .timerFired { send(.timerFired, client) }
    }
}

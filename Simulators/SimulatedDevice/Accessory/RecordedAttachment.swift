// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Synchronization
import Trace

/// An attached accessory that is played from a trace. Each trace event begins a transfer of bytes on the player's
/// thread. When the program opens or uses a session, the transfer is started by a timer instead. `detach()` transfers
/// the last bytes on its caller's thread. The lock is not held while a channel transfers bytes.
final class RecordedAttachment: SimulatedAttachment {
    struct Session {
        let number: Int
        let channel: MemoryChannel
    }

    struct ProtocolSessions {
        let name: String
        /// The dialogues that have not ended, sorted by number.
        var dialogues: [RecordedDialogue] = []
        /// `recorded` is the number of the dialogue that playback of the recording has reached. `isRecording` is true
        /// until the end of this dialogue.
        var recorded = 0
        var isRecording = false
        /// The number of the last dialogue that the program has opened.
        var opened = 0
        /// The program's sessions, in the order in which they are served. Only the last session may be open.
        var sessions: [Session] = []

        /// Calls the closure with the dialogue that has the given number. Creates the dialogue if necessary.
        mutating func with<Result>(_ number: Int, _ body: (inout RecordedDialogue) -> Result) -> Result {
            if let index = dialogues.firstIndex(where: { $0.number == number }) { return body(&dialogues[index]) }
            let index = dialogues.firstIndex { $0.number > number } ?? dialogues.count
            dialogues.insert(RecordedDialogue(number: number), at: index)
            return body(&dialogues[index])
        }
    }

    struct State {
        var name: String
        var protocols: [ProtocolSessions] = []
        var isTransferring = false
        var needsAnotherPass = false
        var transferTimer: ClockTimer?
        var isDetached = false
    }

    private static let maximumDialogues = 1024
    private let clock: any DeviceClock
    private let differences: AccessoryDifferenceList
    private let id = Atomic<Int>(0)
    let state: Mutex<State>

    init(name: String, clock: any DeviceClock, differences: AccessoryDifferenceList) {
        (self.clock, self.differences) = (clock, differences)
        state = Mutex(State(name: name))
    }

    func setID(_ id: AccessoryDescription.ID) { self.id.store(id, ordering: .relaxed) }

    // MARK: Program

    func open(_ name: String) throws(DeviceError) -> any ByteChannel {
        let (theirs, ours) = MemoryChannel.pair()
        try state.withLock { state throws(DeviceError) in
            // The accessory may have been detached since the caller looked it up.
            guard !state.isDetached else { throw SimulatedAccessorySource.unplugged(state.name) }
            let index = Self.protocolIndex(name, &state)
            if let last = state.protocols[index].sessions.last, last.channel.end == nil {
                throw SimulatedAccessorySource.busy(name)
            }
            // Earlier dialogues may have been removed, so a dialogue's number can differ from its index in the array.
            let next = state.protocols[index].dialogues.first { !$0.isOpened }?.number
            let number = next ?? state.protocols[index].opened + 1
            state.protocols[index].opened = number
            state.protocols[index].with(number) { $0.isOpened = true }
            state.protocols[index].sessions.append(Session(number: number, channel: ours))
        }
        ours.observe { [weak self] _ in self?.scheduleTransfer() }
        scheduleTransfer()
        return theirs
    }

    private func scheduleTransfer() {
        state.withLock { state in
            guard state.transferTimer == nil, !state.isDetached else { return }
            // The timer's closure also takes this lock, so it cannot run before the timer has been stored.
            state.transferTimer = clock.timer(at: clock.now) { [weak self] in
                self?.state.withLock { $0.transferTimer = nil }
                self?.transferBytes()
            }
        }
    }

    // MARK: Recording

    func process(_ change: TraceAccessoryEvent.Change) {
        state.withLock { state in
            guard !state.isDetached else { return }
            switch change {
            case .attached(let description): state.name = description.name
            case .detached: break
            case .opened(let name):
                let index = Self.protocolIndex(name, &state)
                end(.closed, &state, index)
                begin(&state, index)
            case .closed(let name, let reason): end(reason, &state, recording(name, &state))
            case .received(let name, let bytes):
                let index = recording(name, &state)
                state.protocols[index].with(state.protocols[index].recorded) { $0.record(input: bytes) }
                limitPendingInput(&state, index)
            case .sent(let name, let bytes):
                let index = recording(name, &state)
                state.protocols[index].with(state.protocols[index].recorded) { $0.record(output: bytes) }
                reportMismatches(&state, index)
            }
        }
        transferBytes()
    }

    private static func protocolIndex(_ name: String, _ state: inout State) -> Int {
        if let index = state.protocols.firstIndex(where: { $0.name == name }) { return index }
        state.protocols.append(ProtocolSessions(name: name))
        return state.protocols.count - 1
    }

    /// Returns the protocol's index in `protocols`. Begins a recorded dialogue if none is in progress.
    private func recording(_ name: String, _ state: inout State) -> Int {
        let index = Self.protocolIndex(name, &state)
        if !state.protocols[index].isRecording { begin(&state, index) }
        return index
    }

    private func begin(_ state: inout State, _ index: Int) {
        state.protocols[index].recorded += 1
        state.protocols[index].isRecording = true
        state.protocols[index].with(state.protocols[index].recorded) { $0.isRecorded = true }
        if state.protocols[index].dialogues.count > Self.maximumDialogues {
            let former = state.protocols[index].dialogues.removeFirst()
            reportDifferences(of: former, named: state.protocols[index].name, state)
        }
    }

    func end(_ reason: ByteChannelEnd.Reason, _ state: inout State, _ index: Int) {
        guard state.protocols[index].isRecording else { return }
        state.protocols[index].isRecording = false
        state.protocols[index].with(state.protocols[index].recorded) { $0.record(end: reason) }
        removeFinishedDialogues(&state, index)
    }

    /// Drops pending input, oldest first, until the total for all dialogues is within the maximum size.
    private func limitPendingInput(_ state: inout State, _ index: Int) {
        var excess = -RecordedDialogue.maximumPendingBytes
        for dialogue in state.protocols[index].dialogues { excess += dialogue.pendingInputCount }
        var dialogue = 0
        while excess > 0, state.protocols[index].dialogues.indices.contains(dialogue) {
            let part = min(excess, state.protocols[index].dialogues[dialogue].pendingInputCount)
            state.protocols[index].dialogues[dialogue].drop(part)
            excess -= part
            dialogue += 1
        }
    }

    func removeFinishedDialogues(_ state: inout State, _ index: Int) {
        reportMismatches(&state, index)
        for dialogue in state.protocols[index].dialogues where dialogue.isFinished {
            reportDifferences(of: dialogue, named: state.protocols[index].name, state)
        }
        state.protocols[index].dialogues.removeAll { $0.isFinished }
    }

    func reportMismatches(_ state: inout State, _ index: Int) {
        for dialogue in state.protocols[index].dialogues.indices {
            let found = state.protocols[index].dialogues[dialogue].drainMismatches()
            differences.add(
                differences(
                    found, of: state.protocols[index].dialogues[dialogue].number, state.protocols[index].name, state))
        }
    }

    private func reportDifferences(of dialogue: RecordedDialogue, named name: String, _ state: State) {
        differences.add(differences(dialogue.outstanding(), of: dialogue.number, name, state))
    }

    private func differences(
        _ mismatches: [RecordedDialogue.Mismatch], of session: Int, _ name: String, _ state: State
    ) -> [AccessoryDifference] {
        mismatches.map {
            AccessoryDifference(
                accessory: id.load(ordering: .relaxed), name: state.name, protocolName: name, session: session,
                kind: $0.kind, offset: $0.offset, expected: $0.expected, found: $0.found, time: clock.now)
        }
    }

    func outstanding() -> [AccessoryDifference] {
        state.withLock { state in
            state.protocols.flatMap { entry in
                entry.dialogues.flatMap { differences($0.outstanding(), of: $0.number, entry.name, state) }
            }
        }
    }

    func detach() {
        // Bytes that the program has already written belong to the session, so they are transferred first.
        transferBytes()
        let sessions = state.withLock { state in
            state.isDetached = true
            return state.protocols.flatMap(\.sessions)
        }
        for session in sessions { session.channel.detach() }
        differences.add(outstanding())
        state.withLock { state in
            for index in state.protocols.indices {
                (state.protocols[index].dialogues, state.protocols[index].sessions) = ([], [])
            }
        }
    }
}

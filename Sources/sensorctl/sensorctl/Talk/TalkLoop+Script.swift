// SPDX-License-Identifier: Apache-2.0

import AccessorySimulator
import DeviceCore
import SensorTools
import UmockdevFormat

extension TalkLoop {
    /// Plays the program's part in a recorded dialogue. Returns at the first answer that differs from the recording.
    func play(_ script: UmockdevScript, show: (TalkEvent) -> Void) -> TalkEnd {
        stop.onRequest { [wake] in wake.signal() }
        switch connect(nil) {
        case .connected(let accessory, let name, let channel):
            show(.opened(accessory, protocolName: name))
            let end = play(script, through: channel, accessory, show)
            if case .disconnected(_, let reason) = end { show(.ended(reason)) }
            return end
        case .absent: return .stopped
        case .failed(let end): return end
        }
    }

    private func play(
        _ script: UmockdevScript, through channel: any ByteChannel, _ accessory: AccessoryDescription,
        _ show: (TalkEvent) -> Void
    ) -> TalkEnd {
        channel.observe { [wake] _ in wake.signal() }
        defer { channel.close() }
        var dialogue = DialoguePlayer(script)
        var (step, since) = (dialogue.step, clock.now)
        // After the last step, the session ends as soon as all bytes have been sent.
        var endPlan = plan
        endPlan.wait = 0
        var endDetector = ConversationEndDetector(initialSpace: channel.spaceAvailable, plan: endPlan, now: clock.now)
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while stop.reason == nil {
            var (hasMore, difference) = (false, DialoguePlayer.Difference?.none)
            if dialogue.wantsInput {
                switch buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
                case .bytes(let count):
                    let bytes = Array(buffer[..<min(count, buffer.count)])
                    show(.received(bytes))
                    difference = dialogue.compare(bytes)
                    hasMore = true
                case .empty: break
                case .ended(let end): return dialogue.isFinished ? .finished : .disconnected(accessory.label, end)
                }
            }
            let pending = Array(dialogue.pending)
            if difference == nil, !pending.isEmpty,
                case .accepted(let count) = pending.withUnsafeBytes({ channel.write($0) }), count > 0
            {
                show(.sent(Array(pending.prefix(count))))
                difference = dialogue.recordSent(count)
                (since, hasMore) = (clock.now, true)
            }
            if let difference { return .differs(difference.message) }
            if dialogue.step != step { (step, since) = (dialogue.step, clock.now) }
            let deadline: BootTime
            if dialogue.isFinished {
                switch endDetector.evaluate(space: channel.spaceAvailable, now: clock.now) {
                case .wait(let until): deadline = until
                case .done:
                    Log.notice(
                        "As recorded: \(script.steps.count) steps, \(dialogue.sentByteCount) bytes sent, "
                            + "\(dialogue.receivedByteCount) bytes received.")
                    return .finished
                case .stalled(let bytes): return .stalled(bytes: bytes)
                }
            } else if let (missing, milliseconds) = dialogue.expectedAnswer {
                deadline = since.advanced(
                    bySeconds: Double(milliseconds) / 1000 + (plan.wait ?? TalkOptions.answerTimeout))
                if !hasMore, clock.now >= deadline {
                    return .differs(
                        "Step \(step): \(UmockdevPeer.escapedText(Array(missing))) did not arrive "
                            + "(byte \(dialogue.receivedByteCount) of all answers).")
                }
            } else {
                deadline = since.advanced(bySeconds: TalkOptions.sendTimeout)
                if clock.now >= deadline { return .stalled(bytes: dialogue.pending.count) }
            }
            _ = wake.wait(for: nil, until: hasMore ? clock.now : deadline, clock: clock)
        }
        return .stopped
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes
import Trace

/// Playback of the trace, and delivery of reports and sentences to clients. Confined to the server's thread.
extension GPSDEngine {
    func play(now: BootTime) {
        guard let start else { return }
        for _ in 0..<Self.maximumEventsPerCall {
            guard let event = nextEvent, !isWaitingForClients, due(event, start) <= now else { return }
            perform(faults.apply(seconds: now.seconds(since: start), report: reportCount), now: now)
            deliver(event, now: now)
            nextEvent = trace.next()
            if nextEvent == nil { finish(now: now) }
        }
    }

    private func finish(now: BootTime) {
        hasPlayed = true
        switch options.end {
        case .silence, .loop: break
        case .unplug: for index in state.receivers.indices { setConnected(index, false, now: now) }
        case .close: for client in clients { client.closesAfterFlush = true }
        }
    }

    private func deliver(_ event: PlayedEvent, now: BootTime) {
        switch event.contents {
        case .report(let line, let report): deliver(line, report, shift.addingSaturated(event.shift), now)
        case .text(let line):
            guard usesSentences(event), !faults.isStalled,
                state.receiverIndex(of: sentencePath).map({ state.receivers[$0].isPresent }) ?? true
            else { return }
            sendSentence(line, of: sentencePath, now)
        case .lost: if options.repeatsLosses { setListening(false) }
        case .regained: if options.repeatsLosses { setListening(true) }
        }
    }

    /// Returns true if the recorded sentences are sent, or false if sentences are generated from the reports.
    private func usesSentences(_ event: PlayedEvent) -> Bool { summary.hasSentences && shift == 0 && event.shift == 0 }

    private func deliver(_ line: [UInt8], _ report: GPSDReport, _ shift: Int64, _ now: BootTime) {
        let path: String
        switch report {
        case .version, .watch, .error, .malformed, .other(.poll): return
        case .devices(let list): return list.forEach { processDeviceReport($0, now: now) }
        case .device(let receiver): return processDeviceReport(receiver, now: now)
        case .position, .sky, .attitude: path = report.origin?.receiver ?? ""
        case .other: path = ReportRouting.receiver(of: line) ?? ""
        }
        let name = path.isEmpty ? summary.defaultReceiverPath ?? sentencePath : path
        guard let index = findOrAddReceiver(name, now: now), state.receivers[index].isPresent else { return }
        // Reports during a stall are also counted, so that the stall does not delay faults scheduled for later reports.
        reportCount += 1
        guard !faults.isStalled else { return }
        let edited = ReportEdit(receiver: path.isEmpty ? name : nil, shift: shift).apply(to: line)
        let shifted = report.shifted(by: shift)
        cache(edited, shifted, index)
        sentencePath = name
        sendReport(edited, shifted, of: name, now)
        if !summary.hasSentences || shift != 0 { sendSentences(for: shifted, index, of: name, now) }
    }

    /// Returns the index of a receiver, or nil if it is unknown and cannot be added.
    private func findOrAddReceiver(_ path: String, now: BootTime) -> Int? {
        if let index = state.receiverIndex(of: path) { return index }
        var receiver = ReceiverDescription(path: path)
        receiver.driver = PlaybackSummary.defaultDriver
        return add(receiver, now: now)
    }

    private func add(_ receiver: ReceiverDescription, now: BootTime) -> Int? {
        guard !receiver.path.isEmpty,
            let index = state.add(
                SimulatedReceiver(description: receiver, activation: readClock(), isPresent: receiver.isActive))
        else { return nil }
        announce(index, now: now)
        return index
    }

    private func processDeviceReport(_ receiver: ReceiverDescription, now: BootTime) {
        guard let index = state.receiverIndex(of: receiver.path) else {
            if receiver.isActive { _ = add(receiver, now: now) }
            return
        }
        let former = state.receivers[index]
        let isKnown = receiver.driver.isEmpty || receiver.isSame(as: former.description)
        if !receiver.driver.isEmpty { state.receivers[index].description = receiver }
        if former.isPresent != receiver.isActive {
            setConnected(index, receiver.isActive, now: now)
        } else if !isKnown, receiver.isActive {
            announce(index, now: now)
        }
    }

    func setConnected(_ index: Int, _ isPresent: Bool, now: BootTime) {
        guard state.receivers[index].isPresent != isPresent else { return }
        state.receivers[index].setPresent(isPresent, at: readClock())
        announce(index, now: now)
    }

    private func announce(_ index: Int, now: BootTime) {
        let receiver = state.receivers[index]
        send(receiver.line, of: receiver.description.path, now) { $0.json || $0.pps }
    }

    private func cache(_ line: [UInt8], _ report: GPSDReport, _ index: Int) {
        switch report {
        case .position: state.receivers[index].lastPosition = line
        case .sky(let sky): (state.receivers[index].lastSky, state.receivers[index].newSky) = (line, sky)
        case .other(.gst): state.receivers[index].lastNoise = line
        default: break
        }
    }

    // MARK: Sending

    private func sendReport(_ line: [UInt8], _ report: GPSDReport, of path: String, _ now: BootTime) {
        func isListener(_ client: GPSDClient) -> Bool { ReportRouting.isSent(report, line, client.policy, path) }
        guard clients.contains(where: isListener) else { return }
        let hasTiming = report.isPosition && ReportRouting.hasTiming(line)
        let plain = hasTiming ? ReportEdit(removesTimingMembers: true).apply(to: line) : line
        // These faults apply to the next report that is sent to a client, so they are not consumed before this point.
        let garbage = faults.consumeGarbageCount()
        let garbageLine = garbage > 0 ? makeNoise(garbage) + [13, 10] : []
        let half = faults.consumeHalfLineDelay()
        for client in clients where isListener(client) {
            if !garbageLine.isEmpty { client.send(garbageLine, overflowPolicy, now: now) }
            let bytes = (client.policy.timing ? line : plain) + [13, 10]
            if let half {
                client.sendHalf(bytes, restAt: half.map { now.advanced(bySeconds: $0) }, now: now)
            } else {
                client.send(bytes, overflowPolicy, now: now)
            }
        }
    }

    private func sendSentences(for report: GPSDReport, _ index: Int, of path: String, _ now: BootTime) {
        // The satellites are removed from the receiver's state even if no client receives sentences. Otherwise, they
        // would be sent with a later fix, to which they do not belong.
        let sky = report.isPosition ? state.receivers[index].newSky.take() : nil
        guard clients.contains(where: \.policy.wantsSentences) else { return }
        for sentence in report.sentences(with: sky) { sendSentence(sentence, of: path, now) }
    }

    private func sendSentence(_ sentence: [UInt8], of path: String, _ now: BootTime) {
        let isText = sentence.first == UInt8(ascii: "$") || sentence.first == UInt8(ascii: "!")
        send(sentence, of: path, now) { isText ? $0.nmea || $0.raw > 0 : $0.raw > 1 }
        // The hexadecimal text is created only if a client receives it.
        guard !isText, clients.contains(where: { $0.policy.raw == 1 && $0.policy.watches(path) }) else { return }
        send([UInt8](HexDigit.text(sentence).utf8), of: path, now) { $0.raw == 1 }
    }

    func send(_ line: [UInt8], of path: String, _ now: BootTime, where isWanted: (GPSDWatch) -> Bool) {
        for client in clients where client.policy.watches(path) && isWanted(client.policy) {
            client.send(line + [13, 10], overflowPolicy, now: now)
        }
    }

    private var overflowPolicy: GPSDClient.OverflowPolicy { options.pace == .onDemand ? .enqueue : .drop }

    /// Returns pseudo-random bytes that are identical in every run.
    private func makeNoise(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            noiseState = noiseState &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: noiseState >> 33)
        }
    }
}

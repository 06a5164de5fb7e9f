// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import LoopbackServer
import SystemCalls
import Trace

/// A simulated gpsd without a listener, a thread and a clock: it is told what time it is.
///
/// Not thread safe: the server's thread owns it.
final class GPSDEngine {
    /// A client that takes nothing of what waits for it is cut off after so many seconds.
    private static let patience = 10.0
    /// So many events are played in one go, so that requests are answered in between.
    private static let eventsAtOnce = 256
    /// The most bytes that wait for one client.
    private static let mostPending = 1 << 22

    let options: GPSDServerOptions
    private(set) var world: GPSDWorld
    private(set) var clients: [GPSDClient] = []
    /// False while a fault, or a loss in the trace, has taken the server away.
    private(set) var isListening = true
    /// The lines that were played so far.
    private(set) var reportCount: Int64 = 0
    /// Lines that clients did not get because they did not read.
    private(set) var lostCount: Int64 = 0
    /// True when the trace has been played to its end.
    private(set) var hasPlayed = false

    private var trace: PlayedTrace
    private let survey: TraceSurvey
    private var nextEvent: PlayedEvent?
    private var faults = GPSDFaultState()
    /// When playback began; nil before.
    private var start: BootTime?
    /// By how many nanoseconds times in reports are moved in the first round.
    private var shift: Int64 = 0
    private let readClock: () -> WallTime
    private var noise: UInt64 = 0x9E37_79B9_7F4A_7C15
    /// The receiver that sentences of the trace are taken to be of.
    private var sentencePath: String
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: GPSDRequestReader.longestPiece, alignment: 16)

    /// - Parameter readClock: civil time, for ?POLL and for receivers that come.
    init(_ file: TraceFile, options: GPSDServerOptions, readClock: @escaping () -> WallTime) {
        self.options = options
        self.readClock = readClock
        survey = TraceSurvey(file)
        trace = PlayedTrace(file, repeats: options.end == .loop, roundLength: options.roundLength ?? 0)
        let now = readClock()
        world = GPSDWorld(
            version: survey.version ?? GPSDWorld.defaultVersion,
            receivers: survey.receivers.map {
                SimulatedReceiver(description: $0, activation: now, isPresent: $0.isActive)
            })
        sentencePath = world.receivers.first?.description.path ?? TraceSurvey.defaultPath
        nextEvent = trace.next()
        hasPlayed = nextEvent == nil
        for fault in options.faults { faults.add(fault) }
    }

    deinit {
        buffer.deallocate()
    }

    /// Makes a fault happen: at once, or at its moment.
    func inject(_ fault: GPSDFault) {
        faults.add(fault)
    }

    /// Takes a connection, or closes it where there are too many.
    func adopt(_ descriptor: Int32, now: BootTime) {
        let client = GPSDClient(descriptor, now: now)
        guard clients.count < max(1, options.maximumClients), isListening else { return }
        clients.append(client)
        follow(faults.apply(seconds: playedSeconds(now), report: reportCount), now: now)
        client.greetsAt = now.advanced(bySeconds: faults.greetingDelay)
        greet(client, now: now)
    }

    /// When something is to be done though nothing has come in.
    func deadline(now: BootTime) -> BootTime {
        var deadline = BootTime.never
        if let start {
            if let next = faults.nextTime { deadline = min(deadline, start.advanced(bySeconds: next)) }
            if let event = nextEvent, !isHeldUp { deadline = min(deadline, due(event, start)) }
        } else if options.start == .atOnce {
            deadline = now
        }
        for client in clients {
            if let time = client.greetsAt { deadline = min(deadline, time) }
            if client.hasPending {
                deadline = min(deadline, client.heldUntil > now ? client.heldUntil : patienceEnd(client))
            } else if !client.policy.isEnabled {
                deadline = min(deadline, client.lastRequest.advanced(bySeconds: options.idleTimeout))
            }
        }
        return deadline
    }

    /// What to wait for at a client's socket.
    func events(of client: GPSDClient, now: BootTime) -> Int16 {
        var events: Int16 = 0
        if takesRequests(of: client) { events |= Int16(POLLIN) }
        if client.hasPending, client.heldUntil <= now { events |= Int16(POLLOUT) }
        return events
    }

    /// False while a client waits for its greeting, and while too much waits for it.
    private func takesRequests(of client: GPSDClient) -> Bool {
        client.greetsAt == nil && client.pending.count < Self.mostPending
    }

    /// Serves a client whose socket is ready.
    /// - Parameter isGone: true when the other end is closed for good.
    func serve(_ client: GPSDClient, isGone: Bool = false, now: BootTime) {
        // A client that asks for much gives way to the others from time to time.
        for _ in 0..<16 {
            guard !client.isOver, isGone || takesRequests(of: client) else { return }
            let goesOn = client.read(through: buffer) { piece in
                client.lastRequest = now
                let reply = world.answer(piece, policy: &client.policy, now: readClock())
                client.send(reply, .orWait, now: now)
            }
            if !goesOn { return }
        }
    }

    /// Plays what is due, makes faults happen, and forgets clients that are gone.
    func advance(now: BootTime) {
        // Where nobody can connect, time has to go on for that to change.
        if start == nil,
            options.start == .atOnce || !isListening || clients.contains(where: \.policy.wantsReports)
                || options.common?.time != nil
        {
            begin(now: now)
        }
        follow(faults.apply(seconds: playedSeconds(now), report: reportCount), now: now)
        for client in clients {
            client.flush(now: now)
            greet(client, now: now)
            let isIdle =
                !client.policy.isEnabled && !client.hasPending
                && client.lastRequest.advanced(bySeconds: options.idleTimeout) <= now
            let isStuck = client.hasPending && client.heldUntil <= now && patienceEnd(client) <= now
            if isIdle || isStuck { client.end() }
        }
        play(now: now)
        for client in clients where client.endsWhenSent && !client.hasPending { client.end() }
        lostCount += clients.filter(\.isOver).reduce(0) { $0 + $1.lostCount }
        clients.removeAll(where: \.isOver)
    }

    /// Lines that clients did not get, those that are still there included.
    var allLost: Int64 { clients.reduce(lostCount) { $0 + $1.lostCount } }

    private func begin(now: BootTime) {
        let begun = options.common?.begin(at: now) ?? now
        start = begun
        guard options.stamps == .now else { return }
        let late = now.nanoseconds.subtractingSaturated(begun.nanoseconds)
        shift = survey.shift(toPlayAt: WallTime(nanoseconds: readClock().nanoseconds.subtractingSaturated(late)))
    }

    private func playedSeconds(_ now: BootTime) -> Double? { start.map { now.seconds(since: $0) } }

    private func due(_ event: PlayedEvent, _ start: BootTime) -> BootTime {
        guard case .realTime(let speed) = options.pace else { return start }
        return start.advanced(bySeconds: Double(event.time) / 1e9 / (speed > 0 && speed.isFinite ? speed : 1))
    }

    /// True while a report would have to wait for a client, or for there to be one.
    private var isHeldUp: Bool {
        guard options.pace == .asFastAsRead else { return false }
        let watchers = clients.filter { $0.policy.wantsReports && !$0.isOver }
        return watchers.isEmpty || watchers.contains(where: \.hasPending)
    }

    private func patienceEnd(_ client: GPSDClient) -> BootTime {
        max(client.lastProgress, client.heldUntil).advanced(bySeconds: Self.patience)
    }

    private func greet(_ client: GPSDClient, now: BootTime) {
        guard let time = client.greetsAt, time <= now else { return }
        client.greetsAt = nil
        client.send(GPSDEncoder.line(world.version) + [13, 10], .orWait, now: now)
    }

    private func follow(_ orders: [GPSDFaultState.Order], now: BootTime) {
        if let version = faults.version {
            (world.version.protocolMajor, world.version.protocolMinor) = (version.major, version.minor)
        }
        for order in orders {
            switch order {
            case .drop: for client in clients { client.abort() }
            case .listen(let isListening): listen(isListening)
            case .plug(let path, let isPresent):
                for place in world.receivers.indices
                where path == nil || world.receivers[place].description.path == path {
                    plug(place, isPresent, now: now)
                }
            }
        }
    }

    private func listen(_ isListening: Bool) {
        self.isListening = isListening
        if !isListening { for client in clients { client.abort() } }
    }

    // MARK: Playback

    private func play(now: BootTime) {
        guard let start else { return }
        for _ in 0..<Self.eventsAtOnce {
            guard let event = nextEvent, !isHeldUp, due(event, start) <= now else { return }
            follow(faults.apply(seconds: now.seconds(since: start), report: reportCount), now: now)
            deliver(event, now: now)
            nextEvent = trace.next()
            if nextEvent == nil { finish(now: now) }
        }
    }

    private func finish(now: BootTime) {
        hasPlayed = true
        switch options.end {
        case .silence, .loop: break
        case .unplug: for place in world.receivers.indices { plug(place, false, now: now) }
        case .close: for client in clients { client.endsWhenSent = true }
        }
    }

    private func deliver(_ event: PlayedEvent, now: BootTime) {
        switch event.contents {
        case .report(let line, let report): deliver(line, report, shift.addingSaturated(event.shift), now)
        case .text(let line):
            guard usesSentences(event), !faults.isStalled,
                world.place(of: sentencePath).map({ world.receivers[$0].isPresent }) ?? true
            else { return }
            sendSentence(line, of: sentencePath, now)
        case .lost: if options.repeatsLosses { listen(false) }
        case .regained: if options.repeatsLosses { listen(true) }
        }
    }

    /// True when the sentences of the trace are sent, and not others in their place.
    private func usesSentences(_ event: PlayedEvent) -> Bool {
        survey.hasSentences && shift == 0 && event.shift == 0
    }

    private func deliver(_ line: [UInt8], _ report: GPSDReport, _ shift: Int64, _ now: BootTime) {
        let path: String
        switch report {
        case .version, .watch, .error, .malformed: return
        case .devices(let list): return list.forEach { describe($0, now: now) }
        case .device(let receiver): return describe(receiver, now: now)
        case .other(.poll): return
        case .position(let report): path = report.receiver
        case .sky(let report): path = report.receiver
        case .attitude(let report): path = report.receiver
        case .other: path = ReportRouting.receiver(of: line) ?? ""
        }
        let name = path.isEmpty ? survey.pathOfNameless ?? sentencePath : path
        guard let place = place(of: name, now: now), world.receivers[place].isPresent else { return }
        reportCount += 1
        guard !faults.isStalled else { return }
        let edited = ReportEdit(receiver: path.isEmpty ? name : nil, shift: shift).apply(to: line)
        let moved = report.moved(by: shift)
        remember(edited, moved, place)
        sentencePath = name
        sendReport(edited, moved, of: name, now)
        if !survey.hasSentences || shift != 0 { sendSentences(for: moved, place, of: name, now) }
    }

    /// The place of a receiver, which comes when it was not known.
    private func place(of path: String, now: BootTime) -> Int? {
        if let place = world.place(of: path) { return place }
        var receiver = ReceiverDescription()
        receiver.path = path
        receiver.driver = TraceSurvey.usualDriver
        return add(receiver, now: now)
    }

    private func add(_ receiver: ReceiverDescription, now: BootTime) -> Int? {
        guard !receiver.path.isEmpty,
            let place = world.add(
                SimulatedReceiver(description: receiver, activation: readClock(), isPresent: receiver.isActive))
        else { return nil }
        announce(place, now: now)
        return place
    }

    /// gpsd told of a receiver: it came, went or was identified.
    private func describe(_ receiver: ReceiverDescription, now: BootTime) {
        guard let place = world.place(of: receiver.path) else {
            if receiver.isActive { _ = add(receiver, now: now) }
            return
        }
        let former = world.receivers[place]
        let isKnown = receiver.driver.isEmpty || receiver.isSame(as: former.description)
        world.update(place) { if !receiver.driver.isEmpty { $0.description = receiver } }
        if former.isPresent != receiver.isActive {
            plug(place, receiver.isActive, now: now)
        } else if !isKnown, receiver.isActive {
            announce(place, now: now)
        }
    }

    private func plug(_ place: Int, _ isPresent: Bool, now: BootTime) {
        guard world.receivers[place].isPresent != isPresent else { return }
        world.update(place) { $0.setPresent(isPresent, at: readClock()) }
        announce(place, now: now)
    }

    private func announce(_ place: Int, now: BootTime) {
        let receiver = world.receivers[place]
        send(receiver.line, of: receiver.description.path, now) { $0.json || $0.pps }
    }

    private func remember(_ line: [UInt8], _ report: GPSDReport, _ place: Int) {
        world.update(place) { receiver in
            switch report {
            case .position: receiver.lastPosition = line
            case .sky(let sky):
                receiver.lastSky = line
                receiver.newSky = sky
            case .other(.gst): receiver.lastNoise = line
            default: break
            }
        }
    }

    // MARK: Sending

    private func sendReport(_ line: [UInt8], _ report: GPSDReport, of path: String, _ now: BootTime) {
        if clients.contains(where: \.policy.json) {
            let hasTiming = report.isPosition && ReportRouting.hasTiming(line)
            let plain = hasTiming ? ReportEdit(dropsTiming: true).apply(to: line) : line
            let garbage = faults.takeGarbage()
            if garbage > 0 { send(makeNoise(garbage), of: path, now) { $0.json } }
            let half = faults.takeHalf()
            for client in clients where ReportRouting.isSent(report, line, client.policy, path) {
                let bytes = (client.policy.timing ? line : plain) + [13, 10]
                if let half {
                    client.sendHalf(bytes, restAt: half.map { now.advanced(bySeconds: $0) }, now: now)
                } else {
                    client.send(bytes, manner, now: now)
                }
            }
        }
    }

    /// Sends what the receiver would have sent for the report.
    private func sendSentences(for report: GPSDReport, _ place: Int, of path: String, _ now: BootTime) {
        guard clients.contains(where: \.policy.wantsSentences) else { return }
        var sky: SkyReport?
        if report.isPosition {
            sky = world.receivers[place].newSky
            world.update(place) { $0.newSky = nil }
        }
        for sentence in MadeSentences.sentences(report, sky) { sendSentence(sentence, of: path, now) }
    }

    private func sendSentence(_ sentence: [UInt8], of path: String, _ now: BootTime) {
        let isText = sentence.first == UInt8(ascii: "$") || sentence.first == UInt8(ascii: "!")
        for client in clients where client.policy.watches(path) {
            if isText {
                if client.policy.nmea || client.policy.raw > 0 { client.send(sentence + [13, 10], manner, now: now) }
            } else if client.policy.raw > 1 {
                client.send(sentence + [13, 10], manner, now: now)
            } else if client.policy.raw == 1 {
                client.send(ReportRouting.hexadecimal(sentence) + [13, 10], manner, now: now)
            }
        }
    }

    private func send(
        _ line: [UInt8], of path: String, _ now: BootTime, where isWanted: (GPSDWatch) -> Bool
    ) {
        for client in clients where client.policy.watches(path) && isWanted(client.policy) {
            client.send(line + [13, 10], manner, now: now)
        }
    }

    private var manner: GPSDClient.Manner { options.pace == .asFastAsRead ? .orWait : .orLose }

    /// Bytes that mean nothing, the same ones in every run.
    private func makeNoise(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: noise >> 33)
        }
    }
}

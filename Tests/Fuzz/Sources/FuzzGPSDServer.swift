// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import SystemCalls
import Trace

@testable import GPSDSimulator

/// The input is a script of several clients. Each client receives exactly the bytes that it would receive alone.
func fuzzGPSDServer(_ input: UnsafeBufferPointer<UInt8>) {
    let script = ClientScript(input)
    // With this option clients evict each other, so that their data depends on other clients.
    let isCrowded = script.has(0)
    let together = play(script, of: nil)
    guard !isCrowded else { return }
    let clients = Set(script.steps.filter { $0.action == .connect }.map(\.client))
    for client in clients where clients.count > 1 {
        let alone = play(script, of: client)[client]
        guard alone != together[client] else { continue }
        for received in [alone, together[client]] { print(String(decoding: received, as: UTF8.self)) }
        fflush(nil)
        preconditionFailure("others have changed what a client gets")
    }
}

private let file: TraceFile = {
    let lines = #"""
        {"format":"device-services-trace","version":1,"start":{"utc":"2024-03-23T12:00:00Z","boot":0}}
        {"t":0,"gpsd":{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"u-blox",\#
        "activated":"2024-03-23T12:00:00.000Z"}]}}
        {"t":0.5,"gpsd":{"class":"TPV","device":"/dev/a","mode":3,"time":"2024-03-23T12:00:00.000Z","lat":48.5,\#
        "lon":11.5,"altMSL":500.0,"speed":1.5,"track":90.0,"rtime":1.5}}
        {"t":1,"gpsd":{"class":"SKY","device":"/dev/a","hdop":1.0,\#
        "satellites":[{"PRN":5,"el":30.0,"az":20.0,"ss":40.0,"used":true}]}}
        {"t":1.5,"gpsd":{"class":"TPV","device":"/dev/a","mode":3,"time":"2024-03-23T12:00:01.000Z",\#
        "lat":48.6,"lon":11.5}}
        {"t":2,"gpsd":{"class":"PPS","device":"/dev/a","real_sec":1,"real_nsec":2,\#
        "clock_sec":3,"clock_nsec":4}}
        {"t":2,"gpsd":{"class":"ATT","device":"/dev/b","heading":12.5}}
        {"t":2.5,"gpsd":{"class":"TPV","device":"/dev/b","mode":1}}
        {"t":3,"gpsd":{"class":"GST","device":"/dev/a","rms":1.5}}
        {"t":4,"gpsd":{"class":"DEVICE","path":"/dev/b","activated":0}}
        {"t":9,"gpsd":{"class":"TPV","device":"/dev/a","mode":3,"time":"2024-03-23T12:00:09.000Z",\#
        "lat":48.7,"lon":11.5}}

        """#
    guard let file = try? TraceFile(bytes: Array(lines.utf8), name: "fuzz") else {
        preconditionFailure("the trace is one")
    }
    return file
}()

/// Returns the data of each client, for the whole script or for the steps of one client with the waits and the faults.
private func play(_ script: ClientScript, of client: Int?) -> [[UInt8]] {
    let stage = Stage(script)
    for step in script.steps
    where client == nil || step.client == client || step.action == .wait || step.action == .fault {
        stage.perform(step)
    }
    return stage.end()
}

/// A simulated gpsd with clients on socket pairs, and a clock that the script advances.
private final class Stage {
    private let engine: GPSDEngine
    private var now = BootTime(nanoseconds: 1_000_000_000_000)
    private var ends = [Int32?](repeating: nil, count: ClientScript.maximumClients)
    private var received = [[UInt8]](repeating: [], count: ClientScript.maximumClients)
    private let hasLittleRoom: Bool
    /// If answers exceed 10,240 bytes in total, gpsd truncates them in the middle of a line. Requests of at most this
    /// length never have an answer that long.
    private static let shortlyAnswered = 60
    private var mayBeCutOff = false
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ script: ClientScript) {
        var options = GPSDServerOptions()
        // The trace is played even if no client watches.
        options.start = .immediately
        options.end = script.has(1) ? .unplug : script.has(2) ? .loop : script.has(3) ? .close : .silence
        options.timestampPolicy = script.has(4) ? .now : .recorded
        if script.has(0) { options.maximumClients = 2 }
        hasLittleRoom = script.has(5)
        engine = GPSDEngine(file, options: options) { .epoch }
        engine.advance(now: now)
    }

    func perform(_ step: ClientScript.Step) {
        switch step.action {
        case .connect: connect(step.client)
        case .send, .sendOften:
            guard let end = ends[step.client] else { return }
            if step.sent.count > Self.shortlyAnswered { mayBeCutOff = true }
            _ = step.sent.withUnsafeBytes { systemSend(end, $0) }
        case .read: read(step.client)
        case .hangUp:
            read(step.client)
            ends[step.client].map { _ = close($0) }
            ends[step.client] = nil
        case .end: ends[step.client].map { _ = shutdown($0, Int32(SHUT_WR)) }
        case .wait:
            now = BootTime(nanoseconds: now.nanoseconds + step.nanoseconds)
        case .fault:
            for fault in (try? GPSDFault.list(String(decoding: step.bytes, as: UTF8.self))) ?? [] {
                switch fault.action {
                // These faults wait for the next report that reaches a client, and thereby make clients depend on each
                // other.
                case .halfLine, .garbage: break
                default: engine.faults.add(fault)
                }
            }
        }
        serve()
    }

    private func connect(_ client: Int) {
        guard ends[client] == nil else { return }
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { preconditionFailure("there are no more descriptors") }
        if hasLittleRoom {
            var room: Int32 = 4608
            setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        }
        ends[client] = pair[1]
        received[client] += Array("\nconnects\n".utf8)
        engine.addClient(pair[0], now: now)
    }

    /// Serves the clients until no work is pending at the current time.
    private func serve() {
        var quietRounds = 0
        for round in 0..<200 {
            var isBusy = false
            for client in engine.clients {
                var descriptor = pollfd(fd: client.descriptor, events: engine.events(of: client, now: now), revents: 0)
                guard poll(&descriptor, 1, 0) > 0 else { continue }
                let isGone = descriptor.revents & Int16(POLLHUP | POLLERR) != 0
                engine.serve(client, isGone: isGone, now: now)
                isBusy = isBusy || isGone || descriptor.revents & Int16(POLLIN) != 0
            }
            engine.advance(now: now)
            let deadline = engine.deadline(now: now)
            // A time that is rounded to now arrives one nanosecond later. A client that has just been greeted may be
            // served in the next round.
            let isQuiet = !isBusy && (deadline > now || round > 100 && deadline == now)
            quietRounds = isQuiet ? quietRounds + 1 : 0
            if quietRounds == 2 { return check() }
        }
        preconditionFailure("it is never done")
    }

    private func check() {
        precondition(engine.clients.count <= min(ends.count { $0 != nil }, engine.options.maximumClients))
        precondition(engine.clients.allSatisfy { !$0.isFinished && $0.pending.count < 1 << 23 })
    }

    private func read(_ client: Int) {
        guard let end = ends[client] else { return }
        while case let count = recv(end, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
            received[client] += buffer[..<count]
        }
    }

    /// Returns all data that was sent, after every client has read to the end.
    func end() -> [[UInt8]] {
        for round in 0..<1000 {
            for client in ends.indices { read(client) }
            guard engine.clients.contains(where: \.hasPending) else { break }
            precondition(round < 999, "something waits for ever for clients that read")
            engine.advance(now: now)
        }
        for (client, end) in ends.enumerated() {
            read(client)
            end.map { _ = close($0) }
            ends[client] = nil
        }
        serve()
        precondition(engine.clients.isEmpty, "who is gone is forgotten")
        if !mayBeCutOff { checkLines() }
        return received
    }

    /// Each line is a report or a sentence. Errors repeat the request unchanged, including line ends, as gpsd's errors
    /// do.
    private func checkLines() {
        var decoder = GPSDDecoder()
        for line in received.joined().split(separator: 10) where line.starts(with: #"{"class":""#.utf8) {
            guard line.last == 13, !line.starts(with: #"{"class":"ERROR"#.utf8) else { continue }
            let report = Array(line.dropLast()).withUnsafeBytes { decoder.decode($0) }
            if case .malformed(let why) = report {
                preconditionFailure("\(why): \(String(decoding: line, as: UTF8.self))")
            }
        }
    }
}

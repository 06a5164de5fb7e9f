// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SimulatedDevice
import Synchronization
import Testing
import Trace

@Suite("Coded accessories", .timeLimit(.minutes(5)))
struct CodedAccessoryTests {
    private static let echo = ClosurePeer { event in
        switch event {
        case .opened: [.text("HELLO")]
        case .received(let bytes): [.wait(.milliseconds(500)), .send(bytes)]
        case .timerFired, .closed: []
        }
    }

    private func accessory(_ peer: any AccessoryPeer, _ faults: AccessoryFaults = AccessoryFaults())
        -> SimulatedAccessory
    {
        SimulatedAccessory(name: "Scale", protocol: "com.a", peer: peer, faults: faults)
    }

    private func faults(_ change: (inout AccessoryFaults) -> Void) -> AccessoryFaults {
        var faults = AccessoryFaults()
        change(&faults)
        return faults
    }

    @Test("A peer answers on the device's clock and receives the end of the session")
    func answers() {
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        let received = Mutex<[AccessoryPeerEvent]>([])
        var echo = Self.echo
        let peer = ClosurePeer { [echo] event in
            received.withLock { $0.append(event) }
            var echo = echo
            return echo.react(to: event)
        }
        _ = echo.react(to: .timerFired)
        #expect(device.attach(accessory(peer)) == 1)
        #expect(program.log.isEmpty)
        device.advance(by: 1)
        program.write("abc", "com.a")
        device.advance(by: 0.25)
        #expect(program.log == ["0.0 attached 1 Scale", "0.0 com.a < HELLO"])
        device.advance(by: 1)
        program.close("com.a")
        device.advance(by: 0)
        #expect(program.log.last == "1.5 com.a < abc")
        #expect(received.withLock { $0 } == [.opened, .received(Array("abc".utf8)), .closed])
        device.detach(1)
        device.detach(1)
        device.advance(by: 0)
        #expect(program.log.last == "2.25 detached 1 Scale")
    }

    @Test(
        "A busy peer still receives the end of its session",
        arguments: [
            [AccessoryPeerAction](repeating: .wait(.seconds(3600)), count: 2000),
            [.send([UInt8](repeating: 1, count: 3 << 20))],
        ])
    func busyPeer(actions: [AccessoryPeerAction]) {
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        let received = Mutex<[AccessoryPeerEvent]>([])
        let peer = ClosurePeer { event in
            received.withLock { $0.append(event) }
            return event == .opened ? actions : []
        }
        device.attach(accessory(peer, faults { $0.bytesPerSecond = 1 }))
        device.advance(by: 1)
        #expect(received.withLock { $0 } == [.opened])
        program.write("x", "com.a")
        program.close("com.a")
        device.advance(by: 1)
        #expect(received.withLock { $0 } == [.opened, .received(Array("x".utf8)), .closed])
    }

    @Test("Many actions of a peer run in order")
    func manyActions() {
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        let peer = ClosurePeer { event in
            event == .opened ? (0..<3000).map { .text("\($0),") } + [.hangUp] : []
        }
        device.attach(accessory(peer))
        device.advance(by: 1)
        let read = program.log.filter { $0.hasPrefix("0.0 com.a < ") }.map { $0.dropFirst("0.0 com.a < ".count) }
        #expect(read.joined() == (0..<3000).map { "\($0)," }.joined())
        #expect(program.log.last == "0.0 com.a ended: hungUp")
    }

    @Test("A value-type peer restarts in each session, and a woken peer sends without a request")
    func sessions() {
        struct Counter: AccessoryPeer {
            var count = 0
            mutating func react(to event: AccessoryPeerEvent) -> [AccessoryPeerAction] {
                guard event != .closed else { return [] }
                count += 1
                return [.text("\(count)"), .setTimer(after: .seconds(1))]
            }
        }
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        device.attach(accessory(Counter()))
        device.advance(by: 2.5)
        program.open(1, "com.a")
        program.close("com.a")
        program.open(1, "com.a")
        device.advance(by: 1)
        #expect(
            program.log == [
                "0.0 attached 1 Scale", "0.0 com.a < 1", "1.0 com.a < 2", "2.0 com.a < 3", "2.5 com.a busy",
                "2.5 com.a < 1", "3.5 com.a < 2",
            ])
    }

    @Test("A line peer answers complete lines, regardless of how the input is split")
    func lines() {
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        let peer = LinePeer(greeting: [.text("?")]) { $0 == "QUIT" ? [.text("bye"), .hangUp] : [.text("<\($0)>")] }
        device.attach(accessory(peer))
        device.advance(by: 0)
        for chunk in ["a\r", "\nb\n\nc", "d\n", "QUIT\nx\n"] {
            program.write(chunk, "com.a")
            device.advance(by: 1)
        }
        #expect(
            program.log.dropFirst() == [
                "0.0 com.a < ?", "1.0 com.a < <a><b><>", "2.0 com.a < <cd>", "3.0 com.a < bye",
                "3.0 com.a ended: hungUp",
            ])
    }

    @Test("A scripted peer follows its steps and reports a deviation from the script")
    func scripts() {
        let deviations = Mutex<[ScriptedPeer.Deviation]>([])
        let script: [ScriptedPeer.Step] = [
            .send(text: "READY"), .expect(text: "READ"), .delay(.seconds(2)), .send(text: "12"), .expectAny(3),
            .send(text: "OK"), .expect(text: "BYE"), .hangUp,
        ]
        let peer = ScriptedPeer(script) { deviation in deviations.withLock { $0.append(deviation) } }
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        device.attach(accessory(peer))
        device.advance(by: 1)
        program.write("RE", "com.a")
        device.advance(by: 1)
        program.write("ADxyzB", "com.a")
        device.advance(by: 3)
        program.write("YE", "com.a")
        device.advance(by: 1)
        #expect(
            program.log == [
                "0.0 attached 1 Scale", "0.0 com.a < READY", "4.0 com.a < 12OK", "5.0 com.a ended: hungUp",
            ])
        #expect(deviations.withLock { $0.isEmpty })

        program.open(1, "com.a")
        program.write("RED", "com.a")
        device.advance(by: 1)
        program.open(1, "com.a")
        program.write("REA", "com.a")
        device.advance(by: 1)
        program.close("com.a")
        device.advance(by: 1)
        #expect(
            deviations.withLock { $0 } == [
                ScriptedPeer.Deviation(
                    step: 1, expected: Array("READ".utf8), received: Array("RED".utf8), isEndOfSession: false),
                ScriptedPeer.Deviation(
                    step: 1, expected: Array("READ".utf8), received: Array("REA".utf8), isEndOfSession: true),
            ])
    }

    @Test("An accessory unplugged during a write is detached, and the unsent bytes are lost")
    func unpluggedInWrite() {
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        let received = Mutex(0)
        let peer = ClosurePeer { event in
            if case .received(let bytes) = event { received.withLock { $0 += bytes.count } }
            return event == .opened ? [.text("HELLO")] : []
        }
        device.attach(accessory(peer, faults { $0.unplugsAfterReceiving = 5000 }))
        device.advance(by: 1)
        program.write(String(repeating: "x", count: 12_000), "com.a")
        device.advance(by: 1)
        #expect(received.withLock { $0 } == 5000)
        #expect(
            program.log.dropFirst() == [
                "0.0 com.a < HELLO", "1.0 com.a ended: detached, 7000 unsent", "1.0 detached 1 Scale",
            ])
        #expect(device.device.accessorySource.accessories.isEmpty)
        let end = program.channel("com.a")?.end
        #expect(end?.error?.code == .connectionLost)
    }

    @Test("Bytes received before an accessory is unplugged stay readable")
    func unpluggedInRead() {
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        device.attach(accessory(Self.echo, faults { $0.unplugsAfterSending = 3 }))
        device.advance(by: 1)
        #expect(
            program.log.dropFirst() == [
                "0.0 com.a < HEL", "0.0 com.a ended: detached", "0.0 detached 1 Scale",
            ])
    }

    @Test("Bytes arrive in pieces at the configured interval and rate, and none is lost")
    func chunks() {
        let device = SimulatedDevice()
        let program = AccessoryProgram(device, opening: ["com.a"])
        device.attach(
            accessory(
                Self.echo,
                faults {
                    $0.maximumChunkLength = 2
                    $0.minimumChunkInterval = .milliseconds(250)
                }))
        device.advance(by: 1)
        #expect(program.log.dropFirst() == ["0.0 com.a < HE", "0.25 com.a < LL", "0.5 com.a < O"])
        device.detach(1)

        device.attach(
            accessory(
                ClosurePeer { $0 == .opened ? [.text(String(repeating: "y", count: 1000))] : [] },
                faults { $0.bytesPerSecond = 400 }))
        device.advance(by: 1.1)
        let slow = program.log.filter { $0.contains("< y") }
        // 4 bytes arrive every 10 ms, the first 4 immediately.
        #expect(slow.count == 110 || slow.count == 111)
        device.advance(by: 10)
        let all = program.log.filter { $0.contains("< y") }.joined().filter { $0 == "y" }
        #expect(all.count == 1000)
    }

    @Test("The same seed yields the same garbage, and another seed yields different garbage")
    func garbage() {
        func bytes(seed: UInt64) -> [UInt8] {
            let device = SimulatedDevice()
            let peer = ClosurePeer { $0 == .opened ? [.send([UInt8](repeating: 0, count: 1000))] : [] }
            device.attach(
                accessory(
                    peer,
                    faults {
                        $0.seed = seed
                        $0.corruptionProbability = 0.1
                        $0.leadingRandomByteCount = 10
                    }))
            guard let channel = try? device.device.accessorySource.open(1, protocol: "com.a") else { return [] }
            device.advance(by: 1)
            var buffer = [UInt8](repeating: 0, count: 2000)
            guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) else { return [] }
            return Array(buffer[..<count])
        }
        let first = bytes(seed: 1)
        #expect(first.count == 1010)
        // A tenth of the 1,000 bytes is replaced. One in 256 of the replacements is 0, so about 100 bytes change.
        let changed = first.dropFirst(10).count { $0 != 0 }
        #expect(changed > 60 && changed < 140)
        #expect(bytes(seed: 1) == first)
        #expect(bytes(seed: 2) != first)
    }

    @Test("A coded accessory works beside a recorded one and answers until the end of playback")
    func besideTrace() throws {
        let device = SimulatedDevice(try accessoryTrace([opened(1), entry(2, "in", "x")], protocols: ["com.a"]))
        let program = AccessoryProgram(device, opening: ["com.a", "com.b"])
        let peer = LinePeer { line in [.text("got \(line)")] }
        program.answer("com.a") { [weak program] text in
            program?.write("\(text)\n", "com.b")
            return nil
        }
        let id = device.attach(SimulatedAccessory(name: "Other", protocol: "com.b", peer: peer))
        try device.play()
        #expect(id == 1)
        #expect(
            program.log == [
                "0.0 attached 1 Other", "1.0 attached 2 Scale", "2.0 com.a < x", "2.0 com.b < got x",
            ])
        device.detach(2)
        device.advance(by: 0)
        #expect(program.log.suffix(2) == ["2.0 com.a ended: detached", "2.0 detached 2 Scale"])
    }

    @Test("An unreferenced device is released together with its open sessions")
    func release() throws {
        weak var former: Device?
        weak var channel: (any ByteChannel)?
        do {
            let simulated = SimulatedDevice(try accessoryTrace([opened(1), entry(2, "in", "x")]))
            let program = AccessoryProgram(simulated, opening: ["com.a", "com.c"])
            simulated.attach(SimulatedAccessory(name: "Other", protocol: "com.c", peer: Self.echo))
            try simulated.play()
            former = simulated.device
            channel = program.channel("com.c")
            #expect(program.log.count == 4)
            #expect(channel != nil)
        }
        #expect(former == nil)
        #expect(channel == nil)
    }
}

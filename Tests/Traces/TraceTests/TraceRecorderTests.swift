// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Foundation
import Synchronization
import Testing

@testable import Trace

/// Uses a `PositionHub` as the position source, because all sources post their reports to a hub.
@Suite("Trace recorder")
struct TraceRecorderTests {
    private let clock = VirtualClock(
        now: BootTime(nanoseconds: 100_000_000_001), wallTime: WallTime(nanoseconds: 1_795_232_362_000_000_002))
    private let hub = PositionHub(demandChanged: {})

    private func device() -> Device {
        Device(name: "test", clock: clock, configuration: Configuration(), positionSource: hub)
    }

    private func post(_ line: String, after nanoseconds: Int64) {
        clock.move(to: BootTime(nanoseconds: 100_000_000_001 + nanoseconds))
        [UInt8](line.utf8).withUnsafeBytes { hub.post(line: $0, arrival: clock.now) }
    }

    @Test("Lines, losses and recoveries are recorded with the time since the start")
    func recording() throws {
        let folder = try Folder()
        var receiver = ReceiverDescription()
        receiver.path = "/dev/ttyACM0"
        receiver.driver = "u-blox"
        hub.post(receiver: receiver)
        let writer = try TraceWriter(path: folder.file("a"), clock: clock)
        let recorder = TraceRecorder(device: device(), writer: writer, recorder: "test 1.0")
        #expect(!hub.hasSubscribers)
        try recorder.start()
        #expect(hub.hasSubscribers)
        #expect(hub.wantsLines)
        post(tpv, after: 1)
        post("$GPGGA", after: 1_000_000_000)
        clock.move(to: BootTime(nanoseconds: 103_000_000_001))
        hub.setStatus(.unavailable(DeviceError(.connectionLost, "gpsd closed the connection.")))
        clock.move(to: BootTime(nanoseconds: 104_000_000_001))
        hub.setStatus(.available)
        post(sky, after: 5_000_000_000)
        #expect(recorder.recordedLines == 3)
        try recorder.stop()
        #expect(!hub.hasSubscribers)
        post(tpv, after: 6_000_000_000)
        try recorder.stop()
        #expect(recorder.failure == nil)

        let reading = try Reading(folder.bytes("a"))
        let header = try #require(reading.file.header)
        #expect(header.start?.boot.nanoseconds == 100_000_000_001)
        #expect(header.start?.wallTime.nanoseconds == 1_795_232_362_000_000_002)
        #expect(header.clock == "CLOCK_BOOTTIME")
        #expect(header.recorder == "test 1.0")
        #expect(header.source == "gpsd://localhost:2947")
        #expect(header.devices == [TraceDevice(receiver)])
        #expect(reading.records.map(\.kind) == [.gpsd, .gpsdText, .lost, .regained, .gpsd])
        #expect(reading.times == [1, 1_000_000_000, 3_000_000_000, 4_000_000_000, 5_000_000_000])
        #expect(reading.lines == [tpv, "$GPGGA", "", "", sky])
    }

    @Test("A source that is already lost is recorded as lost at the start")
    func lostAtStart() throws {
        let folder = try Folder()
        let other = hub.subscribe(PositionRequest()) { _ in }
        hub.setStatus(.unavailable(DeviceError(.unreachable, "Nobody listens.")))
        let recorder = TraceRecorder(device: device(), writer: try TraceWriter(path: folder.file("a"), clock: clock))
        try recorder.start()
        try recorder.stop()
        other.cancel()
        let reading = try Reading(folder.bytes("a"))
        #expect(reading.records.map(\.kind) == [.lost])
        #expect(reading.times == [0])
    }

    @Test("A line that arrived before the start is recorded with the time of the start")
    func earlyLine() throws {
        let folder = try Folder()
        let recorder = TraceRecorder(device: device(), writer: try TraceWriter(path: folder.file("a"), clock: clock))
        try recorder.start()
        [UInt8](tpv.utf8).withUnsafeBytes { hub.post(line: $0, arrival: .zero) }
        try recorder.stop()
        #expect(try Reading(folder.bytes("a")).times == [0])
    }

    @Test("A recorder can be started only once")
    func once() throws {
        let folder = try Folder()
        let recorder = TraceRecorder(device: device(), writer: try TraceWriter(path: folder.file("a"), clock: clock))
        try recorder.start()
        let error = #expect(throws: DeviceError.self) { try recorder.start() }
        #expect(error?.code == .busy)
        try recorder.stop()
        #expect(throws: DeviceError.self) { try recorder.start() }
        #expect(!hub.hasSubscribers)
    }

    @Test(
        "If the disk is full at the start, start() throws and does not subscribe",
        .enabled(if: access("/dev/full", W_OK) == 0, "there is no /dev/full"))
    func fullAtStart() throws {
        let writer = try TraceWriter(path: "/dev/full", overwrite: true, clock: clock)
        let recorder = TraceRecorder(device: device(), writer: writer)
        #expect(throws: DeviceError.self) { try recorder.start() }
        #expect(!hub.hasSubscribers)
        #expect(recorder.failure?.cause == .system(call: "write", errno: ENOSPC))
    }

    @Test(
        "If the disk becomes full, recording stops and the error is reported once",
        .enabled(if: access("/dev/full", W_OK) == 0, "there is no /dev/full"), arguments: [true, false])
    func fullLater(hasHandler: Bool) throws {
        let folder = try Folder()
        let path = folder.file("a")
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let writer = TraceWriter(descriptor: descriptor, name: path, clock: clock)
        let errors = Mutex<[DeviceError]>([])
        let handler: @Sendable (DeviceError) -> Void = { error in errors.withLock { $0.append(error) } }
        let recorder = TraceRecorder(device: device(), writer: writer, onFailure: hasHandler ? handler : nil)
        try recorder.start()
        post(tpv, after: 1)
        try writer.flush()
        // Redirects the descriptor to a full disk.
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        try #require(dup2(full, descriptor) == descriptor)
        close(full)
        post(sky, after: 2)
        #expect(hub.hasSubscribers)
        while clock.runNextTimer(upTo: clock.now.advanced(bySeconds: 1)) {}
        #expect(!hub.hasSubscribers)
        #expect(recorder.failure?.cause == .system(call: "write", errno: ENOSPC))
        post(tpv, after: 3)
        if hasHandler {
            try recorder.stop()
            #expect(errors.withLock { $0.map(\.cause) } == [.system(call: "write", errno: ENOSPC)])
        } else {
            #expect(throws: DeviceError.self) { try recorder.stop() }
        }
        #expect(try Reading(folder.bytes("a")).lines == [tpv])
    }

    @Test("A released recorder ends its subscription")
    func released() throws {
        let folder = try Folder()
        do {
            let recorder = TraceRecorder(
                device: device(), writer: try TraceWriter(path: folder.file("a"), clock: clock))
            try recorder.start()
            post(tpv, after: 1)
        }
        #expect(!hub.hasSubscribers)
        #expect(try Reading(folder.bytes("a")).lines == [tpv])
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Testing

@testable import IIODSimulator

/// Ten samples of the counting accelerometer take 100 ms. A scan has 16 bytes.
@Suite("Sample timing")
struct StreamTests {
    static let start: Int64 = 1_700_000_000_000_000_000

    private func dialogue(
        _ count: Int, release: IIORecordedSource.DeliveryTiming = .recordedTimes, heldUp: Int64 = 0,
        _ configure: (inout IIODServerOptions) -> Void = { _ in }
    ) -> Dialogue {
        Dialogue(
            samples: IIORecordedSource([Fixtures.counting(Fixtures.steps(count))], release: release), heldUp: heldUp,
            configure)
    }

    @Test("A refill completes when its last sample is due, and timestamps are the sample times")
    func onTime() throws {
        var dialogue = dialogue(100)
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "0\n")
        #expect(dialogue.line("READBUF iio:device0 64") == "")
        // Samples 0 to 3 are due at 0, 10, 20 and 30 ms.
        #expect(dialogue.wait == .time(BootTime(nanoseconds: dialogue.now + 30_000_000)))
        #expect(dialogue.pass(29_999_999).isEmpty)
        let chunks = try #require(Chunks(dialogue.pass(1)))
        #expect(chunks.lengths == [64])
        #expect(chunks.mask == "0000000f")
        #expect(chunks.first == [0, 1, 2, 3])
        #expect(chunks.stamps.map { $0 - StreamTests.start } == [0, 10_000_000, 20_000_000, 30_000_000])
        // -16384 and 12, big-endian, then two bytes of padding.
        #expect(Array(chunks.scans.dropFirst(2).prefix(6)) == [0xC0, 0, 0, 12, 0, 0])
    }

    @Test(
        "Timestamps follow the selected clock, even if the thread was suspended", arguments: [0, 4_000_000_000])
    func clock(heldUp: Int64) throws {
        var dialogue = dialogue(10, heldUp: heldUp)
        #expect(dialogue.line("WRITE iio:device0 current_timestamp_clock 9") == "")
        #expect(dialogue.send(Array("boottime\0".utf8)) == Array("9\n".utf8))
        #expect(dialogue.line("OPEN iio:device0 1 0000000f") == "0\n")
        let reply = dialogue.send(Array("READBUF iio:device0 16\r\n".utf8))
        #expect(try #require(Chunks(reply)).stamps == [5_000_000_000])
        #expect(dialogue.line("CLOSE iio:device0") == "0\n")
        #expect(dialogue.line("WRITE iio:device0 current_timestamp_clock 9") == "")
        #expect(dialogue.send(Array("realtime\0".utf8)) == Array("9\n".utf8))
        #expect(dialogue.line("OPEN iio:device0 1 0000000f") == "0\n")
        let others = dialogue.send(Array("READBUF iio:device0 16\r\n".utf8))
        #expect(try #require(Chunks(others)).stamps == [StreamTests.start])
    }

    @Test("A client that does not read loses the newest samples, as with the kernel's buffer")
    func overflow() throws {
        var dialogue = dialogue(200)
        #expect(dialogue.line("SET iio:device0 BUFFERS_COUNT 2") == "0\n")
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "0\n")
        // Sample 100 is due after one second; two buffers of four samples are kept.
        _ = dialogue.pass(1_000_000_000)
        let remainingChunks = try #require(Chunks(dialogue.send(Array("READBUF iio:device0 128\r\n".utf8))))
        #expect(remainingChunks.lengths == [64, 64])
        #expect(remainingChunks.first == Array(0..<8))
        #expect(dialogue.line("READBUF iio:device0 64") == "")
        #expect(try #require(Chunks(dialogue.pass(40_000_000))).first == [101, 102, 103, 104])
    }

    @Test("Twice the speed halves the times and timestamps of samples")
    func speed() throws {
        var dialogue = dialogue(10) { $0.pace = .realTime(speed: 2) }
        #expect(dialogue.line("OPEN iio:device0 3 0000000f") == "0\n")
        #expect(dialogue.line("READBUF iio:device0 48") == "")
        #expect(dialogue.pass(9_900_000).isEmpty)
        let chunks = try #require(Chunks(dialogue.pass(200_000)))
        #expect(chunks.stamps.map { $0 - StreamTests.start } == [0, 5_000_000, 10_000_000])
    }

    @Test("Timestamps keep increasing when a trace loops", arguments: [true, false])
    func loop(isPaced: Bool) throws {
        var dialogue = dialogue(3) { options in
            options.end = .loop
            if !isPaced { options.pace = .onDemand }
        }
        #expect(dialogue.line("OPEN iio:device0 1 0000000f") == "0\n")
        var reply = dialogue.send(Array("READBUF iio:device0 112\r\n".utf8))
        for _ in 0..<7 { reply += dialogue.pass(10_000_000) }
        let chunks = try #require(Chunks(reply))
        #expect(chunks.first == [0, 1, 2, 0, 1, 2, 0])
        #expect(chunks.stamps.map { ($0 - StreamTests.start) / 1_000_000 } == [0, 10, 20, 30, 40, 50, 60])
    }

    @Test("The last chunk is shorter and is followed by silence or by ENODEV")
    func end() throws {
        for end in [IIODServerOptions.End.stall, .noDevice] {
            var dialogue = dialogue(6) { $0.end = end }
            #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "0\n")
            _ = dialogue.pass(1_000_000_000)
            let chunks = try #require(Chunks(dialogue.send(Array("READBUF iio:device0 128\r\n".utf8))))
            #expect(chunks.first == [0, 1, 2, 3, 4, 5])
            #expect(chunks.lengths == (end == .stall ? [64, 32] : [64, 32, -19]))
            if end == .stall { #expect(dialogue.wait == .time(.never)) }
        }
    }

    @Test("At the device's rate, a sample repeats the last reading")
    func deviceRate() throws {
        // 200 Hz with readings every 10 ms: each reading appears twice.
        var dialogue = dialogue(4, release: .deviceRate)
        #expect(dialogue.line("WRITE iio:device0 sampling_frequency 4") == "")
        #expect(dialogue.send(Array("200\0".utf8)) == Array("4\n".utf8))
        #expect(dialogue.line("OPEN iio:device0 8 0000000f") == "0\n")
        _ = dialogue.pass(100_000_000)
        let chunks = try #require(Chunks(dialogue.send(Array("READBUF iio:device0 128\r\n".utf8))))
        #expect(chunks.first == [0, 0, 1, 1, 2, 2, 3, 3])
        #expect(chunks.stamps.last == StreamTests.start + 35_000_000)
    }

    @Test("Scans are identical in real time and as fast as requested")
    func sameAtAnyPace() throws {
        var ahead = dialogue(50) { $0.pace = .onDemand }
        var paced = dialogue(50)
        var replies: [[UInt8]] = []
        _ = ahead.line("OPEN iio:device0 50 0000000f")
        replies.append(ahead.send(Array("READBUF iio:device0 800\r\n".utf8)))
        _ = paced.line("OPEN iio:device0 50 0000000f")
        _ = paced.pass(1_000_000_000)
        replies.append(paced.send(Array("READBUF iio:device0 800\r\n".utf8)))
        let isSame = replies[0] == replies[1]
        #expect(isSame)
        #expect(try #require(Chunks(replies[0])).first == Array(0..<50))
    }

    @Test("Without recorded samples, channels deliver their raw attribute at the device's rate")
    func rest() throws {
        var dialogue = Dialogue()
        #expect(dialogue.line("OPEN iio:device0 2 0000000f") == "0\n")
        #expect(dialogue.line("READBUF iio:device0 32") == "")
        let chunks = try #require(Chunks(dialogue.pass(10_000_000)))
        #expect(chunks.first == [100, 100])
        #expect(Array(chunks.scans.dropFirst(2).prefix(4)) == [0xC0, 0, 0, 12])
        #expect(chunks.stamps == [StreamTests.start, StreamTests.start + 10_000_000])
    }

    @Test("Readings outside the data format are clamped to its limits")
    func clamped() throws {
        let track = IIOSampleTrack(kind: .accelerometer, times: [0], values: [[1e9, -1e9, .nan]])
        var dialogue = Dialogue(samples: IIORecordedSource([track]))
        _ = dialogue.line("OPEN iio:device0 1 00000007")
        let reply = dialogue.send(Array("READBUF iio:device0 6\r\n".utf8))
        #expect(try #require(Chunks(reply)).scans == [0x7F, 0xFF, 0x80, 0, 0, 0])
    }

    @Test("A buffer that needs a trigger does not start without one")
    func trigger() {
        var dialogue = Dialogue(needingTrigger: ["iio:device0"])
        #expect(dialogue.line("SETTRIG iio:device0") == "0\n")
        #expect(dialogue.line("GETTRIG iio:device0") == "-5\n")
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "-22\n")
        #expect(dialogue.line("SETTRIG iio:device0 mpu6050-dev0") == "0\n")
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "0\n")
        #expect(dialogue.line("SETTRIG iio:device0") == "-16\n")
        #expect(dialogue.line("SET iio:device0 BUFFERS_COUNT 4") == "0\n")
    }

    @Test("Sample counts and times of a rate are consistent", arguments: [1.0, 100, 104, 1.5625, 833, 3200, 1e6])
    func rateTimeline(rate: Double) throws {
        let timeline = IIOTimeline(IIODeviceSignals(), rate: rate, loops: false)
        for sample in stride(from: Int64(0), to: 1_000_000, by: 997) {
            let time = try #require(timeline.offset(of: sample))
            #expect(timeline.count(until: time) == sample + 1)
            if sample > 0 { #expect(timeline.count(until: time - 1) == sample) }
        }
    }

    @Test("Timestamps of a looping trace are evenly spaced if the period is a whole number of nanoseconds")
    func regularStamps() throws {
        // Four readings in 40 ms at 200 Hz are eight samples per loop.
        var dialogue = dialogue(4, release: .deviceRate) { options in
            options.pace = .onDemand
            options.end = .loop
        }
        _ = dialogue.line("WRITE iio:device0 sampling_frequency 4")
        _ = dialogue.send(Array("200\0".utf8))
        _ = dialogue.line("OPEN iio:device0 12 0000000f")
        let chunks = try #require(Chunks(dialogue.send(Array("READBUF iio:device0 384\r\n".utf8))))
        #expect(chunks.first == [0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3])
        let places = chunks.stamps.map { ($0 - StreamTests.start) / 5_000_000 }
        #expect(places == Array(0..<24))
    }

    @Test("Samples written to a device are accepted and discarded")
    func writeBuffer() {
        var dialogue = Dialogue()
        _ = dialogue.line("OPEN iio:device0 4 0000000f")
        #expect(dialogue.line("WRITEBUF iio:device0 64") == "0\n")
        #expect(dialogue.send([UInt8](repeating: 10, count: 63)).isEmpty)
        #expect(dialogue.send([10]) == Array("64\n".utf8))
    }
}

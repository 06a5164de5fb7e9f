// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import SystemCalls
import Testing
import Trace

@testable import IIODSimulator

@Suite("Faults of the simulated iiod")
struct IIODFaultTests {
    private func dialogue(_ faults: String, samples: Int = 1000, isPaced: Bool = false) throws -> Dialogue {
        let list = try faults.isEmpty ? [] : IIODFault.list(faults)
        return Dialogue(samples: IIORecordedSource([Fixtures.counting(Fixtures.steps(samples))])) { options in
            options.faults = list
            options.end = .noDevice
            if !isPaced { options.pace = .onDemand }
        }
    }

    @Test("A stream error occurs before its sample, and streaming works after the next OPEN")
    func atSample() throws {
        var dialogue = try dialogue("enodev@#6")
        _ = dialogue.line("OPEN iio:device0 4 0000000f")
        let chunks = try #require(Chunks(dialogue.send(Array("READBUF iio:device0 192\r\n".utf8))))
        #expect(chunks.lengths == [64, 32, -19])
        #expect(chunks.first == [0, 1, 2, 3, 4, 5])
        #expect(dialogue.line("READBUF iio:device0 64") == "-19\n")
        #expect(dialogue.line("READ iio:device0 sampling_frequency") == "4\n100\0\n")
        #expect(dialogue.line("CLOSE iio:device0") == "0\n")
        _ = dialogue.line("OPEN iio:device0 4 0000000f")
        #expect(try #require(Chunks(dialogue.send(Array("READBUF iio:device0 64\r\n".utf8)))).lengths == [64])
    }

    @Test("Partial chunks lose no samples")
    func partial() throws {
        var dialogue = try dialogue("partial=5")
        _ = dialogue.line("OPEN iio:device0 16 0000000f")
        for start in [0, 16] {
            let chunks = try #require(Chunks(dialogue.send(Array("READBUF iio:device0 256\r\n".utf8))))
            #expect(chunks.lengths == [80, 80, 80, 16])
            #expect(chunks.first == Array(start..<start + 16))
        }
    }

    @Test("A fault can make length lines wrong")
    func wrongLength() throws {
        var dialogue = try dialogue("length=-4")
        _ = dialogue.line("OPEN iio:device0 1 0000000f")
        let reply = dialogue.send(Array("READBUF iio:device0 16\r\n".utf8))
        #expect(reply.count == "12\n0000000f\n".utf8.count + 16)
        #expect(reply.starts(with: "12\n".utf8))
    }

    @Test("OPEN fails until the fault is cleared")
    func open() throws {
        var dialogue = try dialogue("open=EBUSY,open=EACCES@1s,open=ok@2s")
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "-16\n")
        _ = dialogue.pass(1_000_000_000)
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "-13\n")
        _ = dialogue.pass(1_000_000_000)
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "0\n")
    }

    @Test("An unplugged device fails every request; after replugging only new streams work")
    func unplug() throws {
        var dialogue = try dialogue("unplug=ENODEV(mpu6050)@1s,return@2s", isPaced: true)
        _ = dialogue.line("OPEN iio:device0 200 0000000f")
        #expect(dialogue.line("READBUF iio:device0 3200") == "")
        #expect(dialogue.pass(999_999_999).isEmpty)
        #expect(dialogue.pass(1) == Array("-19\n".utf8))
        #expect(dialogue.line("READ iio:device0 sampling_frequency") == "-19\n")
        #expect(dialogue.line("WRITE iio:device0 sampling_frequency 2") == "")
        #expect(dialogue.send([53, 48]) == Array("-19\n".utf8))
        #expect(dialogue.line("OPEN iio:device0 1 0000000f") == "-19\n")
        _ = dialogue.pass(1_000_000_000)
        #expect(dialogue.line("READ iio:device0 sampling_frequency") == "4\n100\0\n")
        #expect(dialogue.line("READBUF iio:device0 3200") == "-19\n")
        _ = dialogue.line("OPEN iio:device0 1 0000000f")
        // Time has continued: sample 200 is due after two seconds.
        #expect(try #require(Chunks(dialogue.send(Array("READBUF iio:device0 16\r\n".utf8)))).first == [200])
    }

    @Test("After a stall, the stream continues with the samples due at that time")
    func stall() throws {
        var dialogue = try dialogue("stall@15ms,resume@1s", isPaced: true)
        _ = dialogue.line("OPEN iio:device0 1 0000000f")
        var reply = dialogue.send(Array("READBUF iio:device0 64\r\n".utf8))
        reply += dialogue.pass(10_000_000)
        #expect(try #require(Chunks(reply)).first == [0, 1])
        #expect(dialogue.pass(500_000_000).isEmpty)
        #expect(dialogue.wait == .time(.never))
        reply += dialogue.pass(490_000_000)
        reply += dialogue.pass(20_000_000)
        // Sample 100 is due when the stall ends. All earlier samples are lost.
        #expect(try #require(Chunks(reply)).first.prefix(3) == [0, 1, 100])
    }

    @Test("After a stall, a fault at a sample acts before that sample, even if earlier samples were lost")
    func faultAfterStall() throws {
        // A sample is due every 10 ms. Samples 0 to 9 are due before the stall, and samples from 100 on after it.
        var dialogue = try dialogue("stall@95ms,resume@1s,enodev@#110", isPaced: true)
        _ = dialogue.line("OPEN iio:device0 40 0000000f")
        var reply = dialogue.send(Array("READBUF iio:device0 640\r\n".utf8))
        for time: Int64 in [90_000_000, 10_000_000, 900_000_000, 90_000_000] { reply += dialogue.pass(time) }
        let chunks = try #require(Chunks(reply))
        #expect(chunks.first == Array(0..<10) + Array(100..<110))
        #expect(chunks.lengths == [320, -19])
    }

    @Test("After a stall, a trace that ends within a refill still sends its last samples")
    func endAfterStall() throws {
        // Samples 0 and 1 are due before the stall, and only sample 100, the last one, after it.
        var dialogue = try dialogue("stall@15ms,resume@1s", samples: 101, isPaced: true)
        _ = dialogue.line("OPEN iio:device0 4 0000000f")
        var reply = dialogue.send(Array("READBUF iio:device0 64\r\n".utf8))
        for time: Int64 in [10_000_000, 10_000_000, 980_000_000] { reply += dialogue.pass(time) }
        let chunks = try #require(Chunks(reply))
        #expect(chunks.first == [0, 1, 100])
        #expect(chunks.lengths == [48, -19])
    }

    @Test("Reading one or all attributes fails, also in a list of attributes")
    func attributes() throws {
        var dialogue = try dialogue("attr=scale:EIO")
        #expect(dialogue.line("READ iio:device0 INPUT accel_x scale") == "-5\n")
        #expect(dialogue.line("READ iio:device0 sampling_frequency") == "4\n100\0\n")
        let all = dialogue.send(Array("READ iio:device0 INPUT accel_x \r\n".utf8))
        // The last of the four attributes is an error: FF FF FF FB is -5.
        #expect(Array(all.suffix(5)) == [255, 255, 255, 251, 10])
        dialogue.state.add(IIODFault(.attributeError(nil, EREMOTEIO)))
        #expect(dialogue.line("READ iio:device0 sampling_frequency") == "-121\n")
        dialogue.state.add(IIODFault(.attributeError(nil, nil)))
        #expect(dialogue.line("READ iio:device0 sampling_frequency") == "4\n100\0\n")
    }

    @Test("An answer is held for the configured delay")
    func delay() throws {
        var dialogue = try dialogue("delay=50ms")
        dialogue.session.receiveText("VERSION\r\n")
        let now = BootTime(nanoseconds: 1_000_000_000)
        #expect(dialogue.session.advance(&dialogue.state, now: now) == .output)
        #expect(dialogue.session.delayedUntil == BootTime(nanoseconds: 1_050_000_000))
    }

    @Test("Drop, kill and restart become commands for the server")
    func actions() throws {
        var dialogue = try dialogue("drop@1s,kill@2s,restart@3s")
        _ = dialogue.line("OPEN iio:device0 4 0000000f")
        #expect(dialogue.state.nextFaultTime == BootTime(nanoseconds: dialogue.now + 1_000_000_000))
        _ = dialogue.pass(1_000_000_000)
        var actions = dialogue.state.faults.drainConnectionActions()
        #expect(actions.drops && actions.isListening == nil)
        _ = dialogue.pass(1_000_000_000)
        actions = dialogue.state.faults.drainConnectionActions()
        #expect(actions.drops && actions.isListening == false)
        _ = dialogue.pass(1_000_000_000)
        actions = dialogue.state.faults.drainConnectionActions()
        #expect(!actions.drops && actions.isListening == true)
        #expect(dialogue.state.nextFaultTime == .never)
    }

    @Test("A restarted server returns after one second, or after the given duration")
    func restart() throws {
        var dialogue = try dialogue("restart@1s,restart@5s+3s")
        _ = dialogue.line("OPEN iio:device0 4 0000000f")
        var states: [String] = []
        for second in 1...9 {
            _ = dialogue.pass(1_000_000_000)
            let actions = dialogue.state.faults.drainConnectionActions()
            if let isListening = actions.isListening {
                #expect(actions.drops != isListening)
                states.append("\(second) \(isListening)")
            }
        }
        #expect(states == ["1 false", "2 true", "5 false", "8 true"])
        #expect(dialogue.state.nextFaultTime == .never)
    }

    @Test("A server that is unavailable at first returns, although no client can start its clock")
    func restartBeforeUse() throws {
        for faults in ["restart", "kill,restart@1s"] {
            var dialogue = try dialogue(faults)
            #expect(dialogue.state.faults.drainConnectionActions().isListening == false, "\(faults)")
            _ = dialogue.pass(1)
            #expect(dialogue.state.nextFaultTime == BootTime(nanoseconds: dialogue.now + 1_000_000_000), "\(faults)")
            _ = dialogue.pass(1_000_000_000)
            #expect(dialogue.state.faults.drainConnectionActions().isListening == true, "\(faults)")
        }
    }

    @Test("Faults with a duration end by themselves, whether they start at a time or at a sample")
    func durations() throws {
        var dialogue = try dialogue("open=EACCES@1s+1s,partial=5@#16+1s")
        _ = dialogue.line("OPEN iio:device0 16 0000000f")
        func lengths() throws -> [Int] {
            try #require(Chunks(dialogue.send(Array("READBUF iio:device0 256\r\n".utf8)))).lengths
        }
        #expect(try lengths() == [256])
        #expect(try lengths() == [80, 80, 80, 16])
        // The one second of the fault starts with the next clock read.
        _ = dialogue.pass(0)
        #expect(try lengths() == [80, 80, 80, 16])
        _ = dialogue.pass(1_000_000_000)
        #expect(try lengths() == [256])
        #expect(dialogue.line("CLOSE iio:device0") == "0\n")
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "-13\n")
        _ = dialogue.pass(1_000_000_000)
        #expect(dialogue.line("OPEN iio:device0 4 0000000f") == "0\n")
    }

    @Test("Faults are parsed from text")
    func text() throws {
        #expect(
            try IIODFault.list("unplug@2.5s, return@4s") == [
                IIODFault(.unplug(ENOENT), at: .seconds(2.5)), IIODFault(.reconnect, at: .seconds(4)),
            ])
        #expect(
            try IIODFault("partial=5(iio:device0)@#100")
                == IIODFault(.partialChunks(5), device: "iio:device0", at: .reading(100)))
        #expect(try IIODFault("delay=50ms") == IIODFault(.delay(0.05)))
        #expect(try IIODFault("attr=raw:EIO@1s") == IIODFault(.attributeError("raw", EIO), at: .seconds(1)))
        #expect(try IIODFault("open=ok") == IIODFault(.refuseOpen(nil)))
        #expect(
            try IIODFault("unplug=EIO(mpu6050)@1s+500ms")
                == IIODFault(.unplug(EIO), device: "mpu6050", at: .seconds(1), for: 0.5))
        #expect(throws: DeviceError.self) { try IIODFault.list("") }
    }

    @Test(
        "A malformed fault is rejected with a reason",
        arguments: [
            ("unplg", "is not one of"), ("unplug@2d", "needs a time such as 90, 90s"), ("partial", "needs a value"),
            ("partial=x", "needs an integer"), ("partial=-1", "number of samples"), ("open=EWHAT", "known errors are"),
            ("stall=3", "accepts no value"), ("stall@#x", "number of a sample"), ("stall@-1s", "needs a time"),
            ("stall@nans", "needs a time"), ("stall()", "no device"), ("@1s", "is not one of"),
            ("delay=infs", "needs a time"), ("drop@1s+1s", "accepts no duration"),
            ("enodev@1s+1s", "accepts no duration"),
            ("kill(mpu6050)", "whole server"),
        ])
    func wrongText(text: String, reason: String) {
        #expect {
            try IIODFault.list(text)
        } throws: { error in
            let error = error as? DeviceError
            return error?.code == .invalidConfiguration && error?.message.contains(reason) == true
                && error?.message.contains(text) == true
        }
    }
}

extension IIODSession {
    mutating func receiveText(_ text: String) {
        Array(text.utf8).withUnsafeBytes { receive($0) }
    }
}

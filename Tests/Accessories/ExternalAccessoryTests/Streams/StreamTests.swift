// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Testing

@Suite("Events of streams")
struct StreamTests {
    private let bench = Bench()
    private let log = StreamLog()

    private func openInput(_ session: EASession) throws -> InputStream {
        let input = try #require(session.inputStream)
        input.delegate = log
        input.schedule(in: .main, forMode: .default)
        input.open()
        return input
    }

    private func openOutput(_ session: EASession) throws -> OutputStream {
        let output = try #require(session.outputStream)
        output.delegate = log
        output.schedule(in: .main, forMode: .default)
        output.open()
        return output
    }

    @Test("The opening is told first, then that bytes are there")
    func openingFirst() throws {
        let (session, peer) = try bench.session()
        peer.send("early")
        let input = try openInput(session)
        #expect(log.events.isEmpty, "never inside of open()")
        bench.run()
        #expect(log.events == [.openCompleted, .hasBytesAvailable])
        #expect(input.streamStatus == .open)
        log.read(input)
        #expect(log.text == "early")
    }

    @Test("Bytes are told of once, and again after a read when some are left")
    func rearmedByRead() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        bench.run()
        log.forget()
        peer.send("abcdef")
        bench.run()
        peer.send("ghi")
        bench.run()
        #expect(log.events == [.hasBytesAvailable])
        log.read(input, atMost: 4)
        bench.run()
        #expect(log.events == [.hasBytesAvailable, .hasBytesAvailable])
        log.read(input)
        bench.run()
        #expect(log.events.count == 2, "nothing is left")
        peer.send("j")
        bench.run()
        #expect(log.events.count == 3)
        #expect(log.text == "abcdefghi")
    }

    @Test("A read of no bytes gives 0 and re-arms nothing")
    func emptyRead() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        peer.send("a")
        bench.run()
        log.forget()
        var byte: UInt8 = 0
        #expect(input.read(&byte, maxLength: 0) == 0)
        bench.run()
        #expect(log.events.isEmpty)
    }

    @Test("Space is told of at the opening and after each write that leaves some")
    func space() throws {
        bench.accessories.setCapacity(8)
        let (session, peer) = try bench.session()
        let output = try openOutput(session)
        bench.run()
        #expect(log.events == [.openCompleted, .hasSpaceAvailable])
        bench.run()
        #expect(log.events.count == 2, "not again before something is written")
        #expect(output.send("abc") == 3)
        bench.run()
        #expect(log.events.count == 3)
        #expect(output.send("defghijk") == 5, "only what there is room for")
        #expect(!output.hasSpaceAvailable)
        bench.run()
        #expect(log.events.count == 3)
        #expect(output.send("x") == 0)
        #expect(peer.receive(atMost: 3).count == 3)
        bench.run()
        #expect(log.events.count == 4)
        #expect(log.events.last == .hasSpaceAvailable)
        #expect(peer.receiveText() == "defgh")
    }

    @Test("A write of no bytes gives 0 and re-arms nothing, so that a program out of data does not spin")
    func emptyWrite() throws {
        let (session, _) = try bench.session()
        let output = try openOutput(session)
        log.action = { stream, event in
            guard event == .hasSpaceAvailable, let output = stream as? OutputStream else { return }
            var nothing: UInt8 = 0
            #expect(output.write(&nothing, maxLength: 0) == 0)
        }
        bench.run()
        #expect(log.events == [.openCompleted, .hasSpaceAvailable])
        #expect(bench.callbacks.count == 0)
        #expect(output.streamStatus == .open)
    }

    @Test("After an unplug what had come in is still read, then the end is told once")
    func endOfInput() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        peer.send("last words")
        bench.run()
        bench.accessories.detach(1)
        bench.run()
        #expect(log.events == [.openCompleted, .hasBytesAvailable], "bytes are left")
        #expect(input.streamStatus == .open)
        log.read(input, atMost: 4)
        bench.run()
        log.read(input)
        bench.run()
        #expect(log.text == "last words")
        #expect(log.events == [.openCompleted, .hasBytesAvailable, .hasBytesAvailable, .endEncountered])
        #expect(input.streamStatus == .atEnd)
        #expect(!input.hasBytesAvailable)
        #expect(log.read(input) == 0)
        #expect(input.streamError == nil)
        bench.run()
        #expect(log.events.count == 4)
    }

    @Test("With much unread the disconnection is told first, and the ends of both streams when the rest has come in")
    func endsAfterDisconnection() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        let output = try openOutput(session)
        bench.run()
        log.forget()
        peer.send("some")
        bench.accessories.detachBeforeEnd(1)
        bench.run()
        #expect(session.accessory?.isConnected == false)
        #expect(log.events == [.hasBytesAvailable])
        log.read(input)
        // There is room for the rest.
        peer.send(" and the rest")
        bench.accessories.endConnections(of: 1)
        bench.run()
        #expect(log.events.filter { $0 == .endEncountered }.count == 1, "of the output")
        #expect(output.streamStatus == .atEnd && input.streamStatus == .open)
        log.read(input)
        bench.run()
        #expect(log.text == "some and the rest")
        #expect(log.events.filter { $0 == .endEncountered }.count == 2)
        #expect(input.streamStatus == .atEnd)
    }

    @Test("After an unplug the output ends; a write fails and says why")
    func endOfOutput() throws {
        let (session, _) = try bench.session()
        let output = try openOutput(session)
        bench.run()
        bench.accessories.detach(1)
        bench.run()
        #expect(log.events == [.openCompleted, .hasSpaceAvailable, .endEncountered])
        #expect(output.streamStatus == .atEnd)
        #expect(output.streamError == nil)
        #expect(!output.hasSpaceAvailable)
        #expect(output.send("x") == -1)
        #expect(output.streamStatus == .error)
        let error = try #require(output.streamError as NSError?)
        #expect(error.domain == NSPOSIXErrorDomain)
        #expect(error.code == 19, "ENODEV")
        #expect(error.localizedDescription.contains("unplugged"))
        #expect((error.userInfo[NSUnderlyingErrorKey] as? DeviceError)?.code == .connectionLost)
        bench.run()
        #expect(log.events.count == 3, "it has concluded already")
    }

    @Test("An unplug that loses written bytes is an error of the output")
    func lostBytes() throws {
        let (session, _) = try bench.session()
        let output = try openOutput(session)
        bench.run()
        log.forget()
        bench.accessories.detach(1, unsentBytes: 12)
        bench.run()
        #expect(log.events == [.errorOccurred])
        #expect(output.streamStatus == .error)
        #expect(output.streamError?.localizedDescription.contains("12 bytes") == true)
        bench.run()
        #expect(log.events.count == 1)
    }

    @Test("Nothing is told after close, and a closed stream stays closed")
    func closed() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        input.close()
        peer.send("late")
        bench.run()
        #expect(log.events.isEmpty)
        #expect(input.streamStatus == .closed)
        input.open()
        input.schedule(in: .main, forMode: .default)
        bench.run()
        #expect(log.events.isEmpty)
        #expect(input.streamStatus == .closed)
        #expect(log.read(input) == -1)
        #expect(!input.hasBytesAvailable)
    }

    @Test("A program may close the stream in its callback")
    func closeInside() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        log.action = { stream, event in if event == .openCompleted { stream.close() } }
        peer.send("never read")
        bench.run()
        #expect(log.events == [.openCompleted])
        #expect(input.streamStatus == .closed)
    }

    @Test("A removed stream tells nothing; what is due comes once it is scheduled again")
    func removed() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        bench.run()
        log.forget()
        peer.send("a")
        input.remove(from: .main, forMode: .default)
        bench.run()
        #expect(log.events.isEmpty)
        input.schedule(in: .main, forMode: .common)
        bench.run()
        #expect(log.events == [.hasBytesAvailable])
    }

    @Test("A stream may be opened before it is scheduled, and before it has a delegate")
    func openedFirst() throws {
        let (session, peer) = try bench.session()
        let input = try #require(session.inputStream)
        input.open()
        peer.send("a")
        bench.run()
        input.delegate = log
        input.schedule(in: .main, forMode: .default)
        bench.run()
        #expect(log.events == [.openCompleted, .hasBytesAvailable])
    }

    @Test("A delegate that is set when all is under way hears what waits")
    func lateDelegate() throws {
        let (session, peer) = try bench.session()
        let input = try #require(session.inputStream)
        input.schedule(in: .main, forMode: .default)
        input.open()
        peer.send("a")
        bench.run()
        input.delegate = log
        bench.run()
        #expect(log.events == [.openCompleted, .hasBytesAvailable])
    }

    @Test("A stream that is moved in its own callback tells the rest in its new place")
    func movedInside() throws {
        let (session, peer) = try bench.session()
        _ = try openInput(session)
        let other = RunLoop.Mode("com.example.other")
        log.action = { [log] stream, event in
            guard event == .hasBytesAvailable else { return }
            if log.bytes.isEmpty {
                stream.remove(from: .main, forMode: .default)
                log.read(stream, atMost: 4)
                stream.schedule(in: .main, forMode: other)
            } else {
                log.read(stream)
            }
        }
        peer.send("0123456789")
        bench.run()
        #expect(log.text == "0123456789")
    }

    @Test("A stream in several modes tells each event once")
    func severalModes() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        input.schedule(in: .main, forMode: RunLoop.Mode("custom"))
        input.schedule(in: .main, forMode: .default)
        peer.send("a")
        bench.run()
        #expect(log.events == [.openCompleted, .hasBytesAvailable])
    }

    @Test("Unless set, the delegate is the stream itself, and it is not retained")
    func delegates() throws {
        let (session, _) = try bench.session()
        let input = try #require(session.inputStream)
        let output = try #require(session.outputStream)
        #expect(input.delegate === input)
        #expect(output.delegate === output)
        var other: StreamLog? = StreamLog()
        input.delegate = other
        #expect(input.delegate === other)
        other = nil
        #expect(input.delegate === input)
        output.delegate = log
        output.delegate = nil
        #expect(output.delegate === output)
    }

    @Test("A program may let go of its delegate in the callback")
    func delegateReleased() throws {
        let (session, peer) = try bench.session()
        let input = try #require(session.inputStream)
        final class Holder { var log: StreamLog? = StreamLog() }
        let holder = Holder()
        weak let former = holder.log
        holder.log?.action = { _, _ in holder.log = nil }
        input.delegate = holder.log
        input.schedule(in: .main, forMode: .default)
        input.open()
        peer.send("a")
        bench.run()
        #expect(former == nil)
        bench.run()
        #expect(input.streamStatus == .open)
    }

    @Test("A program may let go of the session in the callback")
    func sessionReleased() throws {
        final class Holder { var session: EASession? }
        let holder = Holder()
        var (session, peer): (EASession?, MemoryChannel) = try bench.session()
        holder.session = session
        session = nil
        let output = try openOutput(try #require(holder.session))
        log.action = { _, _ in holder.session = nil }
        bench.run()
        #expect(log.events == [.openCompleted])
        #expect(output.streamStatus == .closed)
        #expect(peer.end?.reason == .hungUp)
    }

    @Test("Before it is opened a stream takes and gives nothing")
    func notOpen() throws {
        let (session, peer) = try bench.session()
        let input = try #require(session.inputStream)
        let output = try #require(session.outputStream)
        peer.send("a")
        #expect(input.streamStatus == .notOpen)
        #expect(log.read(input) == -1)
        #expect(!input.hasBytesAvailable)
        #expect(output.send("a") == -1)
        #expect(!output.hasSpaceAvailable)
        #expect(input.streamError == nil)
        #expect(output.streamError == nil)
        #expect(peer.bytesAvailable == 0)
    }

    @Test("Bytes that are written before the opening is told are sent")
    func earlyWrite() throws {
        let (session, peer) = try bench.session()
        let output = try openOutput(session)
        #expect(output.send("hello") == 5)
        #expect(peer.receiveText() == "hello")
        bench.run()
        #expect(log.events == [.openCompleted, .hasSpaceAvailable])
    }

    @Test("What close leaves behind is still delivered")
    func closeDelivers() throws {
        let (session, peer) = try bench.session()
        let output = try openOutput(session)
        log.action = { stream, event in
            guard event == .hasSpaceAvailable, let output = stream as? OutputStream else { return }
            output.send("GET /\r\n")
            output.close()
        }
        bench.run()
        #expect(output.streamStatus == .closed)
        session.inputStream?.close()
        #expect(peer.receiveText() == "GET /\r\n")
        #expect(peer.end?.reason == .hungUp)
    }

    @Test("Both streams tell on, whichever is flooded")
    func fair() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        let output = try openOutput(session)
        bench.run()
        log.forget()
        var turns = 0
        log.action = { [log] stream, event in
            turns += 1
            guard turns < 100 else { return }
            if event == .hasBytesAvailable {
                log.read(stream, atMost: 1)
                peer.send("b")
            } else {
                output.send("x")
            }
        }
        peer.send("aaa")
        output.send("x")
        bench.run()
        #expect(log.events.filter { $0 == .hasSpaceAvailable }.count > 40)
        #expect(log.events.filter { $0 == .hasBytesAvailable }.count > 40)
        #expect(input.streamStatus == .open)
    }

    @Test("Streams have no properties, and lend no memory")
    func properties() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        let output = try openOutput(session)
        peer.send("a")
        for stream in [input, output] as [Stream] {
            #expect(stream.property(forKey: .fileCurrentOffsetKey) == nil)
            #expect(stream.property(forKey: .dataWrittenToMemoryStreamKey) == nil)
            #expect(!stream.setProperty(NSNumber(value: 1), forKey: .fileCurrentOffsetKey))
        }
        var start: UnsafeMutablePointer<UInt8>?
        var length = 7
        #expect(!input.getBuffer(&start, length: &length))
        #expect(start == nil)
        #expect(input.hasBytesAvailable)
    }
}

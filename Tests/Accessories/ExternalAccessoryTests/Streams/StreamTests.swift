// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Testing

@Suite("Stream events")
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

    @Test("openCompleted is delivered before hasBytesAvailable")
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

    @Test("hasBytesAvailable is delivered once, and again after a read that leaves bytes")
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

    @Test("A read of zero bytes returns 0 and causes no event")
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

    @Test("hasSpaceAvailable is delivered after opening and after each write that leaves space")
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

    @Test("A write of zero bytes returns 0 and causes no event, so that an app without data does not spin")
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

    @Test("After an unplug, received bytes are read before the end is delivered once")
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

    @Test("With unread bytes, the disconnection is reported first, and the streams end after the last bytes")
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
        // The buffer now has space for the rest.
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

    @Test("After an unplug the output stream ends, and a write fails with the reason")
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

    @Test("An unplug that loses written bytes is an error of the output stream")
    func lostBytes() throws {
        let (session, _) = try bench.session()
        let output = try openOutput(session)
        bench.run()
        log.forget()
        bench.accessories.detach(1, unsentBytes: 12)
        bench.run()
        #expect(log.events == [.errorOccurred])
        #expect(output.streamStatus == .error)
        #expect(output.streamError?.localizedDescription.contains("12 written bytes") == true)
        bench.run()
        #expect(log.events.count == 1)
    }

    @Test("After close() no events are delivered, and the stream stays closed")
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

    @Test("A callback can close its stream")
    func closeInside() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        log.action = { stream, event in if event == .openCompleted { stream.close() } }
        peer.send("never read")
        bench.run()
        #expect(log.events == [.openCompleted])
        #expect(input.streamStatus == .closed)
    }

    @Test("A removed stream delivers no events until it is scheduled again")
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

    @Test("A stream can be opened before it is scheduled and before it has a delegate")
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

    @Test("A delegate that is set late receives the pending events")
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

    @Test("A stream moved in its own callback delivers the remaining events in its new mode")
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

    @Test("A stream scheduled in several modes delivers each event once")
    func severalModes() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        input.schedule(in: .main, forMode: RunLoop.Mode("custom"))
        input.schedule(in: .main, forMode: .default)
        peer.send("a")
        bench.run()
        #expect(log.events == [.openCompleted, .hasBytesAvailable])
    }

    @Test("The default delegate is the stream itself, and a delegate is not retained")
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

    @Test("A callback can release the stream's delegate")
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

    @Test("A callback can release the session")
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

    @Test("A stream cannot be read or written before it is opened")
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

    @Test("Bytes written before openCompleted is delivered are sent")
    func earlyWrite() throws {
        let (session, peer) = try bench.session()
        let output = try openOutput(session)
        #expect(output.send("hello") == 5)
        #expect(peer.receiveText() == "hello")
        bench.run()
        #expect(log.events == [.openCompleted, .hasSpaceAvailable])
    }

    @Test("Bytes written before close() are still sent")
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

    @Test("Neither stream starves the other one of events")
    func fair() throws {
        let (session, peer) = try bench.session()
        let input = try openInput(session)
        let output = try openOutput(session)
        bench.run()
        log.forget()
        var callbacks = 0
        log.action = { [log] stream, event in
            callbacks += 1
            guard callbacks < 100 else { return }
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

    @Test("Streams have no properties and do not expose their buffers")
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

// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import ExternalAccessory
import Testing

// The loops of Apple's documents in our own words, with their intended behavior. If a listing is wrong as printed, a
// test shows that it does no harm here.

/// Finds an accessory and opens both streams of a session, as in the guide's listing 8-1. The delegate serves both
/// streams, as in listing 8-2.
private class Opener: NSObject, StreamDelegate {
    var received = ""
    var spaceEvents = 0

    func openSession(forProtocol protocolString: String) -> EASession? {
        let accessories = EAAccessoryManager.shared().connectedAccessories
        var accessory: EAAccessory?
        for candidate in accessories where candidate.protocolStrings.contains(protocolString) {
            accessory = candidate
            break
        }
        guard let found = accessory, let session = EASession(accessory: found, forProtocol: protocolString) else {
            return nil
        }
        for stream in [session.inputStream, session.outputStream] as [Stream?] {
            stream?.delegate = self
            stream?.schedule(in: .current, forMode: .default)
            stream?.open()
        }
        return session
    }

    func stream(_ theStream: Stream, handle streamEvent: Stream.Event) {
        switch streamEvent {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 1024)
            let count = (theStream as? InputStream)?.read(&buffer, maxLength: 1024) ?? -1
            if count > 0 { received += String(decoding: buffer[..<count], as: UTF8.self) }
        case .hasSpaceAvailable:
            spaceEvents += 1
        default: break
        }
    }
}

/// Reads until the end, then closes, unschedules and releases the stream.
private class Reader: NSObject, StreamDelegate {
    var data = Data()
    var bytesRead = 0
    var stream: InputStream?
    var error: Error?

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasBytesAvailable:
            var buffer = [UInt8](repeating: 0, count: 1024)
            let length = (aStream as? InputStream)?.read(&buffer, maxLength: 1024) ?? -1
            if length > 0 {
                data.append(buffer, count: length)
                bytesRead += length
            }
        case .endEncountered, .errorOccurred:
            error = aStream.streamError
            aStream.close()
            aStream.remove(from: .current, forMode: .default)
            stream = nil
        default: break
        }
    }
}

/// Writes its data in pieces of 1024 bytes, one per event.
private class Writer: NSObject, StreamDelegate {
    let data: [UInt8]
    var byteIndex = 0
    var calls = 0

    init(_ data: [UInt8]) { self.data = data }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        guard eventCode == .hasSpaceAvailable, let output = aStream as? OutputStream else { return }
        calls += 1
        // As printed: if no data remains, the length is 0, and the write takes place anyway.
        let length = data.count - byteIndex >= 1024 ? 1024 : data.count - byteIndex
        let written = data[byteIndex...].withUnsafeBufferPointer { rest -> Int in
            var nothing: UInt8 = 0
            guard let start = rest.baseAddress else { return output.write(&nothing, maxLength: 0) }
            return output.write(start, maxLength: length)
        }
        if written > 0 { byteIndex += written }
    }
}

/// Follows the advice of the writing section. If space becomes available but no data is pending, a flag is set, and
/// data sent later is written directly while the flag is set.
private class FlaggedWriter: NSObject, StreamDelegate {
    let output: OutputStream
    var rest: [UInt8] = []
    var hasSpace = false
    var events = 0

    init(_ output: OutputStream) { self.output = output }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        guard eventCode == .hasSpaceAvailable else { return }
        events += 1
        writeOrRemember()
    }

    func send(_ data: [UInt8]) {
        rest += data
        if hasSpace { writeOrRemember() }
    }

    private func writeOrRemember() {
        hasSpace = rest.isEmpty
        guard !rest.isEmpty else { return }
        let count = output.write(rest, maxLength: min(rest.count, 1024))
        if count > 0 { rest.removeFirst(count) }
    }
}

/// Reads into an unsigned length, as in the printed listing.
private class UnsignedReader: NSObject, StreamDelegate {
    var lengths: [UInt] = []

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        guard eventCode == .hasBytesAvailable, let input = aStream as? InputStream else { return }
        lengths.append(readUnsigned(input))
    }

    func readUnsigned(_ input: InputStream) -> UInt {
        var buffer = [UInt8](repeating: 0, count: 8)
        return UInt(bitPattern: input.read(&buffer, maxLength: 8))
    }
}

@Suite("Loops from Apple's documents")
struct ListingTests {
    private let bench = ClientBench()
    private let name = "com.example.scale"

    private func session() throws -> (EASession, MemoryChannel) {
        let id = bench.accessories.attach()
        let accessory = try #require(bench.manager.connectedAccessories.last)
        let session = try #require(EASession(accessory: accessory, forProtocol: name))
        return (session, try #require(bench.accessories.peer(id)))
    }

    private func schedule(_ stream: Stream?, _ delegate: StreamDelegate) {
        stream?.delegate = delegate
        stream?.schedule(in: .current, forMode: .default)
        stream?.open()
    }

    @Test("Listings 8-1 and 8-2 open the first accessory with the protocol and share one delegate")
    func openAndHandle() throws {
        bench.accessories.attach(protocols: ["com.example.other"])
        let id = bench.accessories.attach()
        let opener = Opener()
        try bench.use {
            #expect(opener.openSession(forProtocol: "com.example.none") == nil)
            let session = try #require(opener.openSession(forProtocol: name))
            #expect(session.accessory?.connectionID == id)
            bench.accessories.peer(id)?.send("hello")
            bench.run()
            #expect(opener.received == "hello")
            #expect(opener.spaceEvents == 1)
        }
    }

    @Test("Reading continues until the end, in pieces of at most 1024 bytes")
    func reading() throws {
        let (session, peer) = try session()
        let reader = Reader()
        reader.stream = session.inputStream
        schedule(session.inputStream, reader)
        let text = (0..<1000).map { "line \($0)\n" }.joined()
        peer.send(text)
        bench.accessories.detach(1)
        bench.run()
        #expect(String(decoding: reader.data, as: UTF8.self) == text)
        #expect(reader.bytesRead == text.utf8.count)
        #expect(reader.stream == nil)
        #expect(session.inputStream?.streamStatus == .closed)
    }

    @Test("An unsigned length would take -1 for data, but a healthy stream never returns it")
    func unsignedLength() throws {
        let (session, peer) = try session()
        let input = try #require(session.inputStream)
        input.open()
        var buffer = [UInt8](repeating: 0, count: 8)
        // No data, some data, and no more data after the end: no result is negative.
        #expect(input.read(&buffer, maxLength: 8) == 0)
        peer.send("x")
        #expect(UInt(input.read(&buffer, maxLength: 8)) == 1)
        bench.accessories.detach(1)
        #expect(input.read(&buffer, maxLength: 8) == 0)
    }

    @Test("An unsigned length is huge on a closed stream, but no event leads to that read")
    func unsignedLengthAtEnd() throws {
        let (session, peer) = try session()
        let input = try #require(session.inputStream)
        let reader = UnsignedReader()
        schedule(input, reader)
        peer.send("abc")
        bench.run()
        #expect(reader.lengths == [3])
        // The event is pending when the stream is closed, so it is not delivered.
        peer.send("def")
        input.close()
        bench.run()
        #expect(reader.lengths == [3])
        // A read without an event would take -1 for more bytes than the memory holds.
        #expect(reader.readUnsigned(input) == .max)
    }

    @Test("Without pending data a flag is set, and a direct write later causes the next event")
    func flag() throws {
        bench.accessories.setCapacity(1500)
        let (session, peer) = try session()
        let output = try #require(session.outputStream)
        let writer = FlaggedWriter(output)
        schedule(output, writer)
        bench.run()
        #expect(writer.hasSpace && writer.events == 1)
        // Nothing was written, so no further event arrives while space is available.
        bench.run()
        #expect(writer.events == 1)
        writer.send([1, 2, 3])
        #expect(peer.receive() == [1, 2, 3])
        bench.run()
        // This event found no pending data and has set the flag again.
        #expect(writer.hasSpace && writer.events == 2)
        let data = (0..<5000).map { UInt8(truncatingIfNeeded: $0 / 5) }
        writer.send(data)
        var received: [UInt8] = []
        for _ in 0..<20 where received.count < data.count {
            bench.run()
            received += peer.receive()
        }
        #expect(received == data)
        bench.run()
        #expect(writer.hasSpace && writer.rest.isEmpty)
        // Data sent while no space is available waits for the event instead of being written directly.
        writer.send([UInt8](repeating: 1, count: 4000))
        writer.send([2])
        for _ in 0..<20 { bench.run() }
        #expect(!writer.hasSpace && writer.rest.count == 4001 - 1500)
        #expect(peer.receive().count == 1500)
    }

    @Test("Writing in pieces sends all data, and the last write of length 0 does not spin")
    func writing() throws {
        let (session, peer) = try session()
        let data = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        let writer = Writer(data)
        schedule(session.outputStream, writer)
        bench.run()
        #expect(peer.receive() == data)
        // Five pieces, and one more event without remaining data.
        #expect(writer.calls == 6)
        bench.run()
        #expect(writer.calls == 6)
    }

    @Test("Polling reads and writes without a run loop")
    func polling() throws {
        bench.accessories.setCapacity(1500)
        let (session, peer) = try session()
        let output = try #require(session.outputStream)
        output.open()
        let data = (0..<5000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var rest = data[...]
        var received: [UInt8] = []
        while !rest.isEmpty {
            guard output.hasSpaceAvailable else {
                received += peer.receive()
                continue
            }
            // As intended: at most the remaining data, and the returned count.
            let piece = Array(rest.prefix(1024))
            let count = output.write(piece, maxLength: piece.count)
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        received += peer.receive()
        #expect(received == data)
        let input = try #require(session.inputStream)
        input.open()
        #expect(!input.hasBytesAvailable)
        peer.send("answer")
        var buffer = [UInt8](repeating: 0, count: 4)
        var answer = ""
        while input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: 4)
            guard count > 0 else { break }
            answer += String(decoding: buffer[..<count], as: UTF8.self)
        }
        #expect(answer == "answer")
    }

    @Test("Polling as printed assumes complete writes and loses the bytes that did not fit")
    func pollingAsPrinted() throws {
        bench.accessories.setCapacity(1500)
        let (session, peer) = try session()
        let output = try #require(session.outputStream)
        output.open()
        let piece = [UInt8](repeating: 1, count: 1024)
        var counts: [Int] = []
        while output.hasSpaceAvailable { counts.append(output.write(piece, maxLength: 1024)) }
        #expect(counts == [1024, 476])
        #expect(peer.receive().count == 1500)
    }

    @Test("Polling as printed writes 1024 bytes first, beyond the end of shorter data")
    func firstLengthAsPrinted() throws {
        let (session, peer) = try session()
        let output = try #require(session.outputStream)
        output.open()
        let data: [UInt8] = [1, 2, 3, 4, 5]
        // The bytes after the data in memory.
        let memory = data + [UInt8](repeating: 0xEE, count: 2000)
        var written = 0
        var length = 1024
        while output.hasSpaceAvailable, length > 0 {
            let count = output.write(Array(memory[written..<written + length]), maxLength: length)
            guard count > 0 else { break }
            written += count
            length = min(1024, data.count - written)
        }
        let sent = peer.receive()
        #expect(sent.count == 1024)
        #expect(Array(sent.prefix(6)) == [1, 2, 3, 4, 5, 0xEE])
        // Then the length is negative. An unsigned length would never end. Here the write does nothing.
        #expect(length == 5 - 1024)
        #expect(output.write(memory, maxLength: length) == 0)
        #expect(peer.receive() == [])
        // As intended, the first length is limited to the size of the data as well.
        #expect(output.write(data, maxLength: min(1024, data.count)) == 5)
        #expect(peer.receive() == data)
    }

    @Test("Polling as printed copies with a string function and loses data after a zero byte")
    func stringCopyAsPrinted() throws {
        let (session, peer) = try session()
        let output = try #require(session.outputStream)
        output.open()
        let data: [UInt8] = [65, 66, 0, 67, 68]
        var copy = [CChar](repeating: 0, count: data.count)
        strncpy(&copy, data.map { CChar(bitPattern: $0) }, data.count)
        #expect(output.write(copy.map { UInt8(bitPattern: $0) }, maxLength: copy.count) == 5)
        #expect(peer.receive() == [65, 66, 0, 0, 0])
        // As intended, no byte has a special meaning.
        #expect(output.write(data, maxLength: data.count) == 5)
        #expect(peer.receive() == data)
    }

    @Test("An error is reported as event, as status and as -1, and the stream is closed afterwards")
    func errors() throws {
        let (session, _) = try session()
        let output = try #require(session.outputStream)
        let reader = Reader()
        schedule(output, reader)
        bench.run()
        bench.accessories.detach(1, unsentBytes: 5)
        #expect(output.streamStatus == .error)
        var byte: UInt8 = 1
        #expect(output.write(&byte, maxLength: 1) == -1)
        bench.run()
        let error = try #require(reader.error as NSError?)
        #expect(error.domain == NSPOSIXErrorDomain)
        #expect(error.code == Int(ENODEV))
        #expect(output.streamStatus == .closed)
        #expect((output.streamError as NSError?)?.code == Int(ENODEV))
    }

    @Test("The error of a healthy stream is nil")
    func healthy() throws {
        let (session, _) = try session()
        session.inputStream?.open()
        #expect(session.inputStream?.streamError == nil)
        #expect(session.outputStream?.streamError == nil)
    }
}

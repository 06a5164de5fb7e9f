// SPDX-License-Identifier: Apache-2.0

#if LibIIO
import DeviceCore
import IIOFormat
import Synchronization
import SystemCalls

/// A capture of a server on the network, read over a connection of its own without libiio.
///
/// libiio asks for each refill by itself and takes the answer apart in ten calls of the system. Here one request asks for
/// many refills, which the server sends as they come, each with its length ahead; mostly one read takes it. What has been
/// asked for fits into this machine's memory and the connection's, so that a server never waits for a slow program.
///
/// Unchecked: one thread at a time refills and closes.
final class ServerBuffer: IIOBuffer, @unchecked Sendable {
    /// The most bytes of samples that are asked for at once, where that is more than one refill.
    private static let mostAsked = 16_384
    /// The most refills of a request.
    private static let mostRefills = 64
    /// The longest line before samples; a mask has eight digits for 32 channels.
    private static let longestLine = 1024
    /// More than the length ahead of a chunk takes.
    private static let headSize = 24
    private static let nonsense = IIOFailure("READBUF", EIO)

    let step: Int
    let wait: (descriptor: Int32, wakeUp: WakeUp)?
    private let socket: Int32
    private let device: String
    private let refillSize: Int
    private let mask: [UInt8]
    private let wakeUp: WakeUp
    private let isCancelled = Atomic<Bool>(false)
    private let space: UnsafeMutableRawBufferPointer
    /// What has come and has not been taken.
    private var waiting = 0..<0
    /// Bytes of the request that have not been taken.
    private var left = 0
    /// Bytes of the chunk whose length has been read; nil before that.
    private var chunk: Int?
    /// True until the mask that precedes the first chunk of a request has been read.
    private var isMaskDue = true
    /// Refills to ask for at once.
    private var refills: Int
    /// True when the last read has emptied the socket and nobody has been told so.
    private var isDrained = false
    private var isOpen = true

    /// Starts the capture over that connection, which it closes.
    ///
    /// - Parameters:
    ///   - channels: The places of those that are wanted among the `channelCount` of the device.
    ///   - step: Bytes of a scan of theirs.
    ///   - timeout: Seconds that the server has for beginning.
    init(
        _ socket: Int32, device: String, channels: [Int], of channelCount: Int, step: Int, samples: Int, timeout: Double
    ) throws(IIOFailure) {
        guard let wakeUp = try? WakeUp(for: "the samples of a server") else {
            systemClose(socket)
            throw IIOFailure("socketpair", EMFILE)
        }
        self.wakeUp = wakeUp
        wait = (socket, wakeUp)
        self.socket = socket
        self.device = device
        self.step = step
        refillSize = max(1, samples * step)
        refills = max(1, min(Self.mostRefills, Self.mostAsked / refillSize))
        mask = Self.mask(channels, of: channelCount)
        space = .allocate(
            byteCount: (refillSize + Self.headSize) * refills + 2 * Self.longestLine, alignment: 16)
        try begin("OPEN \(device) \(samples) \(String(decoding: mask, as: UTF8.self))\r\n", timeout: timeout)
    }

    deinit {
        close()
        space.deallocate()
    }

    /// The mask as libiio writes it: words of 32 channels in eight digits each, the last word first.
    static func mask(_ channels: [Int], of count: Int) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return (0..<max(1, (count + 31) / 32) * 8).reversed().map { place -> UInt8 in
            var digit = 0
            for channel in channels where channel / 4 == place { digit |= 1 << (channel % 4) }
            return digits[digit]
        }
    }
}

// MARK: Refills

extension ServerBuffer {
    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int {
        do throws(IIOFailure) {
            while true {
                if let samples = try takeChunk() {
                    // While this one is being looked at, the server goes on.
                    if left == 0 { try ask() }
                    bytes = samples
                    return samples.count
                }
                if left == 0 {
                    try ask()
                    continue
                }
                // A read that did not fill the room has emptied the socket, which saves the call that would say so. (An end
                // that came with it is found by who looks after a place.)
                guard !exchange(&isDrained, with: false), reads > 0 else { return -Int(EAGAIN) }
                reads -= 1
                guard try receive() else { return -Int(EAGAIN) }
            }
        } catch {
            return -Int(isCancelled.load(ordering: .relaxed) ? EBADF : error.number)
        }
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        wakeUp.signal()
    }

    /// The server takes the end of the connection for that of the capture.
    func close() {
        cancel()
        if exchange(&isOpen, with: false) { systemClose(socket) }
    }

    /// Asks for the next refills.
    private func ask() throws(IIOFailure) {
        left = refillSize * refills
        isMaskDue = true
        try send("READBUF \(device) \(left)\r\n")
    }

    /// Takes the next chunk, if all of it is there. It stays where it lies until the next read.
    private func takeChunk() throws(IIOFailure) -> UnsafeRawBufferPointer? {
        if chunk == nil {
            guard let number = try takeNumber() else { return nil }
            guard number >= 0 else { throw IIOFailure("READBUF", returned: number) }
            guard number <= left else { throw Self.nonsense }
            // None: less than was asked for.
            if number == 0 { left = 0 } else { chunk = number }
        }
        guard let size = chunk else { return nil }
        if isMaskDue {
            guard let line = try takeLine() else { return nil }
            // The scans of other channels than those asked for could not be taken apart.
            guard line.elementsEqual(mask) else { throw Self.nonsense }
            isMaskDue = false
        }
        guard waiting.count >= size else { return nil }
        let samples = UnsafeRawBufferPointer(rebasing: space[waiting.prefix(size)])
        waiting = waiting.dropFirst(size)
        left -= size
        chunk = nil
        // A server that gives all that was asked for at once is asked for one refill at a time.
        if size > refillSize { refills = 1 }
        return samples
    }
}

// MARK: The connection

extension ServerBuffer {
    /// Starts the capture and asks for the first refills.
    private func begin(_ request: String, timeout: Double) throws(IIOFailure) {
        try send(request)
        while true {
            if let answer = try takeNumber() {
                guard answer >= 0 else { throw IIOFailure("iio_device_create_buffer", returned: answer) }
                isDrained = false
                return try ask()
            }
            guard wakeUp.wait(for: socket, events: Int16(POLLIN), milliseconds: Int32(timeout * 1000)) else {
                throw IIOFailure("poll", ETIMEDOUT)
            }
            _ = try receive()
        }
    }

    /// A few bytes, at a time when the connection has room for more.
    private func send(_ request: String) throws(IIOFailure) {
        var request = request
        let isSent = request.withUTF8 { systemSend(socket, UnsafeRawBufferPointer($0)) == $0.count }
        guard isSent else { throw IIOFailure("send", EPIPE) }
    }

    /// Takes bytes in; false when there are none.
    private func receive() throws(IIOFailure) -> Bool {
        guard !isCancelled.load(ordering: .relaxed) else { throw IIOFailure("read", EBADF) }
        makeRoom()
        let room = UnsafeMutableRawBufferPointer(rebasing: space[waiting.upperBound...])
        guard !room.isEmpty else { throw Self.nonsense }
        let count = systemRead(socket, room)
        if count > 0 {
            waiting = waiting.lowerBound..<waiting.upperBound + count
            isDrained = count < room.count
            return true
        }
        guard count != 0 else { throw IIOFailure("read", EPIPE) }
        guard errno == EAGAIN || errno == EINTR else { throw IIOFailure("read", errno) }
        return false
    }

    /// What has not been taken goes to the beginning, where that costs little or there is no other room.
    private func makeRoom() {
        guard waiting.lowerBound > 0, waiting.isEmpty || waiting.upperBound == space.count else { return }
        space.copyMemory(from: UnsafeRawBufferPointer(rebasing: space[waiting]))
        waiting = 0..<waiting.count
    }

    /// The next line that has something in it, as a number, if all of it is there.
    private func takeNumber() throws(IIOFailure) -> Int? {
        while let line = try takeLine() {
            if line.isEmpty { continue }
            guard let number = Int(String(decoding: line, as: UTF8.self)) else { throw Self.nonsense }
            return number
        }
        return nil
    }

    /// The next line without its end, if all of it is there.
    private func takeLine() throws(IIOFailure) -> Slice<UnsafeMutableRawBufferPointer>? {
        let all = space[waiting]
        guard let end = all.prefix(Self.longestLine).firstIndex(of: UInt8(ascii: "\n")) else {
            guard waiting.count < Self.longestLine else { throw Self.nonsense }
            return nil
        }
        waiting = end + 1..<waiting.upperBound
        let line = all[..<end]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}
#endif

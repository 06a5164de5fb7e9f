// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Synchronization
import SystemCalls

/// A capture of a server on the network, read over a connection of its own without libiio.
///
/// libiio asks for each refill by itself and takes the answer apart in ten calls of the system. Here one request asks for
/// many refills of a server that sends them as they come, each with its length ahead; mostly one read takes it. What has been
/// asked for fits into this machine's memory and the connection's, so that a server never waits for a slow program.
///
/// Unchecked: one thread at a time starts, refills and closes.
final class ServerBuffer: IIOBuffer, @unchecked Sendable {
    /// The most bytes of samples that are asked for at once, where that is more than one refill.
    private static let mostAsked = 16_384
    /// Seconds that a server has for beginning.
    static let patience = 5.0
    /// After so many answers without samples nothing is asked any more: each asked for twice as much as the one before.
    private static let mostEmptyAnswers = 6
    static let nonsense = IIOFailure("READBUF", EIO)

    let step: Int
    let kernelBuffers: Int
    let wait: (descriptor: Int32, wakeUp: WakeUp)?
    private let socket: Int32
    private let device: String
    private let samples: Int
    private let patience: Double
    private let wakeUp: WakeUp
    private let isCancelled = Atomic<Bool>(false)
    /// The most bytes of a request.
    private let most: Int
    /// Bytes of the request, and of it those that have not been taken.
    private var asked = 0
    private var left = 0
    /// Bytes of the chunk whose length has been read; nil before that.
    private var chunk: Int?
    /// True until the mask that precedes the first chunk of a request has been read.
    private var isMaskDue = true
    private var scans: ServerScans
    private var ahead: AskingAhead
    /// How many answers in a row had no samples.
    private var emptyAnswers = 0
    private var input: ServerInput
    private var isOpen = true

    /// A capture over that connection, which it closes.
    ///
    /// - Parameters:
    ///   - socket: It may be about to connect.
    ///   - channels: The places of those that are wanted among the device's.
    ///   - step: Bytes of a scan of theirs.
    ///   - patience: Seconds that the server has for beginning.
    init(
        _ socket: Int32, device: IIODevice, channels: [Int], step: Int, samples: Int, kernelBuffers: Int,
        habits: ServerHabits, patience: Double = patience
    ) throws(IIOFailure) {
        guard let wakeUp = try? WakeUp(for: "the samples of a server") else {
            systemClose(socket)
            throw IIOFailure("socketpair", EMFILE)
        }
        self.wakeUp = wakeUp
        wait = (socket, wakeUp)
        self.socket = socket
        self.device = device.id
        self.step = max(1, step)
        self.samples = max(1, samples)
        self.kernelBuffers = kernelBuffers
        self.patience = patience
        scans = ServerScans(device, channels: channels, step: self.step)
        ahead = AskingAhead(habits)
        most = max(Self.mostAsked, self.samples * scans.greatestStep)
        input = ServerInput(most: most, chunks: AskingAhead.mostRefills, margin: scans.greatestStep)
    }

    deinit { close() }

    private var refillSize: Int { samples * scans.sentStep }
}

// MARK: Refills

extension ServerBuffer {
    func refill(_ bytes: inout UnsafeRawBufferPointer, reads: inout Int) -> Int {
        do throws(IIOFailure) {
            while true {
                if let samples = try takeChunk() {
                    // While these are being looked at, the server goes on.
                    if left == 0 { try ask() }
                    guard !samples.isEmpty else { continue }
                    bytes = samples
                    return samples.count
                }
                if left == 0 {
                    try ask()
                    continue
                }
                guard !isCancelled.load(ordering: .relaxed) else { return -Int(EBADF) }
                guard try input.receive(socket, reads: &reads) else { return -Int(EAGAIN) }
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
        let refills = max(ahead.next(size: refillSize, most: most), 1 << emptyAnswers)
        asked = refillSize * max(1, min(refills, most / refillSize))
        left = asked
        isMaskDue = true
        try send("READBUF \(device) \(asked)\r\n")
    }

    /// Takes the scans of the next chunk, if all of it is there; none of a chunk that is a part of one. They stay where they
    /// lie until the next read.
    private func takeChunk() throws(IIOFailure) -> UnsafeRawBufferPointer? {
        if chunk == nil {
            guard let number = try input.takeNumber() else { return nil }
            if number > 0 {
                guard number <= left else { throw Self.nonsense }
                chunk = number
            } else {
                try takeEnd(number)
            }
        }
        guard let size = chunk else { return nil }
        if isMaskDue {
            guard let line = try input.takeLine() else { return nil }
            guard scans.take(mask: line) else { throw Self.nonsense }
            isMaskDue = false
        }
        guard let place = input.take(size) else { return nil }
        left -= size
        chunk = nil
        emptyAnswers = 0
        // What was asked for before other clients came or went says nothing.
        if asked % refillSize == 0 { ahead.note(isRefill: size == refillSize) }
        let samples = scans.whole(place, in: input.space)
        guard left > 0 || scans.end(asked: asked) else { throw Self.nonsense }
        return samples
    }

    /// The server gives no more of what it was asked for.
    private func takeEnd(_ code: Int) throws(IIOFailure) {
        let isEmpty = left == asked
        left = 0
        // It may have no room for so much at once.
        if code < 0, isEmpty, ahead.fail() { return }
        guard code == 0 else { throw failure("READBUF", code) }
        guard scans.end(asked: asked) else { throw Self.nonsense }
        guard isEmpty else { return }
        // Less was asked for than a scan of all clients' channels has; or it says so for ever.
        emptyAnswers += 1
        guard emptyAnswers <= Self.mostEmptyAnswers else { throw Self.nonsense }
    }

    /// A failure of the server's. Its EAGAIN is none of this machine's.
    private func failure(_ call: String, _ code: Int) -> IIOFailure {
        code == -Int(EAGAIN) ? IIOFailure(call, EIO) : IIOFailure(call, returned: code)
    }
}

// MARK: The connection

extension ServerBuffer {
    /// Starts the capture and asks for the first refill.
    func start() throws(IIOFailure) {
        let end = LiveClock().now.advanced(bySeconds: patience)
        try wait(for: Int16(POLLOUT), until: end)
        if let number = Sockets.takeError(socket), number != 0 { throw IIOFailure("connect", number) }
        try send("OPEN \(device) \(samples) \(String(decoding: scans.mask, as: UTF8.self))\r\n")
        while true {
            if let answer = try input.takeNumber() {
                guard answer >= 0 else { throw failure("iio_device_create_buffer", answer) }
                input.expectMore()
                return try ask()
            }
            try wait(for: Int16(POLLIN), until: end)
            input.expectMore()
            var reads = 1
            _ = try input.receive(socket, reads: &reads)
        }
    }

    private func wait(for events: Int16, until end: BootTime) throws(IIOFailure) {
        while true {
            guard !isCancelled.load(ordering: .relaxed) else { throw IIOFailure("poll", EBADF) }
            let left = end.seconds(since: LiveClock().now)
            guard left > 0 else { throw IIOFailure("poll", ETIMEDOUT) }
            if wakeUp.wait(for: socket, events: events, milliseconds: Int32(left * 1000) + 1) { return }
        }
    }

    /// A few bytes, at a time when the connection has room for more.
    private func send(_ request: String) throws(IIOFailure) {
        var request = request
        let isSent = request.withUTF8 { systemSend(socket, UnsafeRawBufferPointer($0)) == $0.count }
        guard isSent else { throw IIOFailure("send", EPIPE) }
    }
}

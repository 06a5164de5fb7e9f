// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import IIOFormat
import Synchronization
import SystemCalls

/// A buffer on a network server, read over a separate connection. This class requests many refills at once and usually
/// needs one system call per refill, whereas libiio needs ten. Only one request is pending at a time, and its size is
/// limited, so that a slow program does not block the server. `@unchecked Sendable` because only one thread at a time
/// may start, refill and close the buffer. Any thread may call `cancel()`, which uses only thread-safe members.
final class ServerBuffer: IIOBuffer, @unchecked Sendable {
    /// The lower bound of `maximumRequestSize`, in bytes. A response of this size fits into the socket's buffers.
    private static let defaultMaximumRequestSize = 16_384
    /// The time, in seconds, within which the server must start the capture.
    static let startTimeout = 5.0
    /// The maximum number of consecutive empty responses. Each one doubles the request size.
    private static let maximumEmptyResponses = 6
    static let protocolError = IIOFailure("READBUF", EIO)

    let scanSize: Int
    let kernelBuffers: Int
    let pollHandle: (descriptor: Int32, wakeUp: WakeupPipe)?
    private let socket: Int32
    private let device: String
    private let samples: Int
    private let startTimeout: Double
    private let wakeUp: WakeupPipe
    private let isCancelled = Atomic<Bool>(false)
    private let maximumRequestSize: Int
    private var requestedBytes = 0
    /// The number of unconsumed bytes in the pending response, or 0 if no request is pending.
    private var remainingBytes = 0
    /// The size of the current chunk in bytes, or nil if unknown.
    private var chunk: Int?
    private var expectsMask = true
    private var scans: ServerScans
    private var pipeline: RequestPipeline
    private var emptyResponses = 0
    private var input: ServerInput
    private var isOpen = true

    /// Takes ownership of the socket, which may still be connecting. `step` is the size of a scan in bytes. The server
    /// must start the capture within `startTimeout` seconds.
    init(
        _ socket: Int32, device: IIODevice, channels: [Int], step: Int, samples: Int, kernelBuffers: Int,
        capabilities: ServerCapabilities, startTimeout: Double = ServerBuffer.startTimeout
    ) throws(IIOFailure) {
        guard let wakeUp = try? WakeupPipe(for: "the capture from a server") else {
            systemClose(socket)
            throw IIOFailure("socketpair", EMFILE)
        }
        self.wakeUp = wakeUp
        pollHandle = (socket, wakeUp)
        (self.socket, self.device, self.scanSize) = (socket, device.id, max(1, step))
        (self.samples, self.kernelBuffers, self.startTimeout) = (max(1, samples), kernelBuffers, startTimeout)
        scans = ServerScans(device, channels: channels, step: self.scanSize)
        pipeline = RequestPipeline(capabilities)
        maximumRequestSize = max(Self.defaultMaximumRequestSize, self.samples * scans.maximumSentStep)
        input = ServerInput(
            maximumBytes: maximumRequestSize, chunks: RequestPipeline.maximumRefills, margin: scans.maximumSentStep)
    }

    deinit { close() }

    private var refillSize: Int { samples * scans.sentStep }
}

// MARK: Refills

extension ServerBuffer {
    func refill(_ bytes: inout UnsafeRawBufferPointer, reads remainingReads: inout Int) -> Int {
        do throws(IIOFailure) {
            while true {
                guard !isCancelled.load(ordering: .relaxed) else { return -Int(EBADF) }
                if let samples = try consumeChunk() {
                    // Send the next request before processing the samples, so that the server can continue.
                    if remainingBytes == 0 { try requestRefills() }
                    guard !samples.isEmpty else { continue }
                    bytes = samples
                    return samples.count
                }
                if remainingBytes == 0 {
                    try requestRefills()
                    continue
                }
                guard try input.receive(socket, reads: &remainingReads) else { return -Int(EAGAIN) }
            }
        } catch {
            return -Int(isCancelled.load(ordering: .relaxed) ? EBADF : error.number)
        }
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        wakeUp.signal()
    }

    func close() {
        cancel()
        if exchange(&isOpen, with: false) { systemClose(socket) }
    }

    private func requestRefills() throws(IIOFailure) {
        let refills = max(pipeline.nextRefillCount(size: refillSize, maximum: maximumRequestSize), 1 << emptyResponses)
        requestedBytes = refillSize * max(1, min(refills, maximumRequestSize / refillSize))
        remainingBytes = requestedBytes
        expectsMask = true
        try send("READBUF \(device) \(requestedBytes)\r\n")
    }

    /// Returns the complete scans of the next chunk, or nil if the chunk has not been fully received. The scans are
    /// valid until the next read.
    ///
    /// Each chunk of a response consists of a line with its size, followed by the data. In the first chunk, a line with
    /// the channel mask precedes the data. If the chunks add up to less than the requested size, a line with 0 or a
    /// negative error number follows.
    private func consumeChunk() throws(IIOFailure) -> UnsafeRawBufferPointer? {
        if chunk == nil {
            guard let number = try input.consumeNumber() else { return nil }
            if number > 0 {
                guard number <= remainingBytes else { throw Self.protocolError }
                chunk = number
            } else {
                try processEnd(number)
            }
        }
        guard let size = chunk else { return nil }
        if expectsMask {
            guard let line = try input.consumeLine() else { return nil }
            guard scans.setMask(line) else { throw Self.protocolError }
            expectsMask = false
        }
        guard let range = input.consume(size) else { return nil }
        remainingBytes -= size
        chunk = nil
        emptyResponses = 0
        // A remainder means that the scan size has changed since the request, so the chunk size is not meaningful.
        if requestedBytes % refillSize == 0 { pipeline.recordChunk(isRefill: size == refillSize) }
        let samples = scans.completeScans(in: range, storage: input.storage)
        guard remainingBytes > 0 || scans.finishResponse(requested: requestedBytes) else { throw Self.protocolError }
        return samples
    }

    private func processEnd(_ code: Int) throws(IIOFailure) {
        let isEmpty = remainingBytes == requestedBytes
        remainingBytes = 0
        // The server may lack the memory for several refills. If only one was requested, the error is final.
        if code < 0, isEmpty, pipeline.fallBack() { return }
        guard code == 0 else { throw failure("READBUF", code) }
        guard scans.finishResponse(requested: requestedBytes) else { throw Self.protocolError }
        guard isEmpty else { return }
        // The response may be empty because a scan, which contains the channels of all clients, is larger than the
        // request. Incrementing `emptyResponses` enlarges the next request.
        emptyResponses += 1
        guard emptyResponses <= Self.maximumEmptyResponses else { throw Self.protocolError }
    }

    /// EAGAIN is replaced with EIO, because EAGAIN would mean that no samples are available.
    private func failure(_ call: String, _ code: Int) -> IIOFailure {
        code == -Int(EAGAIN) ? IIOFailure(call, EIO) : IIOFailure(call, returned: code)
    }
}

// MARK: Connection

extension ServerBuffer {
    func start() throws(IIOFailure) {
        let end = LiveClock().now.advanced(bySeconds: startTimeout)
        try wait(for: Int16(POLLOUT), until: end)
        if let number = Sockets.clearPendingError(socket), number != 0 { throw IIOFailure("connect", number) }
        try send("OPEN \(device) \(samples) \(String(decoding: scans.mask, as: UTF8.self))\r\n")
        while true {
            if let answer = try input.consumeNumber() {
                guard answer >= 0 else { throw failure("iio_device_create_buffer", answer) }
                return try requestRefills()
            }
            try wait(for: Int16(POLLIN), until: end)
            var remainingReads = 1
            _ = try input.receive(socket, reads: &remainingReads)
            // Do not skip the next read, because more data may arrive before it.
            input.clearDrained()
        }
    }

    private func wait(for events: Int16, until end: BootTime) throws(IIOFailure) {
        while true {
            guard !isCancelled.load(ordering: .relaxed) else { throw IIOFailure("poll", EBADF) }
            let remaining = end.seconds(since: LiveClock().now)
            guard remaining > 0 else { throw IIOFailure("poll", ETIMEDOUT) }
            if wakeUp.wait(for: socket, events: events, milliseconds: Int32(remaining * 1000) + 1) { return }
        }
    }

    /// The socket's send buffer always has enough space for a request.
    private func send(_ request: String) throws(IIOFailure) {
        var request = request
        let isSent = request.withUTF8 { systemSend(socket, UnsafeRawBufferPointer($0)) == $0.count }
        guard isSent else { throw IIOFailure("send", EPIPE) }
    }
}

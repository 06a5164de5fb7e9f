// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// The bytes that have been received from a server but not yet consumed.
struct ServerInput: ~Copyable {
    /// The maximum length of a line, in bytes. The longest lines are channel masks, with eight digits per 32 channels.
    private static let maximumLineLength = 1024
    /// The space reserved for the line that states the size of a chunk, in bytes.
    private static let maximumHeaderSize = 24

    /// The received bytes, preceded by a margin for the incomplete scan of the previous chunk.
    let storage: UnsafeMutableRawBufferPointer
    private let margin: Int
    private var unread: Range<Int>
    private var isDrained = false

    /// `maximumBytes` and `chunks` limit the size of a response, in bytes and in chunks.
    init(maximumBytes: Int, chunks: Int, margin: Int) {
        self.margin = margin
        storage = .allocate(
            byteCount: margin + maximumBytes + Self.maximumHeaderSize * chunks + 2 * Self.maximumLineLength,
            alignment: 16)
        unread = margin..<margin
    }

    deinit { storage.deallocate() }

    /// Returns false if no bytes are available. If a read does not fill the buffer, the socket is empty, and the next
    /// call returns false without a system call.
    mutating func receive(_ socket: Int32, reads: inout Int) throws(IIOFailure) -> Bool {
        guard !exchange(&isDrained, with: false), reads > 0 else { return false }
        reads -= 1
        compact()
        let freeSpace = UnsafeMutableRawBufferPointer(rebasing: storage[unread.upperBound...])
        guard !freeSpace.isEmpty else { throw ServerBuffer.protocolError }
        let count = systemRead(socket, freeSpace)
        if count > 0 {
            unread = unread.lowerBound..<unread.upperBound + count
            isDrained = count < freeSpace.count
            return true
        }
        guard count != 0 else { throw IIOFailure("read", EPIPE) }
        guard errno == EAGAIN || errno == EINTR else { throw IIOFailure("read", errno) }
        return false
    }

    mutating func clearDrained() { isDrained = false }

    /// Moves the unconsumed bytes to the start of the buffer if they reach its end.
    private mutating func compact() {
        guard unread.lowerBound > margin, unread.isEmpty || unread.upperBound == storage.count else { return }
        UnsafeMutableRawBufferPointer(rebasing: storage[margin...]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: storage[unread]))
        unread = margin..<margin + unread.count
    }

    /// Returns the range of the next `size` bytes, or nil if they have not all been received.
    mutating func consume(_ size: Int) -> Range<Int>? {
        guard unread.count >= size else { return nil }
        let range = unread.prefix(size)
        unread = unread.dropFirst(size)
        return range
    }

    /// Returns the number in the next nonempty line, or nil if the line is incomplete.
    mutating func consumeNumber() throws(IIOFailure) -> Int? {
        while let line = try consumeLine() {
            if line.isEmpty { continue }
            guard let number = Int(String(decoding: line, as: UTF8.self)) else { throw ServerBuffer.protocolError }
            return number
        }
        return nil
    }

    /// Returns the next line without its terminator, or nil if the line is incomplete.
    mutating func consumeLine() throws(IIOFailure) -> Slice<UnsafeMutableRawBufferPointer>? {
        let all = storage[unread]
        guard let end = all.prefix(Self.maximumLineLength).firstIndex(of: UInt8(ascii: "\n")) else {
            guard unread.count < Self.maximumLineLength else { throw ServerBuffer.protocolError }
            return nil
        }
        unread = end + 1..<unread.upperBound
        let line = all[..<end]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}

// SPDX-License-Identifier: Apache-2.0

import SystemCalls

/// What a server has sent and nobody has taken yet.
struct ServerInput: ~Copyable {
    /// The longest line before samples; a mask has eight digits for 32 channels.
    private static let longestLine = 1024
    /// More than the length ahead of a chunk takes.
    private static let headSize = 24

    /// All that is read, behind room for the beginning of a scan.
    let space: UnsafeMutableRawBufferPointer
    private let margin: Int
    private var waiting: Range<Int>
    /// True when the last read has emptied the socket and nobody has been told so.
    private var isDrained = false

    /// - Parameters:
    ///   - most: The most bytes of samples that come in one answer.
    ///   - chunks: And the most chunks of them that may lie here at once.
    ///   - margin: Bytes ahead of them.
    init(most: Int, chunks: Int, margin: Int) {
        self.margin = margin
        space = .allocate(byteCount: margin + most + Self.headSize * chunks + 2 * Self.longestLine, alignment: 16)
        waiting = margin..<margin
    }

    deinit { space.deallocate() }

    /// Takes bytes in; false when there are none.
    ///
    /// A read that did not fill the room has emptied the socket, which saves the call that would say so. (An end that came with
    /// it is found by who looks after a place.)
    mutating func receive(_ socket: Int32, reads: inout Int) throws(IIOFailure) -> Bool {
        guard !exchange(&isDrained, with: false), reads > 0 else { return false }
        reads -= 1
        makeRoom()
        let room = UnsafeMutableRawBufferPointer(rebasing: space[waiting.upperBound...])
        guard !room.isEmpty else { throw ServerBuffer.nonsense }
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

    /// More may have come: somebody has waited.
    mutating func expectMore() { isDrained = false }

    /// What has not been taken goes to the beginning, where that costs little or there is no other room.
    private mutating func makeRoom() {
        guard waiting.lowerBound > margin, waiting.isEmpty || waiting.upperBound == space.count else { return }
        UnsafeMutableRawBufferPointer(rebasing: space[margin...]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: space[waiting]))
        waiting = margin..<margin + waiting.count
    }

    /// Where the next bytes lie, if all of them are there. They stay there until the next read.
    mutating func take(_ size: Int) -> Range<Int>? {
        guard waiting.count >= size else { return nil }
        let place = waiting.prefix(size)
        waiting = waiting.dropFirst(size)
        return place
    }

    /// The next line that has something in it, as a number, if all of it is there.
    mutating func takeNumber() throws(IIOFailure) -> Int? {
        while let line = try takeLine() {
            if line.isEmpty { continue }
            guard let number = Int(String(decoding: line, as: UTF8.self)) else { throw ServerBuffer.nonsense }
            return number
        }
        return nil
    }

    /// The next line without its end, if all of it is there.
    mutating func takeLine() throws(IIOFailure) -> Slice<UnsafeMutableRawBufferPointer>? {
        let all = space[waiting]
        guard let end = all.prefix(Self.longestLine).firstIndex(of: UInt8(ascii: "\n")) else {
            guard waiting.count < Self.longestLine else { throw ServerBuffer.nonsense }
            return nil
        }
        waiting = end + 1..<waiting.upperBound
        let line = all[..<end]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}

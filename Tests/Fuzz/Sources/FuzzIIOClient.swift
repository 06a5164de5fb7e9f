// SPDX-License-Identifier: Apache-2.0

import IIOFormat
import SystemCalls

@testable import IIOSource

/// The first byte of the input selects the requests to a server and the pieces of its answers. The rest is everything
/// the server sends. The scans and the final error do not depend on the pieces.
func fuzzIIOClient(_ input: UnsafeBufferPointer<UInt8>) {
    guard let choice = input.first else { return }
    let said = Array(input.dropFirst())
    guard let start = endOfFirstLine(said) else { return }
    let whole = BufferReader(choice, of: said[..<start], then: said[start...], piece: said.count)
    let split = BufferReader(choice, of: said[..<start], then: said[start...], piece: 1 + Int(choice >> 3) * 7)
    precondition(whole.scans == split.scans && whole.end == split.end, "samples depend on how they were split")
}

/// Returns the end of the answer to OPEN, for which a client waits. nil if the answer is incomplete.
private func endOfFirstLine(_ said: [UInt8]) -> Int? {
    var start = 0
    while let end = said[start...].firstIndex(of: 10) {
        let line = said[start..<end]
        start = end + 1
        if !line.isEmpty, line != [13] { return start }
    }
    return nil
}

/// The results of a client with a server that hangs up in the end.
private struct BufferReader {
    private(set) var scans: [UInt8] = []
    /// The final error.
    private(set) var end = 0
    private let server: Int32

    init(_ choice: UInt8, of first: ArraySlice<UInt8>, then rest: ArraySlice<UInt8>, piece: Int) {
        var ends: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, SocketType.stream.nonBlockingCloseOnExec, 0, &ends) == 0)
        server = ends[1]
        defer { systemClose(server) }
        let device = fuzzedDevices.devices[0]
        let channels = choice & 1 == 0 ? [0, 1, 2, 3] : [0, 2]
        guard let layout = device.layout(of: channels) else { preconditionFailure("a device without scans") }
        say(first)
        do throws(IIOFailure) {
            let buffer = try ServerBuffer(
                ends[0], device: device, channels: channels, step: layout.sampleSize,
                samples: [1, 2, 4, 64][Int(choice >> 1 & 3)], kernelBuffers: 4, capabilities: ServerCapabilities())
            try buffer.start()
            for start in stride(from: rest.startIndex, to: rest.endIndex, by: piece) where end == 0 {
                say(rest[start..<min(start + piece, rest.endIndex)])
                process(buffer)
            }
            shutdown(server, Int32(SHUT_WR))
            if end == 0 { process(buffer) }
            precondition(end != 0, "the client continues after the server closed the connection")
        } catch {
            end = Int(error.number)
        }
    }

    private func say(_ bytes: ArraySlice<UInt8>) {
        precondition(bytes.withUnsafeBytes { systemSend(server, $0) } == bytes.count)
    }

    /// Reads all available data. Stops at the second read without data, because the first may only end an earlier read.
    private mutating func process(_ buffer: ServerBuffer) {
        var requests = [UInt8](repeating: 0, count: 4096)
        var looks = 0
        while looks < 2 {
            var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            var reads = 4
            let result = buffer.refill(&bytes, reads: &reads)
            while requests.withUnsafeMutableBytes({ systemRead(server, $0) }) > 0 {}
            if result > 0 {
                precondition(result == bytes.count && result % buffer.scanSize == 0)
                scans.append(contentsOf: bytes)
                looks = 0
            } else if result == -Int(EAGAIN) {
                looks += 1
            } else {
                end = -result
                return
            }
        }
    }
}

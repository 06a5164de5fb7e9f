// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes

/// The first byte is the size of the pieces in which the rest arrives at the framer.
func fuzzGPSD(_ input: UnsafeBufferPointer<UInt8>) {
    let input = UnsafeRawBufferPointer(input)
    guard let first = input.first else { return }
    var framed: [[UInt8]] = []
    feed(UnsafeRawBufferPointer(rebasing: input.dropFirst()), pieces: max(Int(first), 1)) { line in
        framed.append([UInt8](line))
        check(line)
    }
    // However the bytes were split, the lines are those between the line feeds.
    let whole = input.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    let expected = whole.map { $0.last == UInt8(ascii: "\r") ? [UInt8]($0.dropLast()) : [UInt8]($0) }
    precondition(framed == expected.filter { !$0.isEmpty && $0.count <= limit })
}

private let limit = 4096

private func feed(_ bytes: UnsafeRawBufferPointer, pieces: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    var framer = LineFramer(limit: limit)
    var rest = bytes[...]
    while !rest.isEmpty {
        let piece = rest.prefix(pieces)
        _ = framer.read { space in
            space.copyBytes(from: piece)
            return piece.count
        }
        rest = rest.dropFirst(piece.count)
        while framer.nextLine(body) {}
    }
}

/// The rules that hold for every line.
private func check(_ line: UnsafeRawBufferPointer) {
    var decoder = GPSDDecoder()
    let report = decoder.decode(line)
    // In memory of its own and exactly as long, so that a read beyond the end is seen by the address sanitizer.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyMemory(from: line)
    let again = decoder.decode(UnsafeRawBufferPointer(copy))
    precondition("\(report)" == "\(again)")
    var isValid = false
    var reader = JSONReader(UnsafeRawBufferPointer(copy))
    do throws(JSONError) {
        try reader.skipValue()
        try reader.finish()
        isValid = true
    } catch {
        precondition(error.offset >= 0 && error.offset <= line.count)
    }
    switch report {
    case .position(let position):
        precondition(isValid && position.raw == nil)
        precondition(!position.latitude.isInfinite && !position.speed.isInfinite)
    case .sky(let sky):
        precondition(isValid && sky.satellites?.count ?? 0 <= GPSDDecoder.maximumSatellites)
    case .malformed(let why):
        precondition(!isValid || why.reason == .noClass || why.reason == .notAnObject)
    case .error:
        break
    default:
        precondition(isValid)
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import GPSDProtocol
import JSONBytes

/// The first byte is the size of the pieces in which the rest arrives at the framer.
func fuzzGPSD(_ input: UnsafeBufferPointer<UInt8>) {
    let input = UnsafeRawBufferPointer(input)
    guard let first = input.first else { return }
    var framed: [[UInt8]] = []
    // Learns the order of keys and the digits of numbers from each line.
    var experienced = inexperienced
    feed(UnsafeRawBufferPointer(rebasing: input.dropFirst()), pieces: max(Int(first), 1)) { line in
        framed.append([UInt8](line))
        check(line, &experienced)
    }
    // However the bytes are split, the lines are the text between line feeds.
    let whole = input.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    let expected = whole.map { $0.last == UInt8(ascii: "\r") ? [UInt8]($0.dropLast()) : [UInt8]($0) }
    precondition(framed == expected.filter { !$0.isEmpty && $0.count <= limit })
}

private let limit = 4096
private let inexperienced = GPSDDecoder()

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
private func check(_ line: UnsafeRawBufferPointer, _ experienced: inout GPSDDecoder) {
    var decoder = inexperienced
    let report = decoder.decode(line)
    let isValid = checkSyntax(line)
    // A copy in separate memory of the same length, so that the address sanitizer detects a read beyond the end.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyMemory(from: line)
    // A line is decoded the same way after any other lines.
    precondition(isSame(report, experienced.decode(UnsafeRawBufferPointer(copy))))
    precondition(decoder.outOfRangeCount == experienced.outOfRangeCount)
    precondition(decoder.firstInvalidOffset == experienced.firstInvalidOffset)
    // Spaces that prevent the fast path for keys and numbers do not change the result.
    split(line).withUnsafeBytes { split in
        precondition(checkSyntax(split) == isValid)
        guard isValid else { return }
        var slow = inexperienced
        precondition(isSame(report, slow.decode(split)))
        precondition(decoder.outOfRangeCount == slow.outOfRangeCount)
        precondition((decoder.firstInvalidOffset == nil) == (slow.firstInvalidOffset == nil))
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

/// True for one complete JSON value.
private func checkSyntax(_ line: UnsafeRawBufferPointer) -> Bool {
    var reader = JSONReader(line)
    do throws(JSONError) {
        try reader.skipValue()
        try reader.finish()
        return true
    } catch {
        precondition(error.offset >= 0 && error.offset <= line.count)
        return false
    }
}

/// Adds spaces around all separators, which does not change the JSON value.
private func split(_ line: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * line.count)
    var (isText, isEscaped) = (false, false)
    for byte in line {
        if isText {
            if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            bytes.append(byte)
            continue
        }
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ","),
            UInt8(ascii: ":"):
            bytes.append(UInt8(ascii: " "))
            bytes.append(byte)
            bytes.append(UInt8(ascii: "\t"))
        default:
            isText = byte == UInt8(ascii: "\"")
            bytes.append(byte)
        }
    }
    return bytes
}

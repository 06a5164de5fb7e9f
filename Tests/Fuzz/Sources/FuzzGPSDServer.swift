// SPDX-License-Identifier: Apache-2.0

import GPSDSimulator
import Trace

private let world = Array(
    """
    {"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","driver":"u-blox","activated":"2024-03-23T12:00:00.000Z"}]}
    {"class":"TPV","device":"/dev/a","mode":1}
    {"class":"TPV","device":"/dev/b","mode":1}

    """.utf8)

/// The input is what one client sends, in pieces that zero bytes and 8191 bytes end; a list of faults
/// as well.
func fuzzGPSDServer(_ input: UnsafeBufferPointer<UInt8>) {
    guard let file = try? TraceFile(bytes: world, name: "fuzz") else { preconditionFailure("the trace is one") }
    var dialogue = GPSDDialogue(file)
    for piece in input.split(separator: 0) {
        let reply = dialogue.answer(Array(piece))
        precondition(reply.count <= 10_240)
        precondition(piece.first == UInt8(ascii: "?") || reply.isEmpty)
    }
    _ = try? GPSDFault.list(String(decoding: input, as: UTF8.self))
}

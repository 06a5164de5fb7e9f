// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import JSONBytes
import Trace

extension TraceHeader {
    /// Adds to what was let go wrong: {"seed":"1","list":"nofix"}, from the second time on an array of such.
    mutating func noteFaults(_ list: String, seed: UInt64) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("seed")
        // As text: not every reader of JSON keeps 64 bits.
        writer.string(String(seed))
        writer.member("list", list)
        writer.endObject()
        var json = writer.bytes
        if let former = otherMembers.first(where: { $0.name == "faults" })?.json {
            let comma = [UInt8(ascii: ",")]
            let isList = former.first == UInt8(ascii: "[") && former.last == UInt8(ascii: "]")
            let others = isList ? Array(former.dropFirst().dropLast()) : former
            let hasOthers = !others.allSatisfy { $0 <= UInt8(ascii: " ") }
            json = [UInt8(ascii: "[")] + (hasOthers ? others + comma : []) + json + [UInt8(ascii: "]")]
        }
        otherMembers.removeAll { $0.name == "faults" }
        otherMembers.append(TraceMember(name: "faults", json: json))
    }
}

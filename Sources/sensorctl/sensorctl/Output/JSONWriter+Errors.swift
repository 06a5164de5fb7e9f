// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONBytes

extension JSONWriter {
    /// A line that says why a stream gives nothing.
    mutating func write(_ error: any Error, of stream: StreamName) {
        let wrapped = error as NSError
        beginObject()
        key("callback")
        string("error")
        key("stream")
        string(stream.rawValue)
        key("error")
        beginObject()
        key("domain")
        string(wrapped.domain)
        key("code")
        int(wrapped.code)
        key("reason")
        string(error.reason)
        endObject()
        endObject()
        newline()
    }

    /// A list of numbers.
    mutating func list(_ numbers: some Sequence<Double>) {
        beginArray()
        for number in numbers { double(number) }
        endArray()
    }

    /// The components of a vector.
    mutating func list(_ vector: SIMD3<Double>) {
        beginArray()
        double(vector.x)
        double(vector.y)
        double(vector.z)
        endArray()
    }
}

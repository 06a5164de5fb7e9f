// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("How lines of a trace name the kinds of sensors")
struct SensorKindLineTests {
    @Test("A line's key is the kind's name, and the kind is found by it", arguments: SensorKind.allCases)
    func key(kind: SensorKind) {
        let key = ",\"\(kind.rawValue)\":\(kind.isVector ? "[" : "")"
        #expect(kind.lineKey.description == key)
        [UInt8]((key + "0}").utf8).withUnsafeBytes { bytes in
            var at = 0
            #expect(SensorKind(bytes, &at, end: bytes.count) == kind)
            #expect(at == key.utf8.count)
        }
    }

    @Test("Each kind has a place of its own")
    func places() {
        #expect(Set(SensorKind.allCases.map(\.place)).count == SensorKind.allCases.count)
        #expect(SensorKind.allCases.allSatisfy { (0..<8).contains($0.place) })
    }
}

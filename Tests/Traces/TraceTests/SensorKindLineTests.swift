// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import Trace

@Suite("Keys of sensor kinds in trace lines")
struct SensorKindLineTests {
    @Test("The key is the name of the kind and identifies it", arguments: SensorKind.allCases)
    func key(kind: SensorKind) {
        let key = ",\"\(kind.rawValue)\":\(kind.isVector ? "[" : "")"
        #expect(kind.lineKey.description == key)
        [UInt8]((key + "0}").utf8).withUnsafeBytes { bytes in
            var at = 0
            #expect(SensorKind(bytes, &at, end: bytes.count) == kind)
            #expect(at == key.utf8.count)
        }
    }

    @Test("Each kind has a unique index below 8")
    func places() {
        #expect(Set(SensorKind.allCases.map(\.index)).count == SensorKind.allCases.count)
        #expect(SensorKind.allCases.allSatisfy { (0..<8).contains($0.index) })
    }
}

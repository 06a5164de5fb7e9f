// SPDX-License-Identifier: Apache-2.0

import DeviceCore

@testable import Trace

/// The accessory events of a trace.
struct AccessoryReading {
    var events: [TraceAccessoryEvent] = []
    var times: [Int64?] = []
    var cursor: TraceCursor

    init(_ bytes: [UInt8]) throws {
        let file = try TraceFile(bytes: bytes, name: "test.trace")
        var cursor = TraceCursor(file)
        (events, times) = file.bytes.withUnsafeBytes { bytes in
            var events: [TraceAccessoryEvent] = []
            var times: [Int64?] = []
            while let record = cursor.next(bytes) {
                guard let event = record.accessoryEvent(in: bytes) else { continue }
                events.append(event)
                times.append(record.time)
            }
            return (events, times)
        }
        self.cursor = cursor
    }

    init(lines: [String]) throws {
        try self.init([UInt8](([headerLine] + lines).joined(separator: "\n").utf8) + [10])
    }

    var reasons: [TraceWarning.Reason] { cursor.warnings.map(\.reason) }
}

let scaleLine =
    #"{"t":0.5,"attach":{"id":"1","name":"Weigh Scale","manufacturer":"Example Corp","model":"WS-7","#
    + #""serial":"WS-7731","firmware":"2.10","hardware":"1","port":"1-2.4","vendor":"1209","product":"000a","#
    + #""protocols":["com.example.scale","com.example.log"]}}"#

let scale = AccessoryDescription(
    identity: "1209:000a:WS-7731", name: "Weigh Scale", manufacturer: "Example Corp", modelNumber: "WS-7",
    serialNumber: "WS-7731", firmwareRevision: "2.10", hardwareRevision: "1", portPath: "1-2.4", vendorID: 0x1209,
    productID: 10,
    protocols: [
        AccessoryProtocol(name: "com.example.scale", origin: .trace),
        AccessoryProtocol(name: "com.example.log", origin: .trace),
    ])

// SPDX-License-Identifier: Apache-2.0

import SystemCalls
import Testing

@testable import DeviceCore

@Suite("Device errors")
struct DeviceErrorTests {
    @Test("The description ends with the cause, including the system's error message")
    func description() {
        let plain = DeviceError(.silent, "No data was received.")
        #expect(plain.description == "No data was received.")
        let refused = DeviceError(.unreachable, "No way.", cause: .system(call: "connect", errno: ECONNREFUSED))
        #expect(refused.description == "No way. (connect: Connection refused, error 111)")
        let library = DeviceError(.unreachable, "No way.", cause: .library(name: "getaddrinfo", code: -2))
        #expect(library.description == "No way. (getaddrinfo: -2)")
    }

    @Test("An error contains its source location, and its code prints as a name")
    func sourceLocation() {
        let error = DeviceError(.notFound, "")
        #expect(error.sourceLocation.contains("DeviceErrorTests.swift:"))
        #expect("\(error.code)" == "notFound")
        #expect(error.code == .notFound)
        #expect(error.code != .busy)
    }
}

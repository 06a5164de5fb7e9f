// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SystemCalls
import Testing

@testable import ByteChannels

@Suite("Ends of byte channels")
struct ByteChannelEndTests {
    @Test(
        "Errors of an unplugged device or a closed peer are reported as a hang-up",
        arguments: [EIO, ENODEV, ESHUTDOWN, EPIPE, ECONNRESET, EPROTO, EILSEQ])
    func hangUps(number: Int32) {
        #expect(ByteChannelEnd(errno: number, call: "write", path: "/dev/hidraw0").reason == .hungUp)
    }

    @Test("Other errors are reported as failures with the call and errno", arguments: [EINVAL, ETIMEDOUT])
    func failures(number: Int32) {
        let end = ByteChannelEnd(errno: number, call: "write", path: "/dev/hidraw0")
        #expect(end.reason == .failed)
        #expect(end.error?.cause == .system(call: "write", errno: number))
    }
}

// SPDX-License-Identifier: Apache-2.0

import DeviceCore
@testable import SimulatedDevice
import Testing
import Trace

/// What a program meets that looked an accessory up just before it was unplugged.
@Suite("Accessories that are unplugged while they are opened")
struct SimulatedAttachmentTests {
    @Test("One in code is not opened any more")
    func coded() {
        let accessory = SimulatedAccessory(name: "Scale", protocol: "com.a", peer: LinePeer { _ in [] })
        isNotFound(CodedAttachment(accessory, clock: LiveClock()) { _ in })
    }

    @Test("One of a recording is not opened any more")
    func recorded() {
        isNotFound(RecordedAttachment(name: "Scale", clock: LiveClock(), differences: AccessoryDifferences()))
    }

    private func isNotFound(_ attachment: some SimulatedAttachment) {
        attachment.detach()
        let error = #expect(throws: DeviceError.self) { try attachment.open("com.a") }
        #expect(error?.code == .notFound)
        #expect(error?.message == "Scale has been unplugged.")
    }
}

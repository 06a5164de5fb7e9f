// SPDX-License-Identifier: Apache-2.0

import DeviceCore
@testable import SimulatedDevice
import Testing
import Trace

/// An app may find an accessory just before it is unplugged, and open it afterwards.
@Suite("Accessories unplugged during opening")
struct SimulatedAttachmentTests {
    @Test("A coded accessory that was unplugged cannot be opened")
    func coded() {
        let accessory = SimulatedAccessory(name: "Scale", protocol: "com.a", peer: LinePeer { _ in [] })
        isNotFound(PeerAttachment(accessory, clock: LiveClock()) { _ in })
    }

    @Test("A recorded accessory that was unplugged cannot be opened")
    func recorded() {
        isNotFound(RecordedAttachment(name: "Scale", clock: LiveClock(), differences: AccessoryDifferenceList()))
    }

    private func isNotFound(_ attachment: some SimulatedAttachment) {
        attachment.detach()
        let error = #expect(throws: DeviceError.self) { try attachment.open("com.a") }
        #expect(error?.code == .notFound)
        #expect(error?.message == "Scale has been unplugged.")
    }
}

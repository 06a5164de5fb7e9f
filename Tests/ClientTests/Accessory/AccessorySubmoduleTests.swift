// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory.EAAccessoryManager
import ExternalAccessory.EASession
import Testing

import class ExternalAccessory.EAAccessory

@Suite("Submodule imports")
struct AccessorySubmoduleTests {
    @Test("A submodule import makes the whole module and Foundation available")
    func wholeModule() {
        let accessory = EAAccessory()
        #expect(accessory.connectionID == EAConnectionIDNone)
        #expect(Data(accessory.name.utf8).isEmpty)
        #expect(EAAccessoryKey == "EAAccessoryKey")
    }
}

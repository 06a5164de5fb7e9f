// SPDX-License-Identifier: Apache-2.0

import ExternalAccessory
import Synchronization
import Testing

@Suite("Bluetooth accessory picker")
struct PickerTests {
    private let bench = Bench()

    @Test("The picker fails on the main thread, after the call has returned")
    func failed() {
        let received = Mutex<EABluetoothAccessoryPickerError?>(nil)
        bench.manager.showBluetoothAccessoryPicker(withNameFilter: nil) { error in
            received.withLock { $0 = error as? EABluetoothAccessoryPickerError }
        }
        #expect(received.withLock { $0 } == nil)
        bench.run()
        #expect(received.withLock { $0 }?.code == .resultFailed)
        bench.manager.showBluetoothAccessoryPicker(withNameFilter: nil, completion: nil)
        bench.run()
    }

    @Test("The picker reports a connected accessory whose name matches the filter")
    func connected() async {
        bench.accessories.attach("Scale")
        await #expect {
            try await bench.manager.showBluetoothAccessoryPicker(
                withNameFilter: NSPredicate { name, _ in name as? String == "Scale" })
        } throws: { error in
            if case EABluetoothAccessoryPickerError.alreadyConnected = error { true } else { false }
        }
        await #expect {
            try await bench.manager.showBluetoothAccessoryPicker(withNameFilter: NSPredicate(value: false))
        } throws: { error in
            if case EABluetoothAccessoryPickerError.resultFailed = error { true } else { false }
        }
    }

    @Test("The picker's errors bridge to NSError and back, with Apple's codes")
    func errors() throws {
        #expect(EABluetoothAccessoryPickerError.Code.alreadyConnected.rawValue == 0)
        #expect(EABluetoothAccessoryPickerError.Code.resultNotFound.rawValue == 1)
        #expect(EABluetoothAccessoryPickerError.Code.resultCancelled.rawValue == 2)
        #expect(EABluetoothAccessoryPickerError.Code.resultFailed.rawValue == 3)
        let error: any Error = EABluetoothAccessoryPickerError(.resultFailed)
        let bridged = error as NSError
        #expect(bridged.domain == EABluetoothAccessoryPickerErrorDomain)
        #expect(bridged.code == 3)
        #expect(bridged.localizedDescription.contains("bluetoothctl"))
        let foreign = NSError(domain: EABluetoothAccessoryPickerErrorDomain, code: 2)
        #expect((foreign as Any as? EABluetoothAccessoryPickerError)?.code == .resultCancelled)
        #expect((NSError(domain: "other", code: 2) as Any as? EABluetoothAccessoryPickerError) == nil)
        #expect(EABluetoothAccessoryPickerError(.resultFailed) == EABluetoothAccessoryPickerError(.resultFailed))
        #expect(EABluetoothAccessoryPickerError(.resultFailed) != EABluetoothAccessoryPickerError(.resultNotFound))
    }

    @Test("The constants have Apple's values")
    func constants() {
        #expect(EAAccessoryKey == "EAAccessoryKey")
        #expect(EAAccessorySelectedKey == "EAAccessorySelectedKey")
        #expect(NSNotification.Name.EAAccessoryDidConnect.rawValue == "EAAccessoryDidConnectNotification")
        #expect(NSNotification.Name.EAAccessoryDidDisconnect.rawValue == "EAAccessoryDidDisconnectNotification")
        #expect(EAConnectionIDNone == 0)
    }
}

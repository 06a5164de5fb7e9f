// SPDX-License-Identifier: Apache-2.0

// Prints an accelerometer's readings: iio-samples [ip:host:port]

import DeviceCore
import Dispatch
import IIOSource
import SystemCalls

var addresses = [MotionSourceAddress.local]
if let text = CommandLine.arguments.dropFirst().first {
    do throws(DeviceError) {
        addresses = [try MotionSourceAddress(text)]
    } catch {
        print("unusable: \(error)")
        exit(2)
    }
}
let source = IIOSource(addresses: addresses, clock: LiveClock())
let subscription = source.subscribe(MotionRequest(kind: .accelerometer)) { event in
    switch event {
    case .samples(let batch):
        for value in batch.values { print("acceleration \(value.x) \(value.y) \(value.z)") }
    case .lost(let error): print("lost: \(error)")
    case .regained: break
    }
}
dispatchMain()

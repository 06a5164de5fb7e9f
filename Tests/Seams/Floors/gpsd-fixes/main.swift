// SPDX-License-Identifier: Apache-2.0

// Prints fixes from a gpsd: gpsd-fixes [gpsd://host:port]

import DeviceCore
import Dispatch
import GPSDSource
import SystemCalls

var address = PositionSourceAddress()
if let text = CommandLine.arguments.dropFirst().first {
    do throws(DeviceError) {
        address = try PositionSourceAddress(text)
    } catch {
        print("unusable: \(error)")
        exit(2)
    }
}
let source = GPSDSource(address: address, clock: LiveClock())
let subscription = source.subscribe(PositionRequest()) { event in
    switch event {
    case .report(let report) where report.hasFix: print("fix \(report.latitude) \(report.longitude)")
    case .lost(let error): print("lost: \(error)")
    default: break
    }
}
dispatchMain()

// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

extension PositionReport {
    /// Takes out numbers that nothing on earth has, which a damaged or hostile file may say: they would be written as
    /// something else, or break the files of other programs. True when there were any.
    mutating func dropImplausible() -> Bool {
        var isChanged = false
        func check(_ value: inout Double, _ range: Range<Double>) {
            guard !value.isNaN, !range.contains(value) else { return }
            value = .nan
            isChanged = true
        }
        let height = -1e7..<1e7
        check(&altitudeHAE, height)
        check(&altitudeMSL, height)
        check(&altitudeUndefined, height)
        check(&geoidSeparation, height)
        check(&speed, 0..<1e6)
        check(&climb, -1e6..<1e6)
        check(&correctionAge, 0..<1e6)
        // RTCM 3 has twelve bits.
        if correctionStation > 4095 {
            correctionStation = -1
            isChanged = true
        }
        return isChanged
    }
}

extension SkyReport {
    /// The same of satellites. True when there were any.
    mutating func dropImplausible() -> Bool {
        guard usedCount > 999 else { return false }
        usedCount = -1
        return true
    }
}

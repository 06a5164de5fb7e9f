// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import DeviceCore

/// Prints a line for each accessory that is there, comes or goes.
final class LineAccessoryPrinter: AccessoryPrinter {
    private let output: StandardOutput
    private let ink: Ink

    init(output: StandardOutput, ink: Ink = Ink(.standardOutput)) {
        self.output = output
        self.ink = ink
    }

    func print(present accessories: [AccessoryReading], at time: WallTime) {
        for accessory in accessories { print(ink.dim("="), accessory, at: time) }
    }

    func print(_ change: AccessoryChange, _ accessory: AccessoryReading, at time: WallTime) {
        switch change {
        case .connected: print(ink.color(78, "+"), accessory, at: time)
        case .disconnected: print(ink.color(203, "-"), accessory, at: time)
        }
    }

    private func print(_ mark: String, _ accessory: AccessoryReading, at time: WallTime) {
        output.write(line: "\(ink.dim(CivilDate(time).timeOfDayWithTenths))  \(mark) \(accessory.line)")
    }
}

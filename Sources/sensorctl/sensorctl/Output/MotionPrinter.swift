// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// Prints motion readings as they come.
protocol MotionPrinter: AnyObject {
    func print(_ reading: MotionReading)
    func print(orientation: String, timestamp: Double)
    func print(_ error: any Error, stream: StreamName)
}

// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import CustomDump
import XCTest

/// Keeps the borrowed tests honest: they would be empty without Core Location.
final class ModuleTests: XCTestCase {
    func testTypesAreOurs() {
        XCTAssertEqual(String(reflecting: CLLocation.self), "CoreLocation.CLLocation")
    }

    /// The package has no tests for its Core Motion conformances, which it compiles where there is a Core Motion.
    func testMotionIsDumped() {
        XCTAssertEqual(String(customDumping: CMAuthorizationStatus.denied), "CMAuthorizationStatus.denied")
        XCTAssertEqual(
            String(customDumping: CMDeviceMotion.SensorLocation.default), "CMDeviceMotion.SensorLocation.default")
        XCTAssertEqual(String(customDumping: CMMotionActivityConfidence.high), "CMMotionActivityConfidence.high")
        XCTAssertEqual(String(customDumping: CMPedometerEventType.resume), "CMPedometerEventType.resume")
    }
}

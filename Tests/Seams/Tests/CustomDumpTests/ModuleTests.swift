// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import CustomDump
import XCTest

/// Ensures that the copied tests have contents, because they would be empty without Core Location.
final class ModuleTests: XCTestCase {
    func testTypesAreOurs() {
        XCTAssertEqual(String(reflecting: CLLocation.self), "CoreLocation.CLLocation")
    }

    /// The package has no tests for its Core Motion conformances, which it compiles if Core Motion is available.
    func testMotionIsDumped() {
        XCTAssertEqual(String(customDumping: CMAuthorizationStatus.denied), "CMAuthorizationStatus.denied")
        XCTAssertEqual(
            String(customDumping: CMDeviceMotion.SensorLocation.default), "CMDeviceMotion.SensorLocation.default")
        XCTAssertEqual(String(customDumping: CMMotionActivityConfidence.high), "CMMotionActivityConfidence.high")
        XCTAssertEqual(String(customDumping: CMPedometerEventType.resume), "CMPedometerEventType.resume")
    }
}

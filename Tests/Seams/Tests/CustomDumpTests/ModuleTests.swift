// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import XCTest

/// Keeps the borrowed tests honest: they would be empty without Core Location.
final class ModuleTests: XCTestCase {
    func testTypesAreOurs() {
        XCTAssertEqual(String(reflecting: CLLocation.self), "CoreLocation.CLLocation")
    }
}

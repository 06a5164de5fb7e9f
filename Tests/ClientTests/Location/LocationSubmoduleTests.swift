// SPDX-License-Identifier: Apache-2.0

import CoreLocation.CLLocationManagerDelegate
import Testing

private final class Delegate: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
}

@Suite("Submodule imports")
struct LocationSubmoduleTests {
    @Test("A submodule import makes the whole module and Foundation available")
    func wholeModule() {
        let delegate: CLLocationManagerDelegate = Delegate()
        #expect(delegate.isEqual(delegate))
        #expect(CLLocation(latitude: 1, longitude: 2).timestamp <= Date())
    }
}

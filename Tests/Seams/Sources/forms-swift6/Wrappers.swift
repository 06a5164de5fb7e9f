// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// In front of a manager, without `@Sendable`, as Apple's is.
protocol Manager: AnyObject {
    func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)?)
    func startMonitoring(for region: CLRegion)
    func stopMonitoring(for region: CLRegion)
    var monitoredRegions: Set<CLRegion> { get }
}

extension CLLocationManager: Manager {}

/// Passed between tasks.
enum Fence: Sendable {
    case region(CLRegion)
    case visit(CLVisit)
    case state(CLMonitor.Event.State)
}

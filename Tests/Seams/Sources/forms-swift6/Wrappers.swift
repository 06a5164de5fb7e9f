// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// A protocol that abstracts a manager, without `@Sendable`, as in Apple's declaration.
protocol Manager: AnyObject {
    func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)?)
    func startMonitoring(for region: CLRegion)
    func stopMonitoring(for region: CLRegion)
    var monitoredRegions: Set<CLRegion> { get }
}

extension CLLocationManager: Manager {}

/// A value that is passed between tasks.
enum Fence: Sendable {
    case region(CLRegion)
    case visit(CLVisit)
    case state(CLMonitor.Event.State)
}

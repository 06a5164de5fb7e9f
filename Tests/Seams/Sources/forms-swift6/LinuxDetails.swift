// SPDX-License-Identifier: Apache-2.0

import CoreLocation

/// The additions for Linux need no other import.
func details(of location: CLLocation) -> String {
    let used = location.satellites.filter(\.isUsed).count
    let dilution = location.sky?.hdop ?? -1
    let climb = location.report?.climb ?? 0
    return "\(used) \(dilution) \(climb) \(location.receiver ?? "none")"
}

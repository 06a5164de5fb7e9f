// SPDX-License-Identifier: Apache-2.0

/// A value that can be described in a word.
public protocol Describable {
    /// The description.
    var word: String { get }
}

#if canImport(CoreLocation)
public import CoreLocation

extension CLLocation: Describable {
    /// The latitude.
    public var word: String { "latitude \(coordinate.latitude)" }
}

/// Reports that Core Location was available at compile time.
public final class Description: NSObject, CLLocationManagerDelegate {
    private var last: CLLocation?

    /// Stores the last location.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        last = locations.last
    }

    /// The report as text.
    public var text: String {
        let manager = CLLocationManager()
        manager.delegate = self
        manager.delegate?.locationManager?(manager, didUpdateLocations: [CLLocation(latitude: 3, longitude: 4)])
        return "with Core Location: \(last?.word ?? "nothing")"
    }
}
#else
/// Reports that Core Location was not available at compile time.
public final class Description {
    fileprivate init() {}

    /// The report as text.
    public var text: String { "without Core Location" }
}
#endif

#if canImport(CoreMotion)
public import CoreMotion

extension CMAuthorizationStatus: Describable {
    /// Whether motion may be used.
    public var word: String { self == .authorized ? "motion" : "no motion" }
}

private let motion = ", and Core Motion: " + CMAuthorizationStatus.authorized.word
#else
private let motion = ""
#endif

#if canImport(ExternalAccessory)
public import ExternalAccessory

extension EAAccessory: Describable {
    /// The name of the accessory.
    public var word: String { name }
}

private let accessories = ", and External Accessory: \(EAConnectionIDNone)"
#else
private let accessories = ""
#endif

/// Reports the availability of Core Location, Core Motion and External Accessory.
public func describe() -> String {
    Description().text + motion + accessories
}

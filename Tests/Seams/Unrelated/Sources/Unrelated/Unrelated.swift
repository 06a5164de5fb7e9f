// SPDX-License-Identifier: Apache-2.0

/// Something that can be described in a word.
public protocol Describable {
    /// The word.
    var word: String { get }
}

#if canImport(CoreLocation)
public import CoreLocation

extension CLLocation: Describable {
    /// The latitude.
    public var word: String { "latitude \(coordinate.latitude)" }
}

/// Says that Core Location was there when this was compiled.
public final class Description: NSObject, CLLocationManagerDelegate {
    private var last: CLLocation?

    /// Looks at one location.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        last = locations.last
    }

    /// What was seen.
    public var text: String {
        let manager = CLLocationManager()
        manager.delegate = self
        manager.delegate?.locationManager?(manager, didUpdateLocations: [CLLocation(latitude: 3, longitude: 4)])
        return "with Core Location: \(last?.word ?? "nothing")"
    }
}
#else
/// Says that Core Location was not there when this was compiled.
public final class Description {
    fileprivate init() {}

    /// What was seen.
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
    /// Its name.
    public var word: String { name }
}

private let accessories = ", and External Accessory: \(EAConnectionIDNone)"
#else
private let accessories = ""
#endif

/// What this package has seen of Core Location, Core Motion and External Accessory.
public func describe() -> String {
    Description().text + motion + accessories
}

// SPDX-License-Identifier: Apache-2.0

import AppDelivery
public import Foundation
import Synchronization

/// An area that can be monitored. Use one of the subclasses. Regions with the same identifier are equal. Regions are
/// thread-safe.
open class CLRegion: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let storedIdentifier: String
    // Both values are atomic, because any thread may use a region. Relaxed ordering suffices, because the values are
    // independent.
    private let flags = Atomic<UInt8>(Flags.entry | Flags.exit)
    private let stateTimestampBits = Atomic<UInt64>(Double.nan.bitPattern)

    let circle: Circle?

    /// Creates an empty region without an identifier, for subclasses that override the properties.
    public override init() {
        storedIdentifier = ""
        circle = nil
    }

    init(identifier: String, circle: Circle?) {
        storedIdentifier = identifier
        self.circle = circle
    }

    /// Creates a circular region with a radius in metres.
    @available(*, deprecated, message: "Use CLCircularRegion(center:radius:identifier:) instead.")
    public init(
        circularRegionWithCenter center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String
    ) {
        storedIdentifier = identifier
        circle = Circle(center: center, radius: radius)
    }

    /// Restores a region from an archive. Returns nil if the archived values are damaged. If the archive contains no
    /// region, behaves like `init()`.
    public required init?(coder: NSCoder) {
        if Self.isAbsent(from: coder) {
            storedIdentifier = ""
            circle = nil
            return
        }
        guard let identifier = coder.decodeText(forKey: Key.identifier),
            let stored = coder.decodeWords(1, forKey: Key.flags)?.first
        else { return nil }
        storedIdentifier = identifier
        circle = Circle(coder: coder)
        flags.store(UInt8(truncatingIfNeeded: stored & 7), ordering: .relaxed)
    }

    /// The region's name, unique among the regions that an app monitors.
    open var identifier: String { storedIdentifier }

    /// Whether entering the region is reported. The default is true.
    open var notifyOnEntry: Bool {
        get { has(Flags.entry) }
        set { set(Flags.entry, newValue) }
    }

    /// Whether leaving the region is reported. The default is true.
    open var notifyOnExit: Bool {
        get { has(Flags.exit) }
        set { set(Flags.exit, newValue) }
    }

    /// The centre of a circular region, in degrees on WGS 84. The centre of other regions is invalid.
    @available(*, deprecated, message: "Use CLCircularRegion's center instead.")
    open var center: CLLocationCoordinate2D { circle?.center ?? kCLLocationCoordinate2DInvalid }

    /// The radius of a circular region in metres, or -1 for other regions.
    @available(*, deprecated, message: "Use CLCircularRegion's radius instead.")
    open var radius: CLLocationDistance { circle?.radius ?? -1 }

    /// Returns whether a circular region contains a coordinate. Returns false for other regions.
    @available(*, deprecated, message: "Use CLCircularRegion's contains(_:) instead.")
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool { circle?.contains(coordinate) ?? false }

    /// Returns a new region with the same values.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CLRegion(identifier: identifier, circle: circle)
        copy.notifyOnEntry = notifyOnEntry
        copy.notifyOnExit = notifyOnExit
        return copy
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Encodes the region into a keyed archive.
    open func encode(with coder: NSCoder) {
        guard coder.allowsKeyedCoding else { return }
        coder.encode(text: identifier, forKey: Key.identifier)
        let display: UInt64 = notifiesOnDisplay ? 4 : 0
        coder.encode(words: [(notifyOnEntry ? 1 : 0) | (notifyOnExit ? 2 : 0) | display], forKey: Key.flags)
        circle?.encode(with: coder)
    }

    /// Returns whether the other object is a region with the same identifier.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CLRegion)?.identifier == identifier }

    /// A hash of the identifier.
    open override var hash: Int { identifier.hashValue }

    /// A description of the type and identifier.
    open override var description: String { "\(type(of: self)) (identifier:'\(identifier)')" }

    /// The value of `CLBeaconRegion.notifyEntryStateOnDisplay`.
    final var notifiesOnDisplay: Bool {
        get { has(Flags.display) }
        set { set(Flags.display, newValue) }
    }

    /// The time at which the region's reported state began, or nil for regions created by an app.
    var stateTimestamp: Double? {
        get {
            let value = Double(bitPattern: stateTimestampBits.load(ordering: .relaxed))
            return value.isNaN ? nil : value
        }
        set { stateTimestampBits.store((newValue ?? .nan).bitPattern, ordering: .relaxed) }
    }

    private func has(_ flag: UInt8) -> Bool { flags.load(ordering: .relaxed) & flag != 0 }

    private func set(_ flag: UInt8, _ isSet: Bool) {
        if isSet {
            flags.bitwiseOr(flag, ordering: .relaxed)
        } else {
            flags.bitwiseAnd(~flag, ordering: .relaxed)
        }
    }

    /// The bits of `flags`. Archives contain the same bits.
    private enum Flags {
        static let entry: UInt8 = 1
        static let exit: UInt8 = 2
        static let display: UInt8 = 4
    }

    fileprivate enum Key {
        static let identifier = "CLRegion.identifier"
        static let flags = "CLRegion.flags"
    }

    static func isAbsent(from coder: NSCoder) -> Bool { coder.containsNone(of: [Key.identifier, Key.flags]) }
}

/// The device's position relative to a region.
public enum CLRegionState: Int, Sendable {
    /// The state has not been determined.
    case unknown = 0

    /// The device is inside the region.
    case inside = 1

    /// The device is outside the region.
    case outside = 2
}

// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of Core Location's errors as `NSError`.
public let kCLErrorDomain = "kCLErrorDomain"

/// The key in the user information of an error for a region that can be monitored better: ``CLError/alternateRegion``.
public let kCLErrorUserInfoAlternateRegionKey = "kCLErrorUserInfoAlternateRegionKey"

/// An error of Core Location.
///
/// ```swift
/// func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
///     if let error = error as? CLError, error.code == .denied {
///         manager.stopUpdatingLocation()
///     }
/// }
/// ```
///
/// As on Apple's platforms it is the Swift face of an `NSError` in ``kCLErrorDomain``: either can be cast to the other
/// with `as?`, and `catch CLError.denied` catches both. An `NSError` with a code that is not in ``Code`` stays an
/// `NSError`. Values can be used from any thread.
public struct CLError: Error, CustomNSError, Hashable, Sendable {
    /// What went wrong.
    public let code: Code

    /// The error that this one wraps. It carries the user information and is what a cast to `NSError` gives.
    let wrapped: NSError

    /// Creates an error: `CLError(.denied)`.
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - userInfo: More about it, under Foundation's keys for errors or ``kCLErrorUserInfoAlternateRegionKey``.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        wrapped = LocationNSError(code, userInfo: userInfo)
    }

    /// Wraps an error of Core Location; nil for an error of another domain or with an unknown code.
    init?(wrapping error: NSError) {
        guard error.domain == kCLErrorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.code = code
        wrapped = error
    }

    /// More about the error.
    public var userInfo: [String: Any] { wrapped.userInfo }

    /// A region close to the wanted one that can be monitored better, or nil.
    public var alternateRegion: CLRegion? { userInfo[kCLErrorUserInfoAlternateRegionKey] as? CLRegion }

    /// ``kCLErrorDomain``.
    public static var errorDomain: String { kCLErrorDomain }

    /// The raw value of ``code``.
    public var errorCode: Int { code.rawValue }

    /// ``userInfo`` and a sentence that says what happened: Foundation's `localizedDescription` of any error asks here.
    public var errorUserInfo: [String: Any] {
        userInfo.merging([NSLocalizedDescriptionKey: code.sentence]) { given, _ in given }
    }

    /// Whether two errors have the same code and the same user information.
    public static func == (lhs: CLError, rhs: CLError) -> Bool { lhs.wrapped.isEqual(rhs.wrapped) }

    /// Hashes the code: user information may hold values without a hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

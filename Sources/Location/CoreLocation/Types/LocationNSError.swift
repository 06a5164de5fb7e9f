// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The `NSError` behind a ``CLError``: equal to any other of its domain, code and user information, but with a
/// sentence for the code.
final class LocationNSError: NSError, @unchecked Sendable {
    init(_ code: CLError.Code, userInfo: [String: Any]) {
        super.init(domain: kCLErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    override var localizedDescription: String {
        userInfo[NSLocalizedDescriptionKey] as? String
            ?? CLError.Code(rawValue: code)?.sentence
            ?? super.localizedDescription
    }

    override var description: String {
        "Error Domain=\(domain) Code=\(code) \"\(localizedDescription)\""
    }

    /// The code: Foundation's own hash of an error recurses without end on Linux.
    override var hash: Int { code }

    /// Archives are readable without this module.
    override var classForCoder: AnyClass { NSError.self }
}

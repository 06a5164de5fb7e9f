// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The language of the user.
///
/// On Linux, the environment determines the language, but Foundation's current locale does not follow it.
enum UserLanguage {
    /// Returns the locale identifier in the environment; nil if there is none, or if it is invalid.
    ///
    /// As in the C library, the first of LC_ALL, LC_MESSAGES and LANG that is not empty applies. The character set and
    /// a modifier after "@" are removed; "C" and "POSIX" mean English.
    static func identifier(environment: (String) -> String?) -> String? {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let value = names.lazy.compactMap(environment).first(where: { !$0.isEmpty }) else { return nil }
        let name = value.prefix { $0 != "." && $0 != "@" }
        if name == "C" || name == "POSIX" { return "en" }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isName && (2...32).contains(name.utf8.count) ? String(name) : nil
    }

    /// The identifier of the user's locale.
    static var current: String {
        identifier { name in getenv(name).map { String(cString: $0) } } ?? Locale.current.identifier
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The language of the user.
///
/// Foundation's current locale does not follow the environment on Linux, which is where programs are told of it there.
enum UserLanguage {
    /// The identifier of a locale that the environment names; nil when it names none.
    ///
    /// As in the C library the first of LC_ALL, LC_MESSAGES and LANG that is not empty counts. The character set and what
    /// is behind an "@" are left out; "C" and "POSIX" are English.
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

    /// The identifier of the locale of this program's user.
    static var current: String {
        identifier { name in getenv(name).map { String(cString: $0) } } ?? Locale.current.identifier
    }
}

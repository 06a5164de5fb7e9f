// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CoreLocation

@Suite("Language of the user")
struct UserLanguageTests {
    @Test(
        "The first environment variable that is not empty names the language",
        arguments: [
            (["LANG": "de_DE.UTF-8"], "de_DE"), (["LC_ALL": "", "LC_MESSAGES": "fr_CA", "LANG": "de"], "fr_CA"),
            (["LC_ALL": "ja_JP.eucJP@x", "LC_MESSAGES": "fr_FR"], "ja_JP"), (["LANG": "C"], "en"),
            (["LANG": "C.UTF-8"], "en"), (["LC_ALL": "POSIX", "LANG": "de"], "en"), (["LANG": "sr_RS@latin"], "sr_RS"),
        ])
    func variables(_ environment: [String: String], _ identifier: String) {
        #expect(UserLanguage.identifier { environment[$0] } == identifier)
    }

    @Test(
        "An unset or invalid variable yields nil, so that the current locale is used",
        arguments: ["", "d", "de DE", "../../x", "\u{e4}\u{f6}", String(repeating: "a", count: 100)])
    func none(_ value: String) {
        #expect(UserLanguage.identifier { _ in value } == nil)
        #expect(UserLanguage.identifier { _ in nil } == nil)
    }
}

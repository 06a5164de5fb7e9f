// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@Suite("Suggestions for misspelled names")
struct NameSuggestionTests {
    @Test(
        "The most similar name is suggested",
        arguments: [
            // One letter is missing, one is too many, one is wrong, and two neighbours are exchanged.
            ("los", "loss"), ("losss", "loss"), ("lass", "loss"), ("gpds", "gpsd"),
            // Eleven letters allow three corrections.
            ("acelerometr", "accelerometer"),
            // A beginning, and upper case.
            ("accel", "accelerometer"), ("GPSD", "gpsd"),
        ])
    func similar(word: String, name: String) {
        let names = ["loss", "gpsd", "accelerometer", "nofix"]
        #expect(NameSuggestion.closest(to: word, among: names) == name)
        #expect(NameSuggestion.question(word, among: names) == " Did you mean '\(name)'?")
    }

    @Test("Nothing is suggested for words that are too different", arguments: ["lo", "xoxs", "gp", "", "trees", "l"])
    func different(word: String) {
        let names = ["loss", "gpsd", "accelerometer"]
        #expect(NameSuggestion.closest(to: word, among: names) == nil)
        #expect(NameSuggestion.question(word, among: names) == "")
    }

    @Test("A text of any length gets an answer in time")
    func long() {
        #expect(NameSuggestion.closest(to: String(repeating: "a", count: 1_000_000), among: ["loss"]) == nil)
    }

    @Test("The first column of a table contains the names")
    func table() {
        let table = """
            half, half=300ms  half a report, or all
            stuck(gyro.x)           a sensor, or its axis
            speed>130km/h, speed<5km/h  a limit
            lost-fix                gpsd is lost
            """
        #expect(NameSuggestion.names(inTable: table) == ["half", "stuck", "speed", "lost-fix"])
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A line of the program that prints its callbacks.
struct StreamLine {
    let isLoss: Bool
    var latitude: Double?
    /// Seconds from the fix to the callback.
    var age: Double?
    var threads: Int?
    var descriptors: Int?

    init(_ text: String) {
        let words = text.split(separator: " ")
        isLoss = text == "error kCLErrorDomain 0"
        guard words.count == 5, words[0] == "location" else { return }
        latitude = Double(words[1])
        age = Double(words[2])
        threads = Int(words[3])
        descriptors = Int(words[4])
    }
}

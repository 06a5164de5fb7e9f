// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

public import DeviceCore

extension SensorRates {
    /// Reads what `sampling_frequency_available` says: numbers with blanks between them, or `[minimum step maximum]`.
    ///
    /// What is no rate above 0 is left out of a list. Unknown when nothing is left, or when a range makes no sense.
    public init(_ text: String) {
        self = .unknown
        guard text.utf8.count <= 4096 else { return }
        let trimmed = IIONumber.trimmed(text)
        if trimmed.hasPrefix("[") {
            let parts = trimmed.dropFirst().prefix { $0 != "]" }.split(whereSeparator: Self.isSeparator)
            let numbers = parts.compactMap { IIONumber.double($0) }
            guard trimmed.hasSuffix("]"), parts.count == 3, numbers.count == 3, numbers[0] >= 0, numbers[1] >= 0,
                numbers[2] > 0, numbers[0] <= numbers[2], numbers[2] <= Self.limit
            else { return }
            self = .range(minimum: numbers[0], step: numbers[1], maximum: numbers[2])
            return
        }
        let rates = trimmed.split(whereSeparator: Self.isSeparator).prefix(256)
            .compactMap { IIONumber.double($0) }
            .filter { $0 > 0 && $0 <= Self.limit }
            .sorted()
        var list: [Double] = []
        for rate in rates where rate != list.last { list.append(rate) }
        if !list.isEmpty { self = .list(list) }
    }

    /// Beyond this many hertz a number is no rate of a motion sensor.
    private static let limit = 1e7

    private static func isSeparator(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy { IIONumber.isFiller($0) }
    }
}

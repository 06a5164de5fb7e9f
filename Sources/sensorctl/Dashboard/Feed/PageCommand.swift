// SPDX-License-Identifier: Apache-2.0

import JSONBytes

/// A command from a page. The session must respond to every command, because the server stops reading from a page that
/// has too many pending commands.
package struct PageCommand: Sendable {
    package enum Action: Sendable, Equatable {
        case play, pause
        case step(Int)
        /// Advances playback by the given number of seconds.
        case advance(Double)
        /// Moves playback to a time on the session's clock, in seconds.
        case seek(Double)
        /// Sets the playback speed, where 1 is real time.
        case speed(Double)
        case loop(Bool)
        case fault(String, isOn: Bool)
        case doctor
        case addRegion(DashboardRegion)
        case removeRegion(String)
    }

    package let page: Int
    package let id: Int64
    package let action: Action
}

package struct DashboardRegion: Sendable, Equatable {
    package let name: String
    package let latitude: Double
    package let longitude: Double
    /// In metres.
    package let radius: Double

    package init(name: String, latitude: Double, longitude: Double, radius: Double) {
        (self.name, self.latitude, self.longitude, self.radius) = (name, latitude, longitude, radius)
    }
}

/// A parsed command whose values have not been validated yet. The keys must match those that the page's scripts write.
struct CommandRequest {
    private(set) var id: Int64 = 0
    private(set) var token = ""
    private var name = ""
    private var numbers: [String: Double] = [:]
    private var isOn: Bool?
    private var fault: String?
    private var addition: DashboardRegion?
    private var removal: String?

    init?(_ bytes: [UInt8]) {
        let isValid: Void? = try? bytes.withUnsafeBytes { (buffer) throws(JSONError) in
            var reader = JSONReader(buffer)
            try reader.beginObject()
            while let key = try reader.nextKey() { try read(key.string(), from: &reader) }
            try reader.finish()
        }
        if isValid == nil { return nil }
    }

    private mutating func read(_ key: String, from reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "id": id = try reader.int64IfPresent() ?? 0
        case "token": token = try reader.textIfPresent()?.string() ?? ""
        case "do": name = try reader.textIfPresent()?.string() ?? ""
        case "fault": fault = try reader.textIfPresent()?.string()
        case "on": isOn = try reader.boolIfPresent()
        case "t", "by", "value", "count": numbers[key] = try reader.doubleIfPresent()
        case "remove": removal = try reader.textIfPresent()?.string()
        case "add":
            guard try reader.beginObjectIfPresent() else { return }
            addition = try Self.region(&reader)
        default: try reader.skipValue()
        }
    }

    private static func region(_ reader: inout JSONReader) throws(JSONError) -> DashboardRegion? {
        var name: String?
        var numbers: [String: Double] = [:]
        while let key = try reader.nextKey() {
            switch key.string() {
            case "id": name = try reader.textIfPresent()?.string()
            case let key where ["latitude", "longitude", "radius"].contains(key):
                numbers[key] = try reader.doubleIfPresent()
            default: try reader.skipValue()
            }
        }
        guard let name, let latitude = numbers["latitude"], let longitude = numbers["longitude"],
            let radius = numbers["radius"]
        else { return nil }
        return DashboardRegion(name: name, latitude: latitude, longitude: longitude, radius: radius)
    }

    /// The validated action, or nil if the command is unknown or incomplete, or contains an out-of-range value.
    var action: PageCommand.Action? {
        func number(_ key: String, in range: ClosedRange<Double>) -> Double? {
            numbers[key].flatMap { range.contains($0) ? $0 : nil }
        }
        switch name {
        case "play": return .play
        case "pause": return .pause
        case "step":
            if numbers["by"] != nil { return number("by", in: 0...3600).map { .advance($0) } }
            return numbers["count"] == nil ? .step(1) : number("count", in: 1...1000).map { .step(Int($0)) }
        case "seek": return number("t", in: 0...1e9).map { .seek($0) }
        case "speed": return number("value", in: 0.1...100).map { .speed($0) }
        case "loop": return isOn.map { .loop($0) }
        case "fault": return fault.flatMap { name in isOn.map { .fault(name, isOn: $0) } }
        case "doctor": return .doctor
        case "region":
            if let removal { return .removeRegion(removal) }
            return addition.flatMap(Self.validated).map { .addRegion($0) }
        default: return nil
        }
    }

    private static func validated(_ region: DashboardRegion) -> DashboardRegion? {
        guard !region.name.isEmpty, region.name.utf8.count <= 100, abs(region.latitude) <= 90,
            abs(region.longitude) <= 180, region.radius > 0, region.radius <= 2_128_000
        else { return nil }
        return region
    }
}

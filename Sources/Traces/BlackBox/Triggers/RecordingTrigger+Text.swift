// SPDX-License-Identifier: Apache-2.0

package import DeviceCore

extension RecordingTrigger {
    /// How events are written, for a command's help.
    package static let syntax = """
        Events, parted by commas:
        signal               SIGUSR1 arrives; it always counts
        shake                the device is shaken to and fro
        fall, fall>0.3s      it falls freely, for more than 0.2 s or the time given
        impact>4g            the acceleration, gravity included, exceeds that (g or m/s2)
        lost-fix, lost-fix>20s  there was a fix, and none for 5 s or the time given, or gpsd is gone
        unplugged, unplugged=NAME  an accessory, or that one, is unplugged
        speed>130km/h, speed<5km/h  the speed goes over, or under, that (m/s, km/h, mph, kn)
        end                  the recording ends
        """

    private static let names = "signal, shake, fall, impact, lost-fix, unplugged, speed and end"

    /// Reads a list such as `impact>4g,lost-fix`; see ``syntax``. The error says which one is wrong and how it is written.
    package static func list(_ text: String) throws(DeviceError) -> [RecordingTrigger] {
        guard text.utf8.count <= 10_000 else {
            throw DeviceError(.invalidConfiguration, "The list of events is longer than 10000 bytes.")
        }
        var triggers: [RecordingTrigger] = []
        for word in text.split(separator: ",") {
            let trigger = try RecordingTrigger(String(word))
            if !triggers.contains(trigger) { triggers.append(trigger) }
        }
        guard !triggers.isEmpty else {
            throw DeviceError(.invalidConfiguration, "No event is named. There are \(names).")
        }
        return triggers
    }

    /// Reads one event such as `speed>130km/h`; see ``syntax``.
    package init(_ text: String) throws(DeviceError) {
        var word = text.drop { $0 == " " }
        while word.last == " " { word.removeLast() }
        self.text = String(word)
        let end = word.firstIndex { $0 == ">" || $0 == "<" || $0 == "=" } ?? word.endIndex
        let name = word[..<end].lowercased()
        let sign = end < word.endIndex ? word[end] : nil
        let value = end < word.endIndex ? word[word.index(after: end)...] : nil
        func wrong(_ reason: String) -> DeviceError {
            DeviceError(.invalidConfiguration, "The event \"\(word)\" cannot be used: it \(reason).")
        }
        /// The number with one of the units, in the first one's.
        func number(_ units: [(String, Double)], _ example: String) throws(DeviceError) -> Double {
            guard let value else { throw wrong("needs a value, as in \(example)") }
            // The longest that fits: "m/s2" ends in "s2" too.
            let unit = units.filter { value.hasSuffix($0.0) }.max { $0.0.utf8.count < $1.0.utf8.count }
            guard let unit else {
                throw wrong("needs a value in \(units.map(\.0).joined(separator: ", ")), as in \(example)")
            }
            var digits = value.dropLast(unit.0.count)
            while digits.last == " " { digits.removeLast() }
            guard let first = digits.utf8.first, first >= 0x30, first <= 0x39, let number = Double(digits),
                number.isFinite, number > 0, number <= 1e6
            else { throw wrong("needs a number above 0, up to 1000000, as in \(example)") }
            return number * unit.1
        }
        func plain(_ condition: Condition) throws(DeviceError) -> Condition {
            guard sign == nil else { throw wrong("takes no value") }
            return condition
        }
        /// A duration behind the name, or the usual one.
        func seconds(_ usual: Double, _ name: String, _ example: String) throws(DeviceError) -> Double {
            guard sign != nil else { return usual }
            guard sign == ">" else { throw wrong("is written \(name) or \(example)") }
            return try number([("s", 1.0), ("ms", 0.001), ("min", 60.0)], example)
        }
        let speeds = [("m/s", 1.0), ("km/h", 1 / 3.6), ("mph", 0.44704), ("kn", 1852 / 3600.0)]
        switch name {
        case "signal", "sigusr1": condition = try plain(.signal)
        case "shake": condition = try plain(.shake)
        case "end": condition = try plain(.end)
        case "fall": condition = .fall(try seconds(0.2, name, "fall>0.3s"))
        case "impact":
            guard sign == ">" else { throw wrong("is written with its threshold, as in impact>4g") }
            condition = .impact(try number([("g", Self.standardGravity), ("m/s2", 1.0)], "impact>4g"))
        case "lost-fix": condition = .lostFix(try seconds(5, name, "lost-fix>20s"))
        case "unplugged":
            guard sign == nil || sign == "=", value?.isEmpty != true else {
                throw wrong("is written unplugged or unplugged=NAME")
            }
            condition = .unplugged(value.map(String.init))
        case "speed":
            switch sign {
            case ">": condition = .speedAbove(try number(speeds, "speed>130km/h"))
            case "<": condition = .speedBelow(try number(speeds, "speed<5km/h"))
            default: throw wrong("is written speed>130km/h or speed<5km/h")
            }
        default: throw wrong("is none of \(Self.names)")
        }
    }
}

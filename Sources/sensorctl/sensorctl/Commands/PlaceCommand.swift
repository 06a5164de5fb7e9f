// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import Foundation
import JSONBytes

struct PlaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "place",
        abstract: "Says what is at a place, or where a place is.",
        usage: "sensorctl place <latitude>,<longitude> | <text> | - [<options>]",
        discussion: """
            Knows countries by their borders, cities with more than 10,000 people, areas, time zones, lakes and seas, from \
            data in the program: it needs no network and no device. A text is a place, or a place and what it lies in: \
            "Paris, Texas". With - it reads a coordinate from each line of standard input. Names are in Latin script.

            With --json one object a line: latitude, longitude (of the coordinate, or of the place that was found), name, \
            isoCountryCode, country, administrativeArea, locality, subLocality, timeZone, ocean, inlandWater; null for \
            what is not there. Of a text there may be several, the best first; of lines exactly one each, all null for a \
            line that is no coordinate.

            Exits with 69 when nothing is known of the place, with 65 when a line is no coordinate, and with 66 when \
            standard input cannot be read. See sensorctl --help for the other exit codes. Cities are from GeoNames \
            (geonames.org, CC BY 4.0), changed; outlines are from Natural Earth.

            Examples:
              sensorctl place 48.137,11.575
              sensorctl place "Paris, Texas" --locale de
            """)

    // A latitude may begin with a minus sign, and a text may have several words.
    @Argument(
        parsing: .allUnrecognized, help: "A coordinate in degrees, a text, or - for coordinates on standard input.")
    var place: [String]

    @Option(
        help: ArgumentHelp(
            "The language in which countries are named, such as de; that of LC_ALL, LC_MESSAGES or LANG unless given.",
            valueName: "name"))
    var locale: String?

    @OptionGroup var output: OutputOptions

    /// What is behind "--" is no option, whatever it begins with.
    private var words: (options: ArraySlice<String>, texts: ArraySlice<String>) {
        guard let end = place.firstIndex(of: "--") else { return (place[...], []) }
        return (place[..<end], place[(end + 1)...])
    }

    private var text: String { (words.options + words.texts).joined(separator: " ") }
    private var preferred: Locale? { locale.map(Locale.init(identifier:)) }

    func validate() throws {
        if text == "-" { return }
        try Self.refuse(
            PlaceArgument.isNoNumber(text), "\(text) is no coordinate. It is two numbers of degrees, like 48.1,11.6.")
        if let coordinate = PlaceArgument.coordinate(text) {
            try Self.refuse(
                !CLLocationCoordinate2DIsValid(coordinate),
                "A place is a latitude from -90 to 90 and a longitude from -180 to 180, in degrees.")
        } else if let option = words.options.first(where: { $0.hasPrefix("-") }) {
            throw ValidationError("Unknown option '\(option)'. A coordinate is like -33.9,151.2.")
        }
        try Self.refuse(text.allSatisfy(\.isWhitespace), "Say a place: a coordinate such as 48.1,11.6, a text, or -.")
    }

    func run() async throws {
        try await Termination.during { stop in
            let printer = PlacePrinter(output: StandardOutput(stop: stop), json: output.json)
            if text == "-" { return await readLines(stop, printer) }
            let geocoder = CLGeocoder()
            do {
                if let coordinate = PlaceArgument.coordinate(text) {
                    let location = CLLocation(latitude: coordinate.latitude, longitude: coordinate.longitude)
                    printer.print(try await geocoder.reverseGeocodeLocation(location, preferredLocale: preferred))
                } else {
                    printer.print(
                        try await geocoder.geocodeAddressString(text, in: nil, preferredLocale: preferred))
                }
            } catch {
                Notes.fail(error.localizedDescription)
                return stop.status(or: .unavailable)
            }
            return stop.status()
        }
    }

    private func readLines(_ stop: Stop, _ printer: PlacePrinter) async -> ExitStatus {
        var lines = PlaceLines()
        let geocoder = CLGeocoder()
        var status = ExitStatus.success
        var number = 0
        while stop.reason == nil {
            guard lines.isReadable(within: 100) else { continue }
            let isAtEnd: Bool
            switch lines.read() {
            case .more: isAtEnd = false
            case .end: isAtEnd = true
            case .failed(let error):
                Notes.fail("Standard input cannot be read: \(String(cString: strerror(error))).")
                return .noInput
            }
            while stop.reason == nil, let line = lines.next(isAtEnd: isAtEnd) {
                number += 1
                guard let coordinate = PlaceArgument.coordinate(line), CLLocationCoordinate2DIsValid(coordinate) else {
                    if status == .success {
                        Notes.warn(
                            "Line \(number) is no coordinate such as 48.1,11.6, in degrees. Others may follow.")
                    }
                    status = .badTrace
                    printer.printNothing(at: nil)
                    continue
                }
                let location = CLLocation(latitude: coordinate.latitude, longitude: coordinate.longitude)
                do {
                    let found = try await geocoder.reverseGeocodeLocation(location, preferredLocale: preferred)
                    printer.print(Array(found.prefix(1)))
                } catch CLError.geocodeFoundNoResult {
                    printer.printNothing(at: coordinate)
                } catch {
                    Notes.fail(error.localizedDescription)
                    return stop.status(or: .unavailable)
                }
            }
            if isAtEnd { break }
        }
        return stop.status(or: status)
    }
}

/// A coordinate as people write it.
enum PlaceArgument {
    /// Two numbers with a comma, blanks or a semicolon between them; nil for anything else.
    static func coordinate(_ text: some StringProtocol) -> CLLocationCoordinate2D? {
        let parts = text.split { $0 == "," || $0 == ";" || $0.isWhitespace }
        guard parts.count == 2, let latitude = number(parts[0]), let longitude = number(parts[1]) else { return nil }
        return CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }

    /// Whether the text is two numbers that Swift takes and of which one is infinite, or no number, or hexadecimal.
    static func isNoNumber(_ text: some StringProtocol) -> Bool {
        let parts = text.split { $0 == "," || $0 == ";" || $0.isWhitespace }
        return parts.count == 2 && parts.allSatisfy { Double($0) != nil } && coordinate(text) == nil
    }

    private static func number(_ text: some StringProtocol) -> Double? {
        // Not "nan", "infinity" and hexadecimal digits, which Double takes, too: Nan is a town in Thailand.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
        return Double(text)
    }
}

/// Prints places.
struct PlacePrinter {
    let output: StandardOutput
    let json: Bool

    func print(_ placemarks: [CLPlacemark]) {
        for placemark in placemarks {
            guard let coordinate = placemark.location?.coordinate else { continue }
            if json { write(placemark, coordinate) } else { output.write(line: Self.line(placemark, coordinate)) }
        }
    }

    /// A line for what is no coordinate, or of which nothing is known.
    func printNothing(at coordinate: CLLocationCoordinate2D?) {
        if json { write(nil, coordinate) } else { output.write(line: "-") }
    }

    private func write(_ placemark: CLPlacemark?, _ coordinate: CLLocationCoordinate2D?) {
        output.writeObject { writer in
            writer.member("latitude", coordinate?.latitude)
            writer.member("longitude", coordinate?.longitude)
            writer.member("name", placemark?.name)
            writer.member("isoCountryCode", placemark?.isoCountryCode)
            writer.member("country", placemark?.country)
            writer.member("administrativeArea", placemark?.administrativeArea)
            writer.member("locality", placemark?.locality)
            writer.member("subLocality", placemark?.subLocality)
            writer.member("timeZone", placemark?.timeZone?.identifier)
            writer.member("ocean", placemark?.ocean)
            writer.member("inlandWater", placemark?.inlandWater)
        }
    }

    private static func line(_ placemark: CLPlacemark, _ coordinate: CLLocationCoordinate2D) -> String {
        var parts: [String] = []
        for part in [
            placemark.name, placemark.subLocality, placemark.locality, placemark.administrativeArea,
            placemark.country, placemark.ocean,
        ] {
            if let part, !parts.contains(part) { parts.append(part) }
        }
        let zone = placemark.timeZone.map { " (\($0.identifier))" } ?? ""
        let place = String(format: "%.5f,%.5f", coordinate.latitude, coordinate.longitude)
        return "\(place)  \(parts.joined(separator: ", "))\(zone)"
    }
}

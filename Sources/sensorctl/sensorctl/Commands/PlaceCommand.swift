// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreLocation
import Foundation
import JSONBytes
import SensorTools

struct PlaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "place", abstract: "Find the place at a coordinate, or the coordinate of a place.",
        usage: "sensorctl place <latitude>,<longitude> | <text> | - [<options>]",
        discussion: """
            The data is built in, so no network is required. It is from GeoNames (geonames.org, CC BY 4.0, modified) \
            and Natural Earth. Cities have more than 10,000 people. Names are in Latin script.

            Examples:
              sensorctl place 48.137,11.575
              sensorctl place "Paris, Texas" --locale de
            """)

    // Without `.allUnrecognized`, a latitude with a leading minus sign would be parsed as an option.
    @Argument(
        parsing: .allUnrecognized,
        help: "A coordinate in degrees, the name of a place, or - to read coordinates from standard input.")
    var place: [String]

    @Option(
        help: .init(
            "The language of country names, such as de. The default is taken from LC_ALL, LC_MESSAGES or LANG.",
            valueName: "name"))
    var locale: String?

    @OptionGroup var output: OutputOptions

    /// The arguments before and after "--". Arguments after "--" are never treated as options.
    private var words: (options: ArraySlice<String>, texts: ArraySlice<String>) {
        guard let end = place.firstIndex(of: "--") else { return (place[...], []) }
        return (place[..<end], place[(end + 1)...])
    }

    private var text: String { (words.options + words.texts).joined(separator: " ") }
    private var preferred: Locale? { locale.map(Locale.init(identifier:)) }

    func validate() throws {
        if text == "-" { return }
        try Self.rejectIf(
            PlaceArgument.isUnsupportedNumber(text),
            "\(text) is not a coordinate. Write two numbers in degrees, such as 48.1,11.6.")
        if let coordinate = PlaceArgument.coordinate(text) {
            try Self.rejectIf(
                !CLLocationCoordinate2DIsValid(coordinate),
                "The latitude must be from -90 to 90 degrees, and the longitude from -180 to 180 degrees.")
        } else if let option = words.options.first(where: { $0.hasPrefix("-") }) {
            throw ValidationError("Unknown option '\(option)'. A coordinate has the form -33.9,151.2.")
        }
        try Self.rejectIf(
            text.allSatisfy(\.isWhitespace), "Name a place: a coordinate such as 48.1,11.6, a text, or -.")
    }

    func run() async throws {
        try await Termination.run { stop in
            let printer = PlacePrinter(output: StandardOutput(stop: stop), json: output.json)
            if text == "-" { return await readLines(stop, printer) }
            let geocoder = CLGeocoder()
            do {
                if let coordinate = PlaceArgument.coordinate(text) {
                    let location = CLLocation(latitude: coordinate.latitude, longitude: coordinate.longitude)
                    printer.print(try await geocoder.reverseGeocodeLocation(location, preferredLocale: preferred))
                } else {
                    printer.print(try await geocoder.geocodeAddressString(text, in: nil, preferredLocale: preferred))
                }
            } catch {
                Log.error(error.localizedDescription)
                return stop.status(or: .unavailable)
            }
            return stop.status()
        }
    }

    private func readLines(_ stop: StopRequest, _ printer: PlacePrinter) async -> ExitStatus {
        var lines = CoordinateLineReader()
        let geocoder = CLGeocoder()
        var status = ExitStatus.success
        var number = 0
        while stop.reason == nil {
            guard lines.isReadable(withinMilliseconds: 100) else { continue }
            let isAtEnd: Bool
            switch lines.read() {
            case .more: isAtEnd = false
            case .end: isAtEnd = true
            case .failed(let error):
                Log.error("Standard input cannot be read: \(String(cString: strerror(error))).")
                return .noInput
            }
            while stop.reason == nil, let line = lines.next(isAtEnd: isAtEnd) {
                number += 1
                guard let coordinate = PlaceArgument.coordinate(line), CLLocationCoordinate2DIsValid(coordinate) else {
                    if status == .success {
                        Log.warning(
                            "Line \(number) is not a coordinate in degrees, such as 48.1,11.6. Further invalid lines are not reported."
                        )
                    }
                    status = .dataError
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
                    Log.error(error.localizedDescription)
                    return stop.status(or: .unavailable)
                }
            }
            if isAtEnd { break }
        }
        return stop.status(or: status)
    }
}

struct PlacePrinter {
    let output: StandardOutput
    let json: Bool

    func print(_ placemarks: [CLPlacemark]) {
        for placemark in placemarks {
            // The geocoder sets the location of every placemark.
            guard let coordinate = placemark.location?.coordinate else { continue }
            if json { write(placemark, coordinate) } else { output.write(line: Self.line(placemark, coordinate)) }
        }
    }

    func printNothing(at coordinate: CLLocationCoordinate2D?) {
        if json { write(nil, coordinate) } else { output.write(line: "-") }
    }

    private func write(_ placemark: CLPlacemark?, _ coordinate: CLLocationCoordinate2D?) {
        output.writeObject {
            $0.members([
                "latitude": coordinate?.latitude, "longitude": coordinate?.longitude, "name": placemark?.name,
                "isoCountryCode": placemark?.isoCountryCode, "country": placemark?.country,
                "administrativeArea": placemark?.administrativeArea, "locality": placemark?.locality,
                "subLocality": placemark?.subLocality, "timeZone": placemark?.timeZone?.identifier,
                "ocean": placemark?.ocean, "inlandWater": placemark?.inlandWater,
            ])
        }
    }

    private static func line(_ placemark: CLPlacemark, _ coordinate: CLLocationCoordinate2D) -> String {
        var parts: [String] = []
        for part in [
            placemark.name, placemark.subLocality, placemark.locality, placemark.administrativeArea, placemark.country,
            placemark.ocean,
        ] {
            if let part, !parts.contains(part) { parts.append(part) }
        }
        let zone = placemark.timeZone.map { " (\($0.identifier))" } ?? ""
        let place = String(format: "%.5f,%.5f", coordinate.latitude, coordinate.longitude)
        return "\(place)  \(parts.joined(separator: ", "))\(zone)"
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Places

#if OfflinePlaces
/// Functions of the C module CPlaceData that return the start and length of the place data. They are linked by name,
/// because frameworks must not import C modules (see LiveDevice.swift).
@_silgen_name("DeviceServices_placesStart")
private func placesStart() -> UnsafeRawPointer

@_silgen_name("DeviceServices_placesLength")
private func placesLength() -> Int
#endif

/// Finds places in the linked place data, synchronously on the caller's thread.
struct OfflinePlaceFinder: Sendable {
    /// Returns the place at a coordinate, with the country name in the language of the locale.
    func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) throws -> [PlaceDescription] {
        let place = try Self.data().place(latitude: coordinate.latitude, longitude: coordinate.longitude)
        return place.map { [PlaceDescription($0, CountryNames(locale))] } ?? []
    }

    func places(for search: PlaceSearch) throws -> [PlaceDescription] {
        let data = try Self.data()
        guard search.text.utf8.count <= PlaceQuery.maximumTextLength else {
            throw CLError.withDescription(
                .geocodeFoundNoResult,
                """
                The search text "\(search.truncatedText)" has \(search.text.utf8.count) bytes; the limit is \
                \(PlaceQuery.maximumTextLength) bytes.
                """
            )
        }
        let names = CountryNames(search.locale)
        let query = PlaceQuery(
            text: search.text, circle: search.center.map { ($0.latitude, $0.longitude, search.radius) },
            countryCodes: { name in names.codes(of: name, by: data) })
        switch try data.places(query) {
        case .found(let places): return places.map { PlaceDescription($0, names) }
        case .onlySurroundings(let name):
            throw CLError.withDescription(
                .geocodeFoundPartialResult,
                """
                Only \(name) was found for "\(search.truncatedText)"; it contains no matching town. The place data contains \
                towns with more than 10,000 inhabitants, with names in Latin script.
                """)
        case .notFound:
            throw CLError.withDescription(
                .geocodeFoundNoResult,
                """
                No place named "\(search.truncatedText)" was found. The place data contains countries, their largest \
                administrative areas, and towns with more than 10,000 inhabitants, with names in Latin script.
                """)
        }
    }

    #if OfflinePlaces
    private static let linked = Result<PlaceData, PlaceDataError> { () throws(PlaceDataError) in
        try PlaceData(constant: UnsafeRawBufferPointer(start: placesStart(), count: placesLength()))
    }
    #endif

    private static func data() throws -> PlaceData {
        #if OfflinePlaces
        do {
            return try linked.get()
        } catch {
            throw CLError.withDescription(.network, error.description)
        }
        #else
        throw CLError.withDescription(
            .network,
            """
            This program was built without the place data. Build it with the trait OfflinePlaces of \
            swift-device-services, or set CLGeocoder.placeFinder to a place finder of your own.
            """)
        #endif
    }
}

extension PlaceDescription {
    init(_ place: Place, _ names: CountryNames) {
        self.init(latitude: place.latitude, longitude: place.longitude, radius: place.radius)
        locality = place.locality
        subLocality = place.subLocality
        administrativeArea = place.administrativeArea
        isoCountryCode = place.countryCode
        country = place.countryCode.map { names.name(of: $0) ?? place.country ?? $0 }
        inlandWater = place.inlandWater
        ocean = place.ocean
        timeZone = place.timeZone
        // Only country names are translated into the requested language.
        name = place.name == place.country ? country : place.name
    }
}

/// Provides country names in one language. English names come from the place data, because loading Foundation's data
/// would need more memory than the search itself. Names in all other languages come from Foundation.
struct CountryNames: Sendable {
    private let identifier: String

    init(_ locale: Locale?) { identifier = locale?.identifier ?? UserLanguage.current }

    private var language: Substring { identifier.prefix { $0 != "_" && $0 != "-" } }

    /// Returns Foundation's name for the country with this code, or nil if the caller must use the name from the place
    /// data.
    func name(of code: String) -> String? {
        guard language != "en" else { return nil }
        let name = Locale(identifier: identifier).localizedString(forRegionCode: code)
        // For an unknown code, Foundation may return the code itself.
        return name == code ? nil : name
    }

    /// Returns the codes of the countries with this name in the current language. The name must be lowercase and
    /// without accents. Returns an empty array if the place data contains country names in this language, because the
    /// search needs no codes from Foundation in that case.
    func codes(of name: [UInt8], by data: PlaceData) -> [String] {
        guard !PlaceQuery.languages.contains(String(language)) else { return [] }
        let locale = Locale(identifier: identifier)
        return Locale.Region.isoRegions.compactMap { region in
            guard region.identifier.count == 2, let text = locale.localizedString(forRegionCode: region.identifier)
            else { return nil }
            return (try? data.folded(text)) == name ? region.identifier : nil
        }
    }
}

extension PlaceSearch {
    /// The text, truncated to 100 characters for error messages.
    var truncatedText: String { text.count > 100 ? text.prefix(100) + "..." : text }
}

/// Determines the user's language from the environment, because Foundation's current locale does not reflect it on
/// Linux.
enum UserLanguage {
    /// Returns the locale identifier from the environment, or nil if it is missing or invalid. As in the C library, the
    /// first non-empty variable of LC_ALL, LC_MESSAGES and LANG is used. The character set and any modifier after "@"
    /// are removed. The values "C" and "POSIX" mean English.
    static func identifier(environment: (String) -> String?) -> String? {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let value = names.lazy.compactMap(environment).first(where: { !$0.isEmpty }) else { return nil }
        let name = value.prefix { $0 != "." && $0 != "@" }
        if name == "C" || name == "POSIX" { return "en" }
        let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" || $0 == "-" }
        return isName && (2...32).contains(name.utf8.count) ? String(name) : nil
    }

    static var current: String {
        identifier { name in getenv(name).map { String(cString: $0) } } ?? Locale.current.identifier
    }
}

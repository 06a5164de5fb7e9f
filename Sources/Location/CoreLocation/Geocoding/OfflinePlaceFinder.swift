// SPDX-License-Identifier: Apache-2.0

import Foundation
import Places

#if OfflinePlaces
/// Where the data of places begins, and its bytes. CPlaceData has both, and is joined at link time: no framework may import
/// a C module, as LiveDevice.swift says.
@_silgen_name("DeviceServices_placesStart")
private func placesStart() -> UnsafeRawPointer

@_silgen_name("DeviceServices_placesLength")
private func placesLength() -> Int
#endif

/// Answers from the data that is linked into the program.
struct OfflinePlaceFinder: Sendable {
    /// What is at a place; the languages of the data are that of the place itself and English, so only the country's name
    /// follows the locale.
    func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) throws -> [PlaceDescription] {
        let data = try Self.data()
        guard let place = try data.place(latitude: coordinate.latitude, longitude: coordinate.longitude) else {
            return []
        }
        return [PlaceDescription(place, CountryNames(locale))]
    }

    func places(for search: PlaceSearch) throws -> [PlaceDescription] {
        let data = try Self.data()
        guard search.text.utf8.count <= PlaceQuery.longestText else {
            throw CLError.telling(
                .geocodeFoundNoResult,
                """
                The text "\(search.shownText)" has \(search.text.utf8.count) bytes. The name of a place has at most \
                \(PlaceQuery.longestText).
                """
            )
        }
        let names = CountryNames(search.locale)
        let query = PlaceQuery(
            text: search.text,
            circle: search.center.map { ($0.latitude, $0.longitude, search.radius) },
            countryCodes: { name in names.codes(of: name, by: data) })
        switch try data.places(query) {
        case .found(let places): return places.map { PlaceDescription($0, names) }
        case .onlyAround(let name):
            throw CLError.telling(
                .geocodeFoundPartialResult,
                """
                Of "\(search.shownText)" only \(name) was found, and in it no town of that name. Towns with more than \
                10,000 people are known, by names in Latin script.
                """)
        case .nothing:
            throw CLError.telling(
                .geocodeFoundNoResult,
                """
                No place of the name "\(search.shownText)" was found. Known are countries, their largest areas, and towns \
                with more than 10,000 people, by names in Latin script.
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
            throw CLError.telling(.network, error.description)
        }
        #else
        throw CLError.telling(
            .network,
            """
            This program was built without the data of places. Build it with the trait OfflinePlaces of \
            swift-device-services, or set CLGeocoder.placeFinder to a service of your own.
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
        // A country is named in the language that was asked for.
        name = place.name == place.country ? country : place.name
    }
}

/// What countries are called in a language: in English as the data has it, else as Foundation does. For English nothing of
/// Foundation's own data is read, which would take more memory than a search.
struct CountryNames: Sendable {
    private let identifier: String

    /// Nil is the language of the user.
    init(_ locale: Locale?) { identifier = locale?.identifier ?? UserLanguage.current }

    private var language: Substring { identifier.prefix { $0 != "_" && $0 != "-" } }

    /// Nil for the name that the data has.
    func name(of code: String) -> String? {
        guard language != "en" else { return nil }
        // It gives the code back, or "Unknown Region", for what it does not know.
        guard let name = Locale(identifier: identifier).localizedString(forRegionCode: code), name != code else {
            return nil
        }
        return name
    }

    /// The codes of countries of that folded name, for a language that the data does not have.
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
    /// The text for a sentence that people read, cut off when it is long.
    var shownText: String {
        text.count > 100 ? text.prefix(100) + "..." : text
    }
}

extension CLError {
    /// An error with a sentence of its own.
    static func telling(_ code: Code, _ sentence: String, cause: (any Error)? = nil) -> CLError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        if let cause { userInfo[NSUnderlyingErrorKey] = cause }
        return CLError(code, userInfo: userInfo)
    }
}

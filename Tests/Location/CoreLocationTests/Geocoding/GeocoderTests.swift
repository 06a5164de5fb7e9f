// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SimulatedDevice
import Synchronization
import Testing

@testable import CoreLocation

/// Answers of a geocoder, in the order in which they came.
private final class Answers: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }

    func take(_ placemarks: [CLPlacemark]?, _ error: (any Error)?) {
        let text =
            switch (placemarks, error) {
            case (let places?, nil): places.first?.name ?? "no name"
            case (nil, let error as CLError): "error \(error.code.rawValue)"
            default: "both or neither"
            }
        add(text)
    }

    func add(_ text: String) { state.withLock { $0.append(text) } }
}

/// A service that answers when the test lets it.
private final class Service: PlaceFinder, Sendable {
    private let gate: AsyncStream<Result<[PlaceDescription], any Error>>
    private let open: AsyncStream<Result<[PlaceDescription], any Error>>.Continuation
    let asked = Mutex<[String]>([])

    init() { (gate, open) = AsyncStream.makeStream() }

    func answer(_ result: Result<[PlaceDescription], any Error>) { open.yield(result) }

    private func wait(_ question: String) async throws -> [PlaceDescription] {
        asked.withLock { $0.append(question) }
        for await result in gate { return try result.get() }
        throw CancellationError()
    }

    func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) async throws -> [PlaceDescription] {
        try await wait("\(coordinate.latitude) \(coordinate.longitude) \(locale?.identifier ?? "-")")
    }

    func places(for search: PlaceSearch) async throws -> [PlaceDescription] {
        try await wait("\(search.text) \(search.center.map { "\($0.latitude)" } ?? "-") \(search.radius)")
    }
}

private struct Outage: Error {}

@Suite("Geocoder", .simulated)
struct GeocoderTests {
    /// Whether this build has the data of places.
    static var hasData: Bool {
        #if OfflinePlaces
        true
        #else
        false
        #endif
    }

    @Test("Without the data the answer is an error that says how to get it", .enabled(if: !hasData))
    func withoutData() async {
        do {
            _ = try await CLGeocoder().reverseGeocodeLocation(munich)
            Issue.record("found")
        } catch {
            #expect((error as? CLError)?.code == .network)
            #expect(error.localizedDescription.contains("OfflinePlaces"))
        }
    }

    private let munich = CLLocation(latitude: 48.137, longitude: 11.575)

    private func drive() throws -> SimulatedDevice {
        try Drives.device((0..<3).map { Drives.report(Double($0), latitude: 48 + Double($0)) })
    }

    private static func code(_ body: () async throws -> [CLPlacemark]) async -> CLError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? CLError)?.code
        }
    }

    @Test("A place is told with its address, time zone, location and region", .enabled(if: hasData))
    func reverse() async throws {
        let placemarks = try await CLGeocoder().reverseGeocodeLocation(munich)
        #expect(placemarks.count == 1)
        let placemark = try #require(placemarks.first)
        #expect(placemark.locality == "Munich")
        #expect(placemark.administrativeArea == "Bavaria")
        #expect(placemark.isoCountryCode == "DE")
        #expect(placemark.timeZone?.identifier == "Europe/Berlin")
        #expect(placemark.location?.coordinate.latitude == 48.137)
        #expect(placemark.location?.horizontalAccuracy == 0)
        let region = try #require(placemark.region as? CLCircularRegion)
        #expect(region.contains(munich.coordinate))
        #expect((1000...30_000).contains(region.radius))
        #expect(placemark.ocean == nil && placemark.inlandWater == nil)
        #expect(placemark.thoroughfare == nil && placemark.postalCode == nil && placemark.areasOfInterest == nil)
    }

    @Test("Seas and lakes are told", .enabled(if: hasData))
    func water() async throws {
        let sea = try await CLGeocoder().reverseGeocodeLocation(CLLocation(latitude: 60.6, longitude: -81))
        #expect(sea.first?.ocean == "Hudson Bay")
        #expect(sea.first?.name == "Hudson Bay")
        #expect(sea.first?.country == nil && sea.first?.isoCountryCode == nil)
        let lake = try await CLGeocoder().reverseGeocodeLocation(CLLocation(latitude: 47.63, longitude: 9.37))
        #expect(lake.first?.inlandWater == "Lake Constance")
        #expect(lake.first?.isoCountryCode != nil)
    }

    @Test("The country is named in the language that was asked for, and found in it", .enabled(if: hasData))
    func languages() async throws {
        let german = Locale(identifier: "de_DE")
        let geocoder = CLGeocoder()
        #expect(
            try await geocoder.reverseGeocodeLocation(munich, preferredLocale: german).first?.country == "Deutschland")
        #expect(
            try await geocoder.reverseGeocodeLocation(munich, preferredLocale: Locale(identifier: "ja")).first?.country
                == "ドイツ")
        let wien = try await geocoder.geocodeAddressString("Wien, Österreich", in: nil, preferredLocale: german)
        #expect(wien.first?.isoCountryCode == "AT")
        let country = try await geocoder.geocodeAddressString("Deutschland", in: nil, preferredLocale: german)
        #expect(country.first?.name == "Deutschland")
        #expect(country.first?.isoCountryCode == "DE")
    }

    @Test("Countries are found by their names in other languages, whatever the user's is", .enabled(if: hasData))
    func foreignNames() async throws {
        let geocoder = CLGeocoder()
        for (text, code) in [("K\u{f6}ln, Deutschland", "DE"), ("Madrid, Espa\u{f1}a", "ES"), ("Wien, Rakousko", "AT")]
        {
            let found = try await geocoder.geocodeAddressString(
                text, in: nil, preferredLocale: Locale(identifier: "fi"))
            #expect(found.first?.isoCountryCode == code)
        }
        let japanese = try await geocoder.geocodeAddressString(
            "Berlin, \u{30c9}\u{30a4}\u{30c4}", in: nil, preferredLocale: Locale(identifier: "ja"))
        #expect(japanese.first?.isoCountryCode == "DE")
    }

    @Test("A name is found, near a region when one is given", .enabled(if: hasData))
    func forward() async throws {
        let geocoder = CLGeocoder()
        let cupertino = try await geocoder.geocodeAddressString("1 Infinite Loop, Cupertino, CA 95014")
        #expect(cupertino.first?.locality == "Cupertino")
        // The accuracy tells that only the town was found.
        #expect(try #require(cupertino.first?.location).horizontalAccuracy > 1000)
        let center = CLLocationCoordinate2D(latitude: 42.1, longitude: -72.6)
        let region = CLCircularRegion(center: center, radius: 50_000, identifier: "here")
        #expect(
            try await geocoder.geocodeAddressString("Springfield", in: region).first?.administrativeArea
                == "Massachusetts")
        #expect(
            try await geocoder.geocodeAddressString(
                "Springfield", inRegionCenteredAt: center, inRegionRadius: 50_000, preferredLocale: nil
            ).first?.administrativeArea == "Massachusetts")
        // A circle that cannot be is none.
        let odd = CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: .nan, identifier: "odd")
        #expect(try await geocoder.geocodeAddressString("Berlin", in: odd).first?.isoCountryCode == "DE")
    }

    @Test("What is not known has Apple's errors, with a sentence", .enabled(if: hasData))
    func errors() async throws {
        let geocoder = CLGeocoder()
        #expect(await Self.code { try await geocoder.geocodeAddressString("xqzzy") } == .geocodeFoundNoResult)
        #expect(await Self.code { try await geocoder.geocodeAddressString("") } == .geocodeFoundNoResult)
        #expect(
            await Self.code { try await geocoder.geocodeAddressString("Xqzzy, Germany") } == .geocodeFoundPartialResult)
        for (latitude, longitude) in [(Double.nan, 0.0), (91, 0), (0, 181), (0, -.infinity)] {
            let location = CLLocation(latitude: latitude, longitude: longitude)
            #expect(await Self.code { try await geocoder.reverseGeocodeLocation(location) } == .geocodeFoundNoResult)
        }
        for (text, words) in [("xqzzy", "\"xqzzy\""), ("Xqzzy, Germany", "Of \"Xqzzy, Germany\" only Germany")] {
            do {
                let english = Locale(identifier: "en")
                _ = try await geocoder.geocodeAddressString(text, in: nil, preferredLocale: english)
                Issue.record("found")
            } catch {
                #expect(error.localizedDescription.contains(words))
            }
        }
        do {
            _ = try await geocoder.geocodeAddressString(String(repeating: "Berlin ", count: 150_000))
            Issue.record("found")
        } catch {
            #expect(error.localizedDescription.contains("1050000 bytes"))
        }
    }

    @available(*, deprecated)
    @Test("An address dictionary is found", .enabled(if: hasData))
    func dictionary() throws {
        let device = try drive()
        let answers = Answers()
        device.use {
            let geocoder = CLGeocoder()
            for dictionary: [AnyHashable: Any] in [
                ["Street": "1 Infinite Loop", "City": "Cupertino", "State": "CA", "ZIP": "95014", "CountryCode": "US"],
                [:], ["City": 7], ["Country": "Germany", "City": "Munich", "SubAdministrativeArea": "Oberbayern"],
                ["CountryCode": "BO", "City": "La Paz"],
            ] {
                geocoder.geocodeAddressDictionary(dictionary) { answers.take($0, $1) }
                device.step()
            }
        }
        #expect(answers.all == ["Cupertino", "error 8", "error 8", "Munich", "La Paz"])
    }

    @available(*, deprecated)
    @Test("A code of a country alone finds the country", .enabled(if: hasData), arguments: ["DE", "BO", "us"])
    func countryCode(_ code: String) throws {
        let device = try drive()
        let found = Mutex<[String?]>([])
        device.use {
            CLGeocoder().geocodeAddressDictionary(["CountryCode": code]) { places, _ in
                let place = places?.first
                found.withLock { $0 = [place?.isoCountryCode, place?.locality] }
            }
            device.step()
        }
        #expect(found.withLock { $0 } == [code.uppercased(), nil])
    }

    @Test(
        "While a trace is played answers come among the other callbacks, never inside the call", .enabled(if: hasData))
    func playback() throws {
        let device = try drive()
        let answers = Answers()
        let home = munich
        device.use {
            let geocoder = CLGeocoder()
            #expect(!geocoder.isGeocoding)
            geocoder.reverseGeocodeLocation(home) { places, error in
                answers.take(places, error)
                // A request may be made by the answer of the one before.
                answers.add("busy \(geocoder.isGeocoding)")
                geocoder.geocodeAddressString("Vienna") { answers.take($0, $1) }
            }
            #expect(geocoder.isGeocoding)
            #expect(answers.all.isEmpty)
            device.play()
            #expect(!geocoder.isGeocoding)
        }
        #expect(answers.all == ["Munich", "busy false", "Vienna"])
    }

    @Test("A second request is turned down, and the first is answered", .enabled(if: hasData))
    func oneAtATime() throws {
        let device = try drive()
        let answers = Answers()
        let home = munich
        device.use {
            let geocoder = CLGeocoder()
            geocoder.reverseGeocodeLocation(home) { answers.take($0, $1) }
            geocoder.reverseGeocodeLocation(home) { answers.take($0, $1) }
            device.step()
        }
        #expect(answers.all.sorted() == ["Munich", "error 10"])
    }

    @Test("A request that is cancelled is answered once, and the next one takes its place", .enabled(if: hasData))
    func cancel() throws {
        let device = try drive()
        let answers = Answers()
        let home = munich
        device.use {
            let geocoder = CLGeocoder()
            geocoder.cancelGeocode()
            geocoder.reverseGeocodeLocation(home) { answers.take($0, $1) }
            geocoder.cancelGeocode()
            #expect(!geocoder.isGeocoding)
            geocoder.cancelGeocode()
            geocoder.geocodeAddressString("Vienna") { answers.take($0, $1) }
            device.play()
        }
        #expect(answers.all == ["error 10", "Vienna"])
    }

    @Test("A geocoder that goes away still answers", .enabled(if: hasData))
    func released() throws {
        let device = try drive()
        let answers = Answers()
        let home = munich
        device.use {
            CLGeocoder().reverseGeocodeLocation(home) { answers.take($0, $1) }
            device.play()
        }
        #expect(answers.all == ["Munich"])
    }

    @Test("On live hardware the answer comes on the main queue, once")
    func mainQueue() async throws {
        let device = try Drives.device([Drives.report(0, latitude: 48)], delivery: .asLive)
        let home = munich
        let isOnMain = await withCheckedContinuation { continuation in
            device.use {
                CLGeocoder().reverseGeocodeLocation(home) { _, _ in
                    continuation.resume(returning: Thread.isMainThread || MainThread.isCurrent)
                }
            }
        }
        #expect(isOnMain)
    }

    // MARK: A service of the program's own

    @Test("A service is asked in the place of the data, and its answer is shown whole", .enabled(if: hasData))
    func service() async throws {
        let service = Service()
        CLGeocoder.placeFinder = service
        var place = PlaceDescription(latitude: 1, longitude: 2)
        place.name = "Here"
        place.thoroughfare = "Main Street"
        place.areasOfInterest = ["Tower"]
        let answer = place
        service.answer(.success([answer]))
        let found = try await CLGeocoder().reverseGeocodeLocation(munich, preferredLocale: Locale(identifier: "de"))
        #expect(found.first?.thoroughfare == "Main Street")
        #expect(found.first?.areasOfInterest == ["Tower"])
        #expect(found.first?.region == nil)
        service.answer(.success([]))
        #expect(await Self.code { try await CLGeocoder().geocodeAddressString("Nowhere") } == .geocodeFoundNoResult)
        service.answer(.failure(CLError(.denied)))
        #expect(await Self.code { try await CLGeocoder().geocodeAddressString("Nowhere") } == .denied)
        service.answer(.failure(Outage()))
        #expect(await Self.code { try await CLGeocoder().geocodeAddressString("Nowhere") } == .network)
        #expect(service.asked.withLock { $0 }.prefix(2) == ["48.137 11.575 de", "Nowhere - 0.0"])
        // It belongs to this device, and can be taken back.
        CLGeocoder.placeFinder = nil
        #expect(try await CLGeocoder().reverseGeocodeLocation(munich).first?.locality == "Munich")
    }

    @Test("A request that a service keeps waiting can be cancelled, by the geocoder and by its task")
    func cancelService() async throws {
        let service = Service()
        CLGeocoder.placeFinder = service
        let home = munich
        let requests = CLGeocoder().requests
        let waiting = Task { try await requests.ask(.place(home, locale: nil)) }
        while service.asked.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(requests.isBusy)
        requests.cancel()
        #expect(await Self.code { try await waiting.value } == .geocodeCanceled)

        // The stream of a service ends with the task that waits for it.
        let second = Service()
        CLGeocoder.placeFinder = second
        let other = CLGeocoder().requests
        let task = Task { try await other.ask(.place(home, locale: nil)) }
        while second.asked.withLock({ $0.isEmpty }) { await Task.yield() }
        task.cancel()
        #expect(await Self.code { try await task.value } == .geocodeCanceled)
        #expect(!other.isBusy)

        let early = Task { () async throws -> [CLPlacemark] in
            while !Task.isCancelled { await Task.yield() }
            return try await CLGeocoder().reverseGeocodeLocation(home)
        }
        early.cancel()
        #expect(await Self.code { try await early.value } == .geocodeCanceled)
    }
}

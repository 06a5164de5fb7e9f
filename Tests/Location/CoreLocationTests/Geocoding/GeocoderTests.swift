// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import SimulatedDevice
import Synchronization
import Testing

@testable import CoreLocation

/// The answers of a geocoder in the order of their arrival.
private final class Answers: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }

    func receive(_ placemarks: [CLPlacemark]?, _ error: (any Error)?) {
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

/// A service that answers when the test allows it.
private final class Service: PlaceFinder, Sendable {
    private let gate: AsyncStream<Result<[PlaceDescription], any Error>>
    private let open: AsyncStream<Result<[PlaceDescription], any Error>>.Continuation
    let requests = Mutex<[String]>([])

    init() { (gate, open) = AsyncStream.makeStream() }

    func answer(_ result: Result<[PlaceDescription], any Error>) { open.yield(result) }

    private func wait(_ request: String) async throws -> [PlaceDescription] {
        requests.withLock { $0.append(request) }
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

@Suite("CLGeocoder", .simulated)
struct GeocoderTests {
    /// True if this build contains the place data.
    static var hasData: Bool {
        #if OfflinePlaces
        true
        #else
        false
        #endif
    }

    @Test("Without place data, the geocoder fails with an error that names the remedy", .enabled(if: !hasData))
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

    @Test("A placemark has an address, a time zone, a location and a region", .enabled(if: hasData))
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

    @Test("Placemarks name seas and lakes", .enabled(if: hasData))
    func water() async throws {
        let sea = try await CLGeocoder().reverseGeocodeLocation(CLLocation(latitude: 60.6, longitude: -81))
        #expect(sea.first?.ocean == "Hudson Bay")
        #expect(sea.first?.name == "Hudson Bay")
        #expect(sea.first?.country == nil && sea.first?.isoCountryCode == nil)
        let lake = try await CLGeocoder().reverseGeocodeLocation(CLLocation(latitude: 47.63, longitude: 9.37))
        #expect(lake.first?.inlandWater == "Lake Constance")
        #expect(lake.first?.isoCountryCode != nil)
    }

    @Test("A country is named in the requested language and can be found in it", .enabled(if: hasData))
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

    @Test("Countries are found by foreign names in any user language", .enabled(if: hasData))
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

    @Test("A place is found by name, preferably within a given region", .enabled(if: hasData))
    func forward() async throws {
        let geocoder = CLGeocoder()
        let cupertino = try await geocoder.geocodeAddressString("1 Infinite Loop, Cupertino, CA 95014")
        #expect(cupertino.first?.locality == "Cupertino")
        // The accuracy indicates that only the town was found.
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
        // An invalid circle is ignored.
        let odd = CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: .nan, identifier: "odd")
        #expect(try await geocoder.geocodeAddressString("Berlin", in: odd).first?.isoCountryCode == "DE")
    }

    @Test("Unknown places fail with Apple's error codes and a description", .enabled(if: hasData))
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
        let partial = "Only Germany was found for \"Xqzzy, Germany\""
        for (text, words) in [("xqzzy", "\"xqzzy\""), ("Xqzzy, Germany", partial)] {
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
    @Test("An address dictionary is geocoded", .enabled(if: hasData))
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
                geocoder.geocodeAddressDictionary(dictionary) { answers.receive($0, $1) }
                device.step()
            }
        }
        #expect(answers.all == ["Cupertino", "error 8", "error 8", "Munich", "La Paz"])
    }

    @available(*, deprecated)
    @Test("A country code alone finds the country", .enabled(if: hasData), arguments: ["DE", "BO", "us"])
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
        "During playback, answers are delivered between callbacks, never inside the call", .enabled(if: hasData))
    func playback() throws {
        let device = try drive()
        let answers = Answers()
        let home = munich
        try device.use {
            let geocoder = CLGeocoder()
            #expect(!geocoder.isGeocoding)
            geocoder.reverseGeocodeLocation(home) { places, error in
                answers.receive(places, error)
                // A completion handler may make another request.
                answers.add("busy \(geocoder.isGeocoding)")
                geocoder.geocodeAddressString("Vienna") { answers.receive($0, $1) }
            }
            #expect(geocoder.isGeocoding)
            #expect(answers.all.isEmpty)
            try device.play()
            #expect(!geocoder.isGeocoding)
        }
        #expect(answers.all == ["Munich", "busy false", "Vienna"])
    }

    @Test("A second concurrent request fails, and the first one is answered", .enabled(if: hasData))
    func oneAtATime() throws {
        let device = try drive()
        let answers = Answers()
        let home = munich
        device.use {
            let geocoder = CLGeocoder()
            geocoder.reverseGeocodeLocation(home) { answers.receive($0, $1) }
            geocoder.reverseGeocodeLocation(home) { answers.receive($0, $1) }
            device.step()
        }
        #expect(answers.all.sorted() == ["Munich", "error 10"])
    }

    @Test("A cancelled request is answered once, and another request can follow", .enabled(if: hasData))
    func cancel() throws {
        let device = try drive()
        let answers = Answers()
        let home = munich
        try device.use {
            let geocoder = CLGeocoder()
            geocoder.cancelGeocode()
            geocoder.reverseGeocodeLocation(home) { answers.receive($0, $1) }
            geocoder.cancelGeocode()
            #expect(!geocoder.isGeocoding)
            geocoder.cancelGeocode()
            geocoder.geocodeAddressString("Vienna") { answers.receive($0, $1) }
            try device.play()
        }
        #expect(answers.all == ["error 10", "Vienna"])
    }

    @Test("A released geocoder still answers", .enabled(if: hasData))
    func released() throws {
        let device = try drive()
        let answers = Answers()
        let home = munich
        try device.use {
            CLGeocoder().reverseGeocodeLocation(home) { answers.receive($0, $1) }
            try device.play()
        }
        #expect(answers.all == ["Munich"])
    }

    @Test("On live hardware, the answer is delivered once, on the main queue")
    func mainQueue() async throws {
        let device = try Drives.device([Drives.report(0, latitude: 48)], delivery: .asLive)
        let home = munich
        let isOnMain = await withCheckedContinuation { continuation in
            device.use {
                CLGeocoder().reverseGeocodeLocation(home) { _, _ in
                    continuation.resume(returning: Thread.isMainThread || MainQueueContext.isCurrent)
                }
            }
        }
        #expect(isOnMain)
    }

    // MARK: A service of the program's own

    @Test("An app's service replaces the place data, and its complete answer is returned", .enabled(if: hasData))
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
        #expect(service.requests.withLock { $0 }.prefix(2) == ["48.137 11.575 de", "Nowhere - 0.0"])
        // The service belongs to this device and can be removed.
        CLGeocoder.placeFinder = nil
        #expect(try await CLGeocoder().reverseGeocodeLocation(munich).first?.locality == "Munich")
    }

    @Test("A request to a slow service can be cancelled by the geocoder and by its task")
    func cancelService() async throws {
        let service = Service()
        CLGeocoder.placeFinder = service
        let home = munich
        let requests = CLGeocoder().requests
        let waiting = Task { try await requests.perform(.coordinate(home, locale: nil)) }
        while service.requests.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(requests.isBusy)
        requests.cancel()
        #expect(await Self.code { try await waiting.value } == .geocodeCanceled)

        // A service's stream ends with the task that awaits it.
        let second = Service()
        CLGeocoder.placeFinder = second
        let other = CLGeocoder().requests
        let task = Task { try await other.perform(.coordinate(home, locale: nil)) }
        while second.requests.withLock({ $0.isEmpty }) { await Task.yield() }
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

// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Testing

@Suite("CLError")
struct ErrorTests {
    /// The codes in numerical order.
    static let codes: [CLError.Code] = [
        CLError.locationUnknown, CLError.denied, CLError.network, CLError.headingFailure,
        CLError.regionMonitoringDenied, CLError.regionMonitoringFailure, CLError.regionMonitoringSetupDelayed,
        CLError.regionMonitoringResponseDelayed, CLError.geocodeFoundNoResult, CLError.geocodeFoundPartialResult,
        CLError.geocodeCanceled, CLError.deferredFailed, CLError.deferredNotUpdatingLocation,
        CLError.deferredAccuracyTooLow, CLError.deferredDistanceFiltered, CLError.deferredCanceled,
        CLError.rangingUnavailable, CLError.rangingFailure, CLError.promptDeclined, CLError.historicalLocationError,
    ]

    private func caughtDenied(_ error: any Error) -> Bool {
        do {
            throw error
        } catch CLError.denied {
            return true
        } catch {
            return false
        }
    }

    @Test("Codes are numbered 0 to 19")
    func numbers() {
        #expect(Self.codes.map(\.rawValue) == Array(0...19))
        #expect(CLError.Code(rawValue: 20) == nil)
        #expect(CLError.Code(rawValue: -1) == nil)
    }

    @Test("Code, domain and user information can be read back")
    func properties() {
        let error = CLError(.network, userInfo: ["a": 1])
        #expect(error.code == .network)
        #expect(error.errorCode == 2)
        #expect(error.userInfo["a"] as? Int == 1)
        #expect(error.errorUserInfo["a"] as? Int == 1)
        #expect(CLError.errorDomain == kCLErrorDomain)
        #expect(CLError(.denied).userInfo.isEmpty)
        #expect(error.alternateRegion == nil)
    }

    @Test("A code is a catch pattern for CLError and NSError")
    func catching() {
        #expect(caughtDenied(CLError(.denied)))
        #expect(caughtDenied(NSError(domain: kCLErrorDomain, code: 1)))
        #expect(!caughtDenied(CLError(.network)))
        #expect(!caughtDenied(NSError(domain: kCLErrorDomain, code: 2)))
        #expect(!caughtDenied(NSError(domain: NSCocoaErrorDomain, code: 1)))
        #expect(!caughtDenied(CocoaError(.fileNoSuchFile)))
    }

    @Test("A CLError is an NSError in its domain, with its code and user information")
    func toNSError() throws {
        let error: any Error = CLError(.denied, userInfo: ["a": 1])
        #expect((error as NSError).domain == kCLErrorDomain)
        #expect((error as NSError).code == 1)
        #expect((error as NSError).userInfo["a"] as? Int == 1)
        let dynamic = try #require((error as Any) as? NSError)
        #expect(dynamic.domain == kCLErrorDomain)
        #expect(CLError(.denied) as NSError == NSError(domain: kCLErrorDomain, code: 1))
        #expect(NSError(domain: kCLErrorDomain, code: 1) == CLError(.denied) as NSError)
        #expect(CLError(.denied) as NSError != NSError(domain: kCLErrorDomain, code: 2))
    }

    @Test("An NSError of the domain casts to CLError, and one of another domain does not", arguments: 0..<20)
    func fromNSError(code: Int) throws {
        let error: any Error = NSError(domain: kCLErrorDomain, code: code, userInfo: ["a": 1])
        let cast = try #require(error as? CLError)
        #expect(cast.code.rawValue == code)
        #expect(cast.userInfo["a"] as? Int == 1)
        #expect(NSError(domain: "other", code: code) as? CLError == nil)
    }

    @Test("An NSError with an unknown code stays an NSError", arguments: [-1, 20, Int.max, Int.min])
    func unknownCode(code: Int) {
        let error: any Error = NSError(domain: kCLErrorDomain, code: code)
        #expect(error as? CLError == nil)
        #expect(!caughtDenied(error))
        #expect(CLError._unconditionallyBridgeFromObjectiveC(error as NSError).code == .locationUnknown)
        #expect(CLError._unconditionallyBridgeFromObjectiveC(nil).code == .locationUnknown)
    }

    @Test("A typed catch matches an NSError of the domain")
    func typedCatch() {
        do {
            throw NSError(domain: kCLErrorDomain, code: 8)
        } catch let error as CLError {
            #expect(error.code == .geocodeFoundNoResult)
        } catch {
            Issue.record("not caught as CLError: \(error)")
        }
    }

    @Test("Codes are patterns in a switch over an error")
    func switching() {
        let error = CLError(.locationUnknown)
        switch error {
        case CLError.denied: Issue.record("wrong case")
        case CLError.locationUnknown: break
        default: Issue.record("no case")
        }
    }

    @Test("Errors are equal if their codes and user information are equal")
    func equality() {
        #expect(CLError(.denied) == CLError(.denied))
        #expect(CLError(.denied) != CLError(.network))
        #expect(CLError(.denied) != CLError(.denied, userInfo: ["a": 1]))
        #expect(CLError(.denied, userInfo: ["a": 1]) == CLError(.denied, userInfo: ["a": 1]))
        #expect(Set([CLError(.denied), CLError(.denied), CLError(.network)]).count == 2)
        #expect(NSError(domain: kCLErrorDomain, code: 1) as? CLError == CLError(.denied))
    }

    @Test("Each code has a unique description", arguments: codes)
    func descriptions(code: CLError.Code) {
        let sentence = CLError(code).localizedDescription
        #expect(sentence.hasSuffix("."))
        #expect(sentence.count > 20)
        #expect((CLError(code) as any Error).localizedDescription == sentence)
        #expect((CLError(code) as NSError).localizedDescription == sentence)
        #expect(Self.codes.filter { CLError($0).localizedDescription == sentence } == [code])
    }

    @Test("A description in the user information takes precedence over the default one")
    func givenDescription() {
        let error = CLError(.locationUnknown, userInfo: [NSLocalizedDescriptionKey: "No fix: the antenna is off."])
        #expect(error.localizedDescription == "No fix: the antenna is off.")
        #expect((error as any Error).localizedDescription == "No fix: the antenna is off.")
        #expect((error as NSError).localizedDescription == "No fix: the antenna is off.")
    }

    @Test("The alternate region is read from the user information")
    func alternateRegion() {
        let region = CLCircularRegion(center: .init(), radius: 1, identifier: "near")
        let error = CLError(.regionMonitoringResponseDelayed, userInfo: [kCLErrorUserInfoAlternateRegionKey: region])
        #expect(error.alternateRegion === region)
        #expect(CLError(.denied, userInfo: [kCLErrorUserInfoAlternateRegionKey: 3]).alternateRegion == nil)
    }

    @Test("An error can be archived as NSError")
    func archive() throws {
        let error = CLError(.headingFailure) as NSError
        let data = try NSKeyedArchiver.archivedData(withRootObject: error, requiringSecureCoding: true)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSError.self, from: data))
        #expect((read as? CLError)?.code == .headingFailure)
        #expect(type(of: read) == NSError.self)
    }

    @Test("An error can be an element of a set of NSError")
    func hashing() {
        let errors: Set<NSError> = [
            CLError(.denied) as NSError, CLError(.denied) as NSError, CLError(.network) as NSError,
        ]
        #expect(errors.count == 2)
    }

    @Test("A conversion to NSError and back preserves an error")
    func roundTrip() {
        let error = CLError(.promptDeclined, userInfo: ["a": "b"])
        #expect((error as NSError) as? CLError == error)
    }
}

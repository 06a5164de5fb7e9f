// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import DeviceCore
import Foundation
import JSONBytes

/// Prints each callback as one JSON object on a line of its own.
final class JSONCallbackPrinter: CallbackPrinter {
    private let output: StandardOutput
    private var writer = JSONWriter()

    init(output: StandardOutput) {
        self.output = output
    }

    func print(_ locations: [CLLocation]) {
        begin("didUpdateLocations")
        writer.key("locations")
        writer.beginArray()
        for location in locations { write(location) }
        writer.endArray()
        end()
    }

    func print(_ error: any Error) {
        let wrapped = error as NSError
        let locationError = error as? CLError
        begin("didFailWithError")
        writer.key("error")
        writer.beginObject()
        writer.key("domain")
        writer.string(wrapped.domain)
        writer.key("code")
        writer.int(wrapped.code)
        writer.key("name")
        if let code = locationError?.code { writer.string("\(code)") } else { writer.null() }
        writer.key("reason")
        writer.string(error.reason)
        writer.endObject()
        end()
    }

    func print(_ status: CLAuthorizationStatus, accuracy: CLAccuracyAuthorization) {
        begin("didChangeAuthorization")
        writer.key("status")
        writer.string(status.name)
        writer.key("accuracy")
        writer.string(accuracy.name)
        end()
    }

    private func begin(_ callback: String) {
        writer.removeAll()
        writer.beginObject()
        writer.key("callback")
        writer.string(callback)
    }

    private func end() {
        writer.endObject()
        writer.newline()
        output.write(writer.bytes)
    }

    private func write(_ location: CLLocation) {
        writer.beginObject()
        writer.key("timestamp")
        writer.string(CivilDate(location.time).timestamp)
        writer.key("latitude")
        writer.double(location.coordinate.latitude)
        writer.key("longitude")
        writer.double(location.coordinate.longitude)
        // Not the properties: they are 0 when the receiver gave no altitude.
        writer.key("altitude")
        writer.double(location.altitudeAboveSeaLevel ?? .nan)
        writer.key("ellipsoidalAltitude")
        writer.double(location.altitudeAboveEllipsoid ?? .nan)
        writer.key("horizontalAccuracy")
        writer.double(location.horizontalAccuracy)
        writer.key("verticalAccuracy")
        writer.double(location.verticalAccuracy)
        writer.key("speed")
        writer.double(location.speed)
        writer.key("speedAccuracy")
        writer.double(location.speedAccuracy)
        writer.key("course")
        writer.double(location.course)
        writer.key("courseAccuracy")
        writer.double(location.courseAccuracy)
        writer.endObject()
    }
}

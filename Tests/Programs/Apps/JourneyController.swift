// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import CoreMotion
import ExternalAccessory

/// A program as written for iOS, without its views, that uses all frameworks at once. It shows locations,
/// accelerations, and the messages of an attached scale.
public class JourneyController: NSObject, CLLocationManagerDelegate, StreamDelegate {
    let locationManager = CLLocationManager()
    let motionManager = CMMotionManager()
    let accessoryManager = EAAccessoryManager.shared()
    private var session: EASession?
    private var received = Data()
    private var observers: [NSObjectProtocol] = []
    /// Prints a line. A test may replace it.
    public var show: (String) -> Void = { text in
        print(text)
        fflush(nil)
    }

    /// Creates a controller that has not started anything.
    public override init() { super.init() }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    /// Starts all updates.
    public func viewDidLoad() {
        locationManager.delegate = self
        locationManager.desiredAccuracy = kCLLocationAccuracyBest
        locationManager.startUpdatingLocation()
        motionManager.accelerometerUpdateInterval = 0.005
        motionManager.startAccelerometerUpdates(to: .main) { [weak self] data, error in
            if let value = data?.acceleration {
                self?.show(String(format: "acceleration %.9f %.9f %.9f", value.x, value.y, value.z))
            }
        }
        let center = NotificationCenter.default
        observers = [
            center.addObserver(forName: .EAAccessoryDidConnect, object: accessoryManager, queue: nil) {
                [weak self] note in
                self?.open(note.userInfo?[EAAccessoryKey] as? EAAccessory)
            },
            center.addObserver(forName: .EAAccessoryDidDisconnect, object: accessoryManager, queue: nil) {
                [weak self] note in
                self?.show("disconnected \((note.userInfo?[EAAccessoryKey] as? EAAccessory)?.name ?? "")")
                self?.close()
            },
        ]
        accessoryManager.registerForLocalNotifications()
        open(accessoryManager.connectedAccessories.first)
    }

    /// Shows the location.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            let place = location.coordinate
            show(
                String(
                    format: "location %.7f %.7f %.3f %.3f", place.latitude, place.longitude, location.speed,
                    location.course))
        }
    }

    /// Shows that the location is unknown.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
        show("location failed: \((error as NSError).code)")
    }

    private func open(_ accessory: EAAccessory?) {
        guard let accessory = accessory, session == nil, let name = accessory.protocolStrings.first else { return }
        show("connected \(accessory.name)")
        session = EASession(accessory: accessory, forProtocol: name)
        for stream in [session?.inputStream as Stream?, session?.outputStream] {
            stream?.delegate = self
            stream?.schedule(in: .current, forMode: .default)
            stream?.open()
        }
        let question = Array("ID?\r\n".utf8)
        _ = session?.outputStream?.write(question, maxLength: question.count)
    }

    private func close() {
        for stream in [session?.inputStream as Stream?, session?.outputStream] {
            stream?.close()
            stream?.remove(from: .current, forMode: .default)
            stream?.delegate = nil
        }
        session = nil
    }

    /// Shows a message of the scale.
    public func stream(_ stream: Stream, handle eventCode: Stream.Event) {
        guard eventCode == .hasBytesAvailable, let input = session?.inputStream else { return }
        var buffer = [UInt8](repeating: 0, count: 256)
        while input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: buffer.count)
            if count <= 0 { break }
            received.append(contentsOf: buffer[..<count])
        }
        while let end = received.firstIndex(of: 10) {
            show(
                "said \(String(decoding: received[..<end], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))"
            )
            received = Data(received[(end + 1)...])
        }
    }
}

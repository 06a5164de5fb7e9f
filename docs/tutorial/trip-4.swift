import CoreLocation
import CoreMotion

final class Trip: NSObject, CLLocationManagerDelegate {
    private(set) var distance: CLLocationDistance = 0
    private(set) var losses = 0
    private var last: CLLocation?
    private let manager = CLLocationManager()
    private let motionManager = CMMotionManager()

    func start() {
        manager.delegate = self
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()

        motionManager.deviceMotionUpdateInterval = 0.1
        motionManager.startDeviceMotionUpdates()
    }

    /// The current horizontal acceleration of the device without gravity, in g.
    var shove: Double {
        guard let acceleration = motionManager.deviceMotion?.userAcceleration else { return 0 }
        return hypot(acceleration.x, acceleration.y)
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations where (0...20).contains(location.horizontalAccuracy) {
            distance += last.map { location.distance(from: $0) } ?? 0
            last = location
            print(String(format: "%.0f m, %.2f g", distance, shove))
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        losses += 1
        print(error.localizedDescription)
    }
}

import CoreLocation

final class Trip: NSObject, CLLocationManagerDelegate {
    private(set) var distance: CLLocationDistance = 0
    private(set) var losses = 0
    private var last: CLLocation?
    private let manager = CLLocationManager()

    func start() {
        manager.delegate = self
        manager.requestWhenInUseAuthorization()
        manager.startUpdatingLocation()
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations where (0...20).contains(location.horizontalAccuracy) {
            distance += last.map { location.distance(from: $0) } ?? 0
            last = location
            print(String(format: "%.0f m", distance))
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        losses += 1
        print(error.localizedDescription)
    }
}

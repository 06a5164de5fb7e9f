// swift-tools-version: 6.2
import PackageDescription

let deviceServices = "swift-device-services"
let coreLocation: Target.Dependency = .product(name: "CoreLocation", package: deviceServices)
let coreMotion: Target.Dependency = .product(name: "CoreMotion", package: deviceServices)
let externalAccessory: Target.Dependency = .product(name: "ExternalAccessory", package: deviceServices)
let sensorFusion: Target.Dependency = .product(name: "SensorFusion", package: deviceServices)
let mqttPublisher: Target.Dependency = .product(name: "MQTTPublisher", package: deviceServices)

// An example is a library, which the tests use, and a program of a few lines.
func example(
    _ library: String, program: String, _ dependencies: [Target.Dependency]
) -> [Target] {
    [
        .target(name: library, dependencies: dependencies),
        .executableTarget(name: program, dependencies: [.byName(name: library)] + dependencies),
    ]
}

let package = Package(
    name: "examples",
    traits: [
        // Disabled by default, as in the parent package, because the other examples need no MQTT.
        .trait(name: "LibMosquitto", description: "Lets mqtt-tracker reach brokers; needs libmosquitto-dev.")
    ],
    dependencies: [
        .package(
            name: deviceServices, path: "..",
            traits: [.defaults, .trait(name: "LibMosquitto", condition: .when(traits: ["LibMosquitto"]))])
    ],
    targets: example("GPSLogger", program: "gps-logger", [coreLocation])
        + example("BubbleLevel", program: "bubble-level", [coreMotion, sensorFusion])
        + example("BoardCompass", program: "board-compass", [coreLocation])
        + example("GeofenceAlarm", program: "geofence-alarm", [coreLocation])
        + example("BarcodeScanner", program: "barcode-scanner", [externalAccessory])
        + example("SensorModel", program: "sensor-model", [coreLocation, coreMotion])
        + example("MQTTTracker", program: "mqtt-tracker", [coreLocation, mqttPublisher])
        + [
            // The same source through a symbolic link, in the other language mode.
            .target(
                name: "SensorModelSwift5", dependencies: [coreLocation, coreMotion],
                swiftSettings: [.swiftLanguageMode(.v5)]),
            .testTarget(
                name: "ExampleTests",
                dependencies: [
                    "GPSLogger", "BubbleLevel", "BoardCompass", "GeofenceAlarm", "BarcodeScanner", "MQTTTracker",
                    "SensorModel", coreLocation, coreMotion, externalAccessory, mqttPublisher,
                    .product(name: "SimulatedDevice", package: deviceServices),
                    .product(name: "SimulatedServers", package: deviceServices),
                    .product(name: "TraceFormats", package: deviceServices),
                ]),
        ]
)

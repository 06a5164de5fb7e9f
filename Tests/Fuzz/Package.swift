// swift-tools-version: 6.2
import PackageDescription

// Built by run.sh only: it adds the sanitizers that libFuzzer needs.
let package = Package(
    name: "fuzz",
    products: [
        .library(name: "FuzzGPSD", type: .static, targets: ["FuzzGPSD"]),
        .library(name: "FuzzAccessories", type: .static, targets: ["FuzzAccessories"]),
        .library(name: "FuzzIIO", type: .static, targets: ["FuzzIIO"]),
    ],
    dependencies: [.package(name: "swift-device-services", path: "../..")],
    targets: [
        .target(
            name: "FuzzGPSD",
            dependencies: [
                .product(name: "GPSDProtocol", package: "swift-device-services"),
                .product(name: "JSONBytes", package: "swift-device-services"),
            ]
        ),
        .target(
            name: "FuzzAccessories", dependencies: [.product(name: "UdevSource", package: "swift-device-services")]),
        .target(name: "FuzzIIO", dependencies: [.product(name: "IIOFormat", package: "swift-device-services")]),
    ]
)

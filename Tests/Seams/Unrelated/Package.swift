// swift-tools-version: 6.2
import PackageDescription

// Like many published packages: it offers something for Core Location where there is one, and depends on nothing.
let package = Package(
    name: "Unrelated",
    products: [.library(name: "Unrelated", targets: ["Unrelated"])],
    targets: [.target(name: "Unrelated")]
)

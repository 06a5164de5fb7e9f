// SPDX-License-Identifier: Apache-2.0

import DeviceCore
import Testing

@testable import DeviceSupport

@Suite("Machine identity")
struct IdentityTests {
    private static let id = "0123456789abcdef0123456789abcdef"

    private static func read(_ folder: TemporaryFolder) -> MachineIdentity {
        MachineIdentity.read(
            root: folder.path, hostName: "board", kernelVersion: "6.1.0-18-arm64", vendor: "org.example")
    }

    @Test("The model of a board is read from its device tree")
    func board() throws {
        let folder = try TemporaryFolder()
        try folder.write("Raspberry Pi 4 Model B Rev 1.4\0", to: "proc/device-tree/model")
        try folder.write("PC\n", to: "sys/class/dmi/id/product_name")
        try folder.write(
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n",
            to: "etc/os-release")
        try folder.write(Self.id + "\n", to: "etc/machine-id")
        let identity = Self.read(folder)
        #expect(identity.name == "board")
        #expect(identity.model == "Raspberry Pi 4 Model B Rev 1.4")
        #expect(identity.systemName == "Debian GNU/Linux")
        #expect(identity.systemVersion == "12")
        // Computed with Python: the first 16 bytes of hmac.new(bytes.fromhex(id), b"org.example", hashlib.sha256), as a
        // version 4 UUID.
        #expect(identity.vendorIdentifier?.uuidString == "F41E5B0B-E1CB-4265-A0B2-9BF10475F2CE")
    }

    @Test("The model of a PC is read from its firmware unless the vendor left the placeholder")
    func computer() throws {
        let folder = try TemporaryFolder()
        try folder.write("ThinkPad X1\n", to: "sys/class/dmi/id/product_name")
        #expect(Self.read(folder).model == "ThinkPad X1")
        try folder.write("To be filled by O.E.M.\n", to: "sys/class/dmi/id/product_name")
        #expect(Self.read(folder).model == "Linux")
    }

    @Test("Without system files, the system is Linux with the kernel version and has no vendor identifier")
    func nothing() throws {
        let folder = try TemporaryFolder()
        let identity = Self.read(folder)
        #expect(identity.model == "Linux")
        #expect(identity.systemName == "Linux")
        #expect(identity.systemVersion == "6.1.0-18-arm64")
        #expect(identity.vendorIdentifier == nil)
        try folder.write("NAME=Arch\n", to: "etc/os-release")
        #expect(Self.read(folder).systemName == "Linux")
    }

    @Test(
        "An invalid machine ID yields no vendor identifier",
        arguments: [
            "", "uninitialized\n", "0123\n", "00000000000000000000000000000000\n", "0123456789abcdef0123456789abcdeg\n",
            "+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1\n",
        ])
    func noID(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "etc/machine-id")
        #expect(Self.read(folder).vendorIdentifier == nil)
        try folder.write(Self.id + "\n", to: "var/lib/dbus/machine-id")
        #expect(Self.read(folder).vendorIdentifier != nil)
    }

    @Test("Programs of one vendor share the vendor identifier, and programs of other vendors have different ones")
    func vendors() {
        let machine: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef]
        let one = VendorIdentifier.vendor(bundleIdentifier: "org.example.one", program: "one")
        let two = VendorIdentifier.vendor(bundleIdentifier: "org.example.two", program: "two")
        #expect(one == "org.example")
        #expect(one == two)
        #expect(VendorIdentifier.vendor(bundleIdentifier: nil, program: "one") == "one")
        #expect(VendorIdentifier.vendor(bundleIdentifier: "one", program: "program") == "program")
        // Computed with Python, as above.
        #expect(
            VendorIdentifier.make(machine: machine + machine, vendor: "org.other").uuidString
                == "0060244C-33F9-4C33-91A3-094D59788AB0")
    }

    @Test(
        "The hash equals SHA-256 for messages of different lengths",
        arguments: [
            // Computed with Python: hashlib.sha256(b"a" * n).hexdigest()
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
            (120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
            (1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func hash(count: Int, expected: String) {
        #expect(Self.text(SHA256.hash([UInt8](repeating: 0x61, count: count))) == expected)
    }

    @Test("The HMAC matches RFC 4231, test cases 2 and 6")
    func authentication() {
        #expect(
            Self.text(SHA256.authenticate(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            Self.text(
                SHA256.authenticate(
                    Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                    key: [UInt8](repeating: 0xaa, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("A simulated device does not reveal the identity of the machine")
    func simulated() {
        let device = UIDeviceBench().use { UIDevice.current }
        #expect(device.name == "bench")
        #expect(device.model == "Simulated Device")
        #expect(device.localizedModel == device.model)
        #expect(device.systemName == "Linux")
        #expect(device.systemVersion == "0")
        // Computed with Python: the key is b"bench", the message b"simulated".
        #expect(device.identifierForVendor?.uuidString == "EA603D83-45C4-4953-ABAB-5826BAF810C2")
    }

    @Test("The live machine has a name, a model and a system")
    func live() {
        let identity = MachineIdentity.live()
        #expect(!identity.name.isEmpty)
        #expect(!identity.model.isEmpty)
        #expect(!identity.systemName.isEmpty)
        #expect(!identity.systemVersion.isEmpty)
    }

    @Test("Unsupported features of UIDevice are reported as unavailable")
    func absent() {
        let device = UIDeviceBench().use { UIDevice.current }
        device.isProximityMonitoringEnabled = true
        #expect(!device.isProximityMonitoringEnabled)
        #expect(!device.proximityState)
        #expect(device.isMultitaskingSupported)
        #expect(device.userInterfaceIdiom == .unspecified)
        let idioms: [UIUserInterfaceIdiom] = [.unspecified, .phone, .pad, .tv, .carPlay, .mac, .vision]
        #expect(idioms.map(\.rawValue) == [-1, 0, 1, 2, 3, 5, 6])
    }
}

// SPDX-License-Identifier: Apache-2.0

package import SystemCalls

/// Addresses for socket calls.
package enum LoopbackAddress {
    /// Returns the loopback address with this port.
    package static func of(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

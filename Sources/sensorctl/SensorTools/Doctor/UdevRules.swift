// This source file is part of the swift-device-services project.
// SPDX-License-Identifier: Apache-2.0

/// The rules for udev that this package brings along.
package enum UdevRules {
    /// The name to install them under.
    package static let fileName = "65-external-accessory.rules"

    /// The same text as Sources/Accessories/UdevSource/udev/65-external-accessory.rules, which is not beside the installed program.
    package static let text = #"""
        # This source file is part of the swift-device-services project.
        # SPDX-License-Identifier: Apache-2.0
        #
        # Accessories: who may open them, and who is to leave them alone. Install as
        # /etc/udev/rules.d/65-external-accessory.rules; README.md beside this file says more.
        #
        # The number matters. 60-serial.rules, which finds ID_USB_INTERFACE_NUM, has to come before; 69-libmtp.rules, which
        # probes devices, 73-seat-late.rules, which carries out "uaccess", and ModemManager's rules (77, 80) after.
        #
        # Which protocols a device speaks is said in a file of your own that comes before this one, such as
        # /etc/udev/rules.d/62-my-accessories.rules:
        #
        #   # One protocol, for the serial port of every device of that vendor and product.
        #   SUBSYSTEM=="tty", ATTRS{idVendor}=="1209", ATTRS{idProduct}=="0001", \
        #       ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.thermoprobe"
        #   # Another for each interface of a device that has two serial ports.
        #   SUBSYSTEM=="tty", ATTRS{idVendor}=="1209", ATTRS{idProduct}=="0004", ENV{ID_USB_INTERFACE_NUM}=="00", \
        #       ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.lab.data"
        #   SUBSYSTEM=="tty", ATTRS{idVendor}=="1209", ATTRS{idProduct}=="0004", ENV{ID_USB_INTERFACE_NUM}=="02", \
        #       ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.lab.console,com.example.lab.update"
        #   # A converter without serial number, told from its twin by the port that it is plugged into.
        #   SUBSYSTEM=="tty", KERNELS=="1-5.2", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.bench2"
        #   # A serial port on the board, with a name for people.
        #   KERNEL=="ttyAMA1", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}="com.example.panel", ENV{EXTERNAL_ACCESSORY_NAME}="Panel"
        #   # ModemManager and mtp-probe look at the whole device, before its serial ports exist.
        #   SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="1209", ATTR{idProduct}=="0001", \
        #       ENV{EXTERNAL_ACCESSORY}="1"

        ACTION=="remove", GOTO="external_accessory_end"
        SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", GOTO="external_accessory_device"
        # The hardware database gives protocols to interfaces; the nodes take them over, some through a device in between.
        SUBSYSTEM=="usb-serial|hid", SUBSYSTEMS=="usb", IMPORT{parent}="EXTERNAL_ACCESSORY_PROTOCOLS"
        SUBSYSTEM!="tty|hidraw", GOTO="external_accessory_end"
        SUBSYSTEMS=="usb", ENV{EXTERNAL_ACCESSORY_PROTOCOLS}=="", IMPORT{parent}="EXTERNAL_ACCESSORY_PROTOCOLS"

        # An interface whose string is a name in reverse DNS: the accessory tells its protocol by itself.
        SUBSYSTEMS=="usb", ATTRS{interface}=="[a-z][a-z]*.?*", ATTRS{interface}!="* *", ENV{EXTERNAL_ACCESSORY}="1"
        ENV{EXTERNAL_ACCESSORY_PROTOCOLS}=="?*", ENV{EXTERNAL_ACCESSORY}="1"
        ENV{EXTERNAL_ACCESSORY}!="1", GOTO="external_accessory_end"
        ENV{ID_MM_PORT_IGNORE}="1"
        GOTO="external_accessory_open"

        LABEL="external_accessory_device"
        # An interface of class FF, subclass F0 and protocol 01 is a stream of an accessory.
        ENV{ID_USB_INTERFACES}=="*:fff001:*", ENV{EXTERNAL_ACCESSORY}="1"
        ENV{EXTERNAL_ACCESSORY_PROTOCOLS}=="?*", ENV{EXTERNAL_ACCESSORY}="1"
        ENV{EXTERNAL_ACCESSORY}!="1", GOTO="external_accessory_end"
        ENV{ID_MM_DEVICE_IGNORE}="1", ENV{MTP_NO_PROBE}="1"

        LABEL="external_accessory_open"
        TAG+="external-accessory", GROUP="dialout", MODE="0660"

        # On a machine where people log in at a screen, whoever sits there may open it as well:
        # TAG+="uaccess"

        # Starts a program when an accessory is attached: external-accessory@.service, with the device's path in sysfs for its
        # instance. README.md has the unit.
        # TAG+="systemd", ENV{SYSTEMD_WANTS}+="external-accessory@.service"

        LABEL="external_accessory_end"

        """#
}

// SPDX-License-Identifier: Apache-2.0

// Does the work of UdevMonitor with libudev: keeps the record of each device for which a message arrives.
//
//     udev_client COUNT                 CPU time for each of COUNT messages about terminals
//     udev_client start SUBSYSTEM...    the time until all devices of these subsystems are known

#include <libudev.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double cpu(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6 + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

struct record {
    char *parts[600];
    int count;
};

static void keep(struct record *record, const char *text) {
    if (text && record->count < 600) record->parts[record->count++] = strdup(text);
}

static void forget(struct record *record) {
    for (int i = 0; i < record->count; i++) free(record->parts[i]);
    record->count = 0;
}

static void read_record(struct record *record, struct udev_device *device) {
    forget(record);
    keep(record, udev_device_get_syspath(device));
    keep(record, udev_device_get_subsystem(device));
    keep(record, udev_device_get_devtype(device));
    keep(record, udev_device_get_devnode(device));
    udev_device_get_is_initialized(device);
    struct udev_list_entry *entry;
    udev_list_entry_foreach(entry, udev_device_get_properties_list_entry(device)) {
        keep(record, udev_list_entry_get_name(entry));
        keep(record, udev_list_entry_get_value(entry));
    }
    keep(record, udev_device_get_sysattr_value(device, "dev"));
    struct udev_device *above = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_interface");
    if (above) keep(record, udev_device_get_sysattr_value(above, "interface"));
    above = udev_device_get_parent_with_subsystem_devtype(device, "usb", "usb_device");
    if (above) keep(record, udev_device_get_sysattr_value(above, "serial"));
}

// Reads all devices of these subsystems. Returns their number.
static int scan(struct udev *udev, char **subsystems) {
    static struct record records[8192];
    struct udev_enumerate *list = udev_enumerate_new(udev);
    for (; *subsystems; subsystems++) udev_enumerate_add_match_subsystem(list, *subsystems);
    udev_enumerate_scan_devices(list);
    int count = 0;
    struct udev_list_entry *entry;
    udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(list)) {
        struct udev_device *device = udev_device_new_from_syspath(udev, udev_list_entry_get_name(entry));
        if (!device || count >= 8192) continue;
        read_record(&records[count++], device);
        udev_device_unref(device);
    }
    udev_enumerate_unref(list);
    return count;
}

int main(int argc, char **argv) {
    const bool is_start = argc > 1 && strcmp(argv[1], "start") == 0;
    char *terminals[] = {"tty", NULL};
    char **subsystems = is_start ? argv + 2 : terminals;
    const double began = now(), used = cpu();
    struct udev *udev = udev_new();
    struct udev_monitor *monitor = udev_monitor_new_from_netlink(udev, "udev");
    for (char **one = subsystems; *one; one++) udev_monitor_filter_add_match_subsystem_devtype(monitor, *one, NULL);
    udev_monitor_enable_receiving(monitor);
    const int count = scan(udev, subsystems);
    if (is_start) {
        printf("{\"devices\":%d,\"ms\":%.3f,\"cpu_ms\":%.3f}\n", count, (now() - began) / 1e3, (cpu() - used) / 1e3);
        return 0;
    }
    const long wanted = argc > 1 ? atol(argv[1]) : 20000;
    printf("ready\n");
    fflush(stdout);
    static struct record records[64];
    struct pollfd state = {udev_monitor_get_fd(monitor), POLLIN, 0};
    const double start = cpu();
    long seen = 0;
    while (seen < wanted && poll(&state, 1, 60000) > 0) {
        struct udev_device *device;
        while (seen < wanted && (device = udev_monitor_receive_device(monitor))) {
            const char *action = udev_device_get_action(device), *name = udev_device_get_sysname(device);
            struct record *record = &records[atoi(name + 3) % 64];
            if (strcmp(action, "remove") == 0) forget(record); else read_record(record, device);
            udev_device_unref(device);
            seen++;
        }
    }
    printf("{\"events\":%ld,\"cpu_us_per_event\":%.3f}\n", seen, (cpu() - start) / (double)seen);
    return seen == wanted ? 0 : 1;
}

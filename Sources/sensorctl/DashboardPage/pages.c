// SPDX-License-Identifier: Apache-2.0

#include "DashboardPage.h"

#define PAGE_FILE(symbol, name, type) \
    extern const unsigned char device_services_page_##symbol[] __attribute__((visibility("hidden"))); \
    extern const unsigned char device_services_page_end_##symbol[] __attribute__((visibility("hidden")));
#include "files.inc"
#undef PAGE_FILE

#define PAGE_FILE(symbol, name, type) \
    {name, type, device_services_page_##symbol, device_services_page_end_##symbol},
static const DashboardPageFile files[] = {
#include "files.inc"
};

long DashboardPage_count(void) { return sizeof files / sizeof *files; }

const DashboardPageFile *DashboardPage_files(void) { return files; }

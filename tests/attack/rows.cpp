// The table.
#include "attack.hpp"

#include <algorithm>
#include <cstring>

namespace attack {

Rows const& all_rows() {
    static Rows const rows = [] {
        Rows out;
        for (auto* const part : {file_rows, metadata_rows, set_uid_rows, mount_rows, device_rows, process_rows,
                                 memory_access_rows, ipc_rows, terminal_rows, namespace_rows, kernel_rows, network_rows,
                                 packet_rows, unix_socket_rows, resource_rows, memory_rows})
            for (auto const& row : part()) out.push_back(row);
        static constexpr char const* order[] = {"files", "processes", "kernel", "network", "resources"};
        auto const place = [](Row const& row) {
            return std::find_if(std::begin(order), std::end(order),
                                [&](char const* group) { return std::strcmp(group, row.group) == 0; });
        };
        std::stable_sort(out.begin(), out.end(), [&](Row const& a, Row const& b) { return place(a) < place(b); });
        return out;
    }();
    return rows;
}

Row const* find_row(std::string_view name) {
    auto const& rows = all_rows();
    auto const found = std::find_if(rows.begin(), rows.end(), [&](Row const& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

} // namespace attack

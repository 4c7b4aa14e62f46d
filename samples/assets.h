// Files that come with the application.
#pragma once
#include <string>
#include <string_view>

namespace tapescope {

// The folder of that name among the assets: beside an installed or a built application, else in the source
// tree. Where none exists the last place looked at is returned, for the caller's message.
std::string asset_folder(std::string_view name);

}  // namespace tapescope

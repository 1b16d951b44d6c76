# find_package(pfar-plugin): the target pfar::plugin and the function pfar_add_plugin().
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.81)
include(${CMAKE_CURRENT_LIST_DIR}/pfar-plugin-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/pfar-add-plugin.cmake)

# pfar_add_plugin(NAME SOURCES file... [LIBRARIES target...] [TESTS file...])
#
# Builds NAME.so, a plugin of its own: hidden symbols but for the one that the host looks for. In pfar's tree it lands with the
# shipped ones, elsewhere in the build directory. PFAR_PLUGIN stands in plugin.cpp. TESTS are Catch2 files; they are linked with all SOURCES
# but that one.
function(pfar_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;TESTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pfar_add_plugin(${name}): what is ${arg_UNPARSED_ARGUMENTS}? It takes SOURCES, LIBRARIES and TESTS.")
  endif()

  # The plugin's parts are compiled once, for the plugin and for its tests; its entry is the plugin's alone.
  set(parts ${arg_SOURCES})
  list(FILTER parts EXCLUDE REGEX "plugin\\.cpp$")
  list(FILTER arg_SOURCES INCLUDE REGEX "plugin\\.cpp$")
  add_library(${name}-parts OBJECT ${parts})
  add_library(${name} MODULE ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so")
  set_target_properties(${name} ${name}-parts PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name}-parts PUBLIC pfar::plugin ${arg_LIBRARIES})
  target_link_libraries(${name} PRIVATE ${name}-parts)

  if(TARGET pfar-flags) # in pfar's own tree
    target_link_libraries(${name} PRIVATE pfar-flags)
    target_link_libraries(${name}-parts PRIVATE pfar-flags)
    # An unresolved symbol is found when the plugin is linked, not when somebody loads it. (Sanitizers leave theirs open.)
    if(NOT PFAR_SANITIZE)
      target_link_options(${name} PRIVATE -Wl,-z,defs)
    endif()
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PFAR_PLUGIN_OUTPUT})
    install(TARGETS ${name} LIBRARY DESTINATION lib/pfar/plugins)
  else()
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  endif()

  if(arg_TESTS AND BUILD_TESTING)
    find_package(Catch2 3 REQUIRED)
    add_executable(${name}-tests ${arg_TESTS})
    target_include_directories(${name}-tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_options(${name}-tests PRIVATE -O0 -include pfar/testing.hpp)
    target_link_libraries(${name}-tests PRIVATE ${name}-parts)
    if(TARGET pfar-flags)
      target_link_libraries(${name}-tests PRIVATE pfar-flags pfar-test-main)
    else()
      target_link_libraries(${name}-tests PRIVATE Catch2::Catch2WithMain)
    endif()
    add_test(NAME ${name} COMMAND ${name}-tests)
  endif()
endfunction()

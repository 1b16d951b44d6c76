// PFAR_ABI: what must be equal on both sides before a C++ object may cross from a plugin to the host.
//
// Compiler ABI, library ABI, Boost version, sanitizer. A string literal, so that it can stand in an ELF note.
#pragma once

#include <boost/version.hpp>

#include <string> // defines the standard library's own version macros

#define PFAR_TEXT_(x) #x
#define PFAR_TEXT(x) PFAR_TEXT_(x)

#if defined(__clang__)
#define PFAR_ABI_COMPILER "clang-itanium" PFAR_TEXT(__GXX_ABI_VERSION)
#elif defined(__GXX_ABI_VERSION)
#define PFAR_ABI_COMPILER "gcc-itanium" PFAR_TEXT(__GXX_ABI_VERSION)
#else
#error "pfar plugins need a compiler with the Itanium C++ ABI (g++ or clang++)"
#endif

#if defined(_LIBCPP_ABI_VERSION)
#define PFAR_ABI_LIBRARY "libc++" PFAR_TEXT(_LIBCPP_ABI_VERSION)
#elif defined(_GLIBCXX_DEBUG)
#define PFAR_ABI_LIBRARY "libstdc++-debug-cxx" PFAR_TEXT(_GLIBCXX_USE_CXX11_ABI)
#else
#define PFAR_ABI_LIBRARY "libstdc++-cxx" PFAR_TEXT(_GLIBCXX_USE_CXX11_ABI)
#endif

#if defined(__has_feature)
#define PFAR_HAS_FEATURE(x) __has_feature(x)
#else
#define PFAR_HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || PFAR_HAS_FEATURE(address_sanitizer)
#define PFAR_ABI_SANITIZER "asan"
#elif defined(__SANITIZE_THREAD__) || PFAR_HAS_FEATURE(thread_sanitizer)
#define PFAR_ABI_SANITIZER "tsan"
#else
#define PFAR_ABI_SANITIZER "plain"
#endif

#define PFAR_ABI PFAR_ABI_COMPILER "/" PFAR_ABI_LIBRARY "/boost" BOOST_LIB_VERSION "/" PFAR_ABI_SANITIZER

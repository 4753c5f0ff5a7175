# Everything Tacit links, all from the distribution's packages (scripts/install-packages says which).
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(absl REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
# gRPC's shared libraries bring re2 along. Its own search for re2 asks pkg-config some twenty times, half a minute in all
# on Debian 13, unless the target is there.
add_library(re2::re2 INTERFACE IMPORTED)
find_package(gRPC CONFIG REQUIRED)
if(TACIT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TACIT_WITH_TORCH)
  # Debian's TorchConfig warns of a static library (kineto) that Debian does not ship and that nothing needs.
  set(CMAKE_MESSAGE_LOG_LEVEL ERROR)
  find_package(Torch REQUIRED)
  unset(CMAKE_MESSAGE_LOG_LEVEL)
endif()

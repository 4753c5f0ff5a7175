# How Tacit's own code is compiled: language level, warnings, sanitizers, and the two functions that declare its targets.
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(TACIT_CCACHE ccache)
if(TACIT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TACIT_CCACHE})
endif()

add_library(tacit_build INTERFACE)
target_include_directories(tacit_build INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(tacit_build INTERFACE TACIT_VERSION="${PROJECT_VERSION}")
target_compile_options(tacit_build INTERFACE -Wall -Wextra -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers)
if(TACIT_WERROR)
  target_compile_options(tacit_build INTERFACE -Werror)
endif()
if(TACIT_SANITIZE)
  add_compile_options(-fsanitize=${TACIT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TACIT_SANITIZE})
  add_compile_options(-Wno-maybe-uninitialized)  # GCC sees ghosts in instrumented code, as its manual says
endif()

# tacit_library(core SOURCES a.cc b.cc LIBS absl::status ...): a static library tacit_core with the alias tacit::core.
function(tacit_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;PRIVATE_LIBS" ${ARGN})
  add_library(tacit_${name} STATIC ${ARG_SOURCES})
  add_library(tacit::${name} ALIAS tacit_${name})
  target_link_libraries(tacit_${name} PUBLIC tacit_build ${ARG_LIBS} PRIVATE ${ARG_PRIVATE_LIBS})
endfunction()

# tacit_executable(tacit-server SOURCES main.cc LIBS ...): an installed program.
function(tacit_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE tacit_build ${ARG_LIBS})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

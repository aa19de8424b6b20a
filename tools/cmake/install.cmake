# cmake --install: headers under include/gradproof, the library, the program, and find_package(gradproof).
include(CMakePackageConfigHelpers)

install(TARGETS gradproof EXPORT gradproofTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(part core ops nn)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${part} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gradproof FILES_MATCHING PATTERN "*.hpp" PATTERN "simd" EXCLUDE)
endforeach()
set(GRADPROOF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/gradproof)
install(EXPORT gradproofTargets NAMESPACE gradproof:: DESTINATION ${GRADPROOF_PACKAGE_DIR})
if(BUILD_SHARED_LIBS)
  set(GRADPROOF_FIND_STATIC "")
endif()
configure_package_config_file(${CMAKE_SOURCE_DIR}/tools/cmake/gradproofConfig.cmake.in ${CMAKE_BINARY_DIR}/gradproofConfig.cmake
                              INSTALL_DESTINATION ${GRADPROOF_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/gradproofConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gradproofConfig.cmake ${CMAKE_BINARY_DIR}/gradproofConfigVersion.cmake
              ${CMAKE_SOURCE_DIR}/tools/cmake/gradproof_add_op.cmake DESTINATION ${GRADPROOF_PACKAGE_DIR})

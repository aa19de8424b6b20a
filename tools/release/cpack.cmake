# The Debian package, of a folder that was installed into: cpack --config tools/release/cpack.cmake, called by tools/release/build.
set(CPACK_PACKAGE_NAME gradproof)
set(CPACK_PACKAGE_FILE_NAME gradproof)
set(CPACK_PACKAGE_CONTACT "the gradproof developers <gradproof@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "proofreads gradients, in derivations and in code")
set(CPACK_PACKAGE_DESCRIPTION "Reads a derivation as it is written on paper and says which line is wrong, why, and what to write
instead. Checks hand-written backward passes against exact derivatives. Trains small models of attention. The program, the C++
library and its headers.")
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, libxtensor-dev, cmake")
set(CPACK_STRIP_FILES OFF)
